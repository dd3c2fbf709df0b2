// Verdicts on rows whose numbers are known.
#include "experiments/claims.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "experiments/claim_expression.h"
#include "experiments/metrics.h"
#include "tests/harness/made_up.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

constexpr int kRepeats = 5;

Experiment experiment_with(const std::string& check, std::vector<ClaimAt> at = {}, const std::string& published = "") {
  Experiment experiment = made_up_experiment();
  experiment.repeats = kRepeats;
  Vocabulary known{{}, {"Naive", "Bloofi"}, {"N", "d", "n", "hit_rate"}};
  for (const Metric& metric : metrics()) known.metrics.push_back(metric.name);
  Claim claim;
  claim.id = "one";
  claim.says = "What it says";
  claim.paper = "bloofi";
  claim.section = "7.2.1";
  claim.figure = "5a";
  claim.published = published;
  claim.check = check;
  claim.expression = std::make_shared<const Expression>(parse_check(check, known));
  claim.at = std::move(at);
  experiment.claims = {claim};
  return experiment;
}

using Cost = std::function<double(double sets, int repeat)>;

std::vector<Row> rows_of(const std::string& series, const Cost& cost, int repeats = kRepeats) {
  std::vector<Row> rows;
  for (const int sets : {100, 1000, 10000}) {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      rows.push_back(made_up_row(series, "search", sets, cost(sets, repeat), repeat));
    }
  }
  return rows;
}

std::vector<Row> rows_of_both(const Cost& naive, const Cost& bloofi) {
  std::vector<Row> rows = rows_of("Naive", naive);
  for (Row& row : rows_of("Bloofi", bloofi)) rows.push_back(std::move(row));
  return rows;
}

EvaluatedClaim evaluated(const Experiment& experiment, const std::vector<Row>& rows) {
  return evaluate_claims(experiment, rows).at(0);
}

std::string verdict(const std::string& check, const std::vector<Row>& rows, std::vector<ClaimAt> at = {{"N", {"100"}}},
                    const std::string& published = "") {
  const EvaluatedClaim claim = evaluated(experiment_with(check, std::move(at), published), rows);
  return verdict_name(claim.verdict);
}

// Noise of a few percent that has no trend, the same at every repetition of both series.
double noise(int repeat) { return 1 + 0.02 * ((repeat * 7) % 5 - 2); }

const Cost kLinear = [](double sets, int repeat) { return sets * noise(repeat); };
const Cost kLogarithmic = [](double sets, int repeat) { return (5 + 3 * std::log(sets)) * noise(repeat); };
const Cost kSteady = [](double, int repeat) { return 20 * noise(repeat); };

TEST(ClaimsTest, ComparisonsOutsideOfTheNoiseAreDecided) {
  const std::vector<Row> rows = rows_of_both(kLinear, kLogarithmic);
  EXPECT_EQ(verdict("search_bf_cost[Bloofi] < search_bf_cost[Naive]", rows), "holds");
  EXPECT_EQ(verdict("search_bf_cost[Bloofi] > search_bf_cost[Naive]", rows), "does not hold");
  EXPECT_EQ(verdict("not search_bf_cost[Bloofi] > search_bf_cost[Naive]", rows), "holds");
}

TEST(ClaimsTest, ComparisonsInsideOfTheNoiseAreUndecided) {
  const Cost other = [](double sets, int repeat) { return sets * noise(repeat + 3) * 1.001; };
  const EvaluatedClaim claim =
      evaluated(experiment_with("search_bf_cost[Naive] < search_bf_cost[Bloofi]", {{"N", {"100"}}}),
                rows_of_both(kLinear, other));
  EXPECT_EQ(claim.verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(claim.reason, "the noise is larger than the difference");
}

// What is measured in the same repetition moves together: the difference is surer than either value.
TEST(ClaimsTest, RepetitionsArePaired) {
  const Cost slow = [](double sets, int repeat) { return sets * (1 + repeat); };
  const Cost slower = [](double sets, int repeat) { return sets * (1 + repeat) + 1 + 0.01 * repeat; };
  EXPECT_EQ(verdict("search_bf_cost[Naive] < search_bf_cost[Bloofi]", rows_of_both(slow, slower)), "holds");
}

TEST(ClaimsTest, MissingRowsAreNamed) {
  std::vector<Row> rows = rows_of_both(kLinear, kLogarithmic);
  std::erase_if(rows, [](const Row& r) { return r["series"] == "Bloofi" && r["N"] == "100" && r["repeat"] == "3"; });
  const EvaluatedClaim claim =
      evaluated(experiment_with("search_bf_cost[Bloofi] < search_bf_cost[Naive]", {{"N", {"100"}}}), rows);
  EXPECT_EQ(claim.verdict, ClaimVerdict::kMissing);
  EXPECT_EQ(claim.reason, "search: no row of series 'Bloofi', N = 100, repetition 4");
}

TEST(ClaimsTest, SaysWhatWasMeasured) {
  const EvaluatedClaim claim =
      evaluated(experiment_with("search_bf_cost[Bloofi] < search_bf_cost[Naive]", {{"N", {"100"}}}, "12"),
                rows_of_both([](double, int) { return 30; }, [](double, int) { return 20; }));
  EXPECT_EQ(claim.measured, "20 < 30");
  EXPECT_EQ(claim.interval, "");  // as all repetitions agree
  EXPECT_EQ(claim.rows, 2U * kRepeats);
  EXPECT_EQ(claim.where, "section 7.2.1, Fig. 5a");
  EXPECT_EQ(claim.check, "search_bf_cost[Bloofi] < search_bf_cost[Naive] at N = 100");
  EXPECT_EQ(claim.published, "12");
}

}  // namespace
}  // namespace bloomery
