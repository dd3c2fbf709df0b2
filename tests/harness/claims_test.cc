// Verdicts on rows whose numbers are known.
#include "experiments/claims.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "experiments/claim_expression.h"
#include "experiments/metrics.h"
#include "experiments/plan.h"
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

// Under no difference at all a verdict is a mistake; it must be rare, however few repetitions there are.
TEST(ClaimsTest, NoiseAloneIsSeldomDecided) {
  std::mt19937_64 random(1);
  const auto drawn = [&](double, int) {
    return 100 * (1 + 0.1 * std::ldexp(static_cast<double>(random() >> 11), -53));
  };
  for (const int repeats : {2, 3, 5}) {
    int decided = 0;
    constexpr int kTrials = 100;
    for (int i = 0; i < kTrials; ++i) {
      Experiment experiment = experiment_with("search_bf_cost[Bloofi] < search_bf_cost[Naive]", {{"N", {"100"}}});
      experiment.repeats = repeats;
      std::vector<Row> rows;
      for (int repeat = 0; repeat < repeats; ++repeat) {
        rows.push_back(made_up_row("Naive", "search", 100, drawn(0, 0), repeat));
        rows.push_back(made_up_row("Bloofi", "search", 100, drawn(0, 0), repeat));
      }
      decided += evaluated(experiment, rows).verdict != ClaimVerdict::kUndecided;
    }
    EXPECT_LT(decided, kTrials / 10) << repeats << " repetitions";
  }
}

TEST(ClaimsTest, OneRepetitionDecidesNothingButWhatHasNoNoise) {
  Experiment experiment = experiment_with("search_bf_cost[Bloofi] < search_bf_cost[Naive]", {{"N", {"100"}}});
  experiment.repeats = 1;
  const EvaluatedClaim claim = evaluated(experiment, rows_of_both(kLinear, kLogarithmic));
  EXPECT_EQ(claim.verdict, ClaimVerdict::kUndecided);
  EXPECT_EQ(claim.reason, "one repetition, so its noise is not known");
}

// 20 false positives of a million are not surely more than 16, though 2000 are more than 1600.
TEST(ClaimsTest, ARateIsAsSureAsTheEventsItRestsOn) {
  const auto verdict_of = [](int fewer, int more) {
    Experiment experiment =
        experiment_with("false_positive_rate[Bloofi] < false_positive_rate[Naive]", {{"N", {"100"}}});
    experiment.repeats = 1;
    std::vector<Row> rows;
    for (const auto& [series, wrong] : {std::pair{"Bloofi", fewer}, std::pair{"Naive", more}}) {
      Row row = made_up_row(series, "search", 100, 1);
      row["ops"] = "10000", row["matches"] = row["false_positives"] = std::to_string(wrong);
      rows.push_back(row);
    }
    return evaluated(experiment, rows).verdict;
  };
  EXPECT_EQ(verdict_of(16, 20), ClaimVerdict::kUndecided);
  EXPECT_EQ(verdict_of(1600, 2000), ClaimVerdict::kHolds);
  EXPECT_EQ(verdict_of(2000, 1600), ClaimVerdict::kFails);
  EXPECT_EQ(verdict_of(0, 100), ClaimVerdict::kHolds);
  EXPECT_EQ(verdict_of(0, 1), ClaimVerdict::kUndecided);
}

TEST(ClaimsTest, EqualityIsOfNumbersWithoutNoise) {
  const std::vector<Row> rows = rows_of_both([](double, int) { return 7; }, kSteady);
  EXPECT_EQ(verdict("search_bf_cost[Naive] == 7", rows), "holds");
  EXPECT_EQ(verdict("search_bf_cost[Naive] == 8", rows), "does not hold");
  EXPECT_EQ(verdict("search_bf_cost[Naive] <= 7 and search_bf_cost[Naive] >= 7", rows), "holds");
  EXPECT_EQ(verdict("search_bf_cost[Naive] < 7", rows), "does not hold");
  EXPECT_EQ(verdict("search_bf_cost[Bloofi] == 20", rows), "undecided");
  EXPECT_EQ(verdict("search_bf_cost[Bloofi] == 40", rows), "does not hold");
}

TEST(ClaimsTest, WithinComparesAgainstThePublishedNumber) {
  const std::vector<Row> rows = rows_of_both(kLinear, kSteady);
  const std::string check = "search_bf_cost[Bloofi] within 10 % of published";
  EXPECT_EQ(verdict(check, rows, {{"N", {"100"}}}, "20.2"), "holds");
  EXPECT_EQ(verdict(check, rows, {{"N", {"100"}}}, "30"), "does not hold");
  EXPECT_EQ(verdict(check, rows, {{"N", {"100"}}}, "22.2"), "undecided");
}

TEST(ClaimsTest, CheckMustHoldAtEachValue) {
  const std::vector<Row> rows = rows_of_both(kLinear, [](double, int repeat) { return 500 * noise(repeat); });
  const std::string check = "search_bf_cost[Bloofi] < search_bf_cost[Naive]";
  EXPECT_EQ(verdict(check, rows, {{"N", {"1000", "10000"}}}), "holds");
  EXPECT_EQ(verdict(check, rows, {{"N", {}}}), "does not hold");  // every N
  EXPECT_EQ(verdict("search_bf_cost[Bloofi @ N = 10000] < search_bf_cost[Naive @ N = 1000]", rows, {}), "holds");
}

TEST(ClaimsTest, SettingsAreNumbers) {
  const std::vector<Row> rows = rows_of_both(kSteady, [](double sets, int) { return sets + (sets - 1) / 1; });
  EXPECT_EQ(verdict("search_bf_cost[Bloofi] == N + (N - 1) / (d - 1)", rows, {{"N", {}}}), "holds");
  EXPECT_EQ(verdict("search_bf_cost[Bloofi] == floor(-(1 - 2 * N) + 0.5) + log2(2 ^ 3) - 3", rows, {{"N", {}}}),
            "holds");
}

TEST(ClaimsTest, MonotoneAlongAnAxis) {
  const std::vector<Row> rows = rows_of_both(kLinear, kSteady);
  EXPECT_EQ(verdict("rises(search_bf_cost[Naive], N)", rows, {}), "holds");
  EXPECT_EQ(verdict("falls(search_bf_cost[Naive], N)", rows, {}), "does not hold");
  EXPECT_EQ(verdict("falls(1 / search_bf_cost[Naive], N)", rows, {}), "holds");
  EXPECT_EQ(verdict("rises(search_bf_cost[Bloofi], N)", rows, {}), "does not hold");  // exactly flat
  EXPECT_EQ(verdict("constant(search_bf_cost[Bloofi], N, 5 %)", rows, {}), "holds");
  EXPECT_EQ(verdict("constant(search_bf_cost[Naive], N, 50 %)", rows, {}), "does not hold");
}

TEST(ClaimsTest, AStepTheOtherWayIsNamedUnlessItIsTolerated) {
  const std::vector<Row> rows =
      rows_of_both([](double sets, int repeat) { return (sets == 1000 ? 95 : sets + 1) * noise(repeat); }, kSteady);
  const EvaluatedClaim claim = evaluated(experiment_with("rises(search_bf_cost[Naive], N)"), rows);
  EXPECT_EQ(claim.verdict, ClaimVerdict::kFails);
  EXPECT_TRUE(claim.measured.ends_with("; not from N = 100 to 1000")) << claim.measured;
  EXPECT_EQ(verdict("rises(search_bf_cost[Naive], N, 10 %)", rows, {}), "holds");
}

TEST(ClaimsTest, CurvesCross) {
  const std::vector<Row> rows = rows_of_both(kLinear, [](double, int repeat) { return 500 * noise(repeat); });
  EXPECT_EQ(verdict("crosses(search_bf_cost[Naive], search_bf_cost[Bloofi], N)", rows, {}), "holds");
  EXPECT_EQ(verdict("crosses(search_bf_cost[Bloofi], search_bf_cost[Naive], N)", rows, {}), "does not hold");
  EXPECT_EQ(verdict("crosses(search_bf_cost[Naive], search_bf_cost[Bloofi], N)", rows, {{"N", {"1000", "10000"}}}),
            "does not hold");
}

TEST(ClaimsTest, FitsTellLogarithmicFromLinear) {
  const std::vector<Row> rows = rows_of_both(kLinear, kLogarithmic);
  EXPECT_EQ(verdict("fits(search_bf_cost[Bloofi], log(N), N)", rows, {}), "holds");
  EXPECT_EQ(verdict("fits(search_bf_cost[Bloofi], d * log(N) / log(d), N)", rows, {}), "holds");
  EXPECT_EQ(verdict("fits(search_bf_cost[Naive], log(N), N)", rows, {}), "does not hold");
}

TEST(ClaimsTest, CurvesHaveASlopeAndEnds) {
  const std::vector<Row> rows =
      rows_of_both(kLinear, [](double sets, int repeat) { return (sets == 1000 ? 5 : 20) * noise(repeat); });
  EXPECT_EQ(verdict("slope(search_bf_cost[Naive], N) within 1 % of 1", rows, {}), "holds");
  EXPECT_EQ(verdict("slope(search_bf_cost[Naive] ^ 2, N) within 1 % of 2", rows, {}), "holds");
  EXPECT_EQ(verdict("lowest(search_bf_cost[Bloofi], N) == 1000", rows, {}), "holds");
  EXPECT_EQ(verdict("highest(search_bf_cost[Naive], N) == 10000", rows, {}), "holds");
  EXPECT_EQ(verdict("least(search_bf_cost[Bloofi], N) within 10 % of 5", rows, {}), "holds");
  EXPECT_EQ(verdict("greatest(search_bf_cost[Bloofi], N) within 10 % of 5", rows, {}), "does not hold");
}

TEST(ClaimsTest, TruthIsOfThreeValues) {
  const std::vector<Row> rows = rows_of_both(kLinear, kSteady);
  const std::string yes = "search_bf_cost[Naive] > 50", no = "search_bf_cost[Naive] > 500",
                    open = "search_bf_cost[Naive] > 100";
  const auto of = [&](const std::string& check) { return verdict(check, rows); };
  EXPECT_EQ(of(open), "undecided");
  EXPECT_EQ(of(yes + " and " + open), "undecided");
  EXPECT_EQ(of(no + " and " + open), "does not hold");
  EXPECT_EQ(of(yes + " or " + open), "holds");
  EXPECT_EQ(of(no + " or " + open), "undecided");
  EXPECT_EQ(of("not (" + open + ")"), "undecided");
}

TEST(ClaimsTest, UnsupportedAndUnplannedIsNotTestable) {
  std::vector<Row> rows = rows_of_both(kLinear, kSteady);
  for (Row& row : rows) {
    if (row["series"] == "Naive") row["status"] = "unsupported";
  }
  EXPECT_EQ(verdict("search_bf_cost[Naive] > 50", rows), "not testable here");
  EXPECT_EQ(verdict("search_bf_cost[Bloofi] > 5", rows), "holds");
  EXPECT_EQ(verdict("search_bf_cost[Bloofi] > 5", rows, {{"N", {"5"}}}), "not testable here");
  EXPECT_EQ(verdict("cache_references[Bloofi] > 5", rows), "not testable here");  // no such number in the rows
}

// As when the rows were made by an older program: they count, as they do in the figures.
TEST(ClaimsTest, RowsOfThisProgramComeFirst) {
  Experiment experiment = experiment_with("search_bf_cost[Naive] > 50", {{"N", {"100"}}});
  std::vector<Row> rows = rows_of("Naive", [](double, int) { return 1; });
  for (const Unit& unit : make_plan(experiment)) {
    if (unit.series != "Naive" || unit.settings.at("N") != "100") continue;
    rows.push_back(made_up_row("Naive", "search", 100, 60, unit.repeat));
    rows.back()["run_id"] = unit.run_id;
  }
  EXPECT_EQ(evaluated(experiment, rows).verdict, ClaimVerdict::kHolds);
}

TEST(ClaimsTest, MissingRowsAreNamed) {
  std::vector<Row> rows = rows_of_both(kLinear, kLogarithmic);
  std::erase_if(rows, [](const Row& r) { return r["series"] == "Bloofi" && r["N"] == "100" && r["repeat"] == "3"; });
  const EvaluatedClaim claim =
      evaluated(experiment_with("search_bf_cost[Bloofi] < search_bf_cost[Naive]", {{"N", {"100"}}}), rows);
  EXPECT_EQ(claim.verdict, ClaimVerdict::kMissing);
  EXPECT_EQ(claim.reason, "search: no row of series 'Bloofi', N = 100, repetition 4");
}

TEST(ClaimsTest, ManyMissingRowsAreCounted) {
  const EvaluatedClaim claim = evaluated(experiment_with("rises(search_bf_cost[Bloofi], N)"), {});
  EXPECT_EQ(claim.verdict, ClaimVerdict::kMissing);
  EXPECT_EQ(claim.reason, "search: no row of series 'Bloofi', N = 100, repetition 1; and 14 more");
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
