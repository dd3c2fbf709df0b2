// Two runs side by side: which points are the same, what the tests say, what the program prints and ends with.
#include "experiments/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "experiments/csv.h"
#include "experiments/rank_test.h"
#include "experiments/workload.h"
#include "tests/harness/program.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

// ---- tests of ranks ----

TEST(RankSum, IsExactForSmallSamples) {
  EXPECT_DOUBLE_EQ(rank_sum_p({1, 2, 3}, {4, 5, 6}), 1.0 / 20);
  EXPECT_DOUBLE_EQ(rank_sum_p({4, 5, 6}, {1, 2, 3}), 1);
  EXPECT_DOUBLE_EQ(rank_sum_p({1, 2, 3, 4}, {5, 6, 7, 8}), 1.0 / 70);
  EXPECT_DOUBLE_EQ(rank_sum_p({1, 3}, {2, 4}), 2.0 / 6);  // 1+2 and 1+3 of six pairs
  EXPECT_DOUBLE_EQ(rank_sum_p({1}, {}), 1);
}

// Against every split of the values into two.
TEST(RankSum, AgreesWithAllSplits) {
  Random random(1, 0, Random::kQueries);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> all(2 + random.below(8));
    for (double& value : all) value = static_cast<double>(random.below(6));  // with ties
    const std::size_t n = 1 + random.below(all.size() - 1);
    const auto rank_sum = [&](unsigned mask) {
      double sum = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (((mask >> i) & 1) == 0) continue;
        for (const double other : all) sum += other < all[i] ? 1 : other == all[i] ? 0.5 : 0;
      }
      return sum;
    };
    const double observed = rank_sum((1U << n) - 1);
    double as_low = 0, splits = 0;
    for (unsigned mask = 0; mask < 1U << all.size(); ++mask) {
      if (static_cast<std::size_t>(__builtin_popcount(mask)) != n) continue;
      ++splits;
      as_low += rank_sum(mask) <= observed;
    }
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(n);
    EXPECT_NEAR(rank_sum_p({all.begin(), middle}, {middle, all.end()}), as_low / splits, 1e-12);
  }
}

TEST(RankSum, NormalTakesOverWhereExactEnds) {
  std::vector<double> low, high;
  for (int i = 0; i < 20; ++i) {
    low.push_back(i);
    high.push_back(i + 3.5);
  }
  const double exact = rank_sum_p(low, high);
  low.push_back(9.6);
  high.push_back(13.1);
  EXPECT_NEAR(rank_sum_p(low, high), exact, 0.02);
  EXPECT_DOUBLE_EQ(rank_sum_p(std::vector<double>(30, 1), std::vector<double>(30, 1)), 1);
}

TEST(Holm, CorrectsEachByThoseLeft) {
  const std::vector<double> p = holm({0.01, 0.04, 0.03, 0.5});
  EXPECT_DOUBLE_EQ(p[0], 0.04);
  EXPECT_DOUBLE_EQ(p[2], 0.09);
  EXPECT_DOUBLE_EQ(p[1], 0.09);  // not below the one before it
  EXPECT_DOUBLE_EQ(p[3], 0.5);
  EXPECT_TRUE(holm({}).empty());
}

// ---- points and verdicts ----

std::vector<Row> run_of(const std::string& series, int repeats, double ns, double bf_cost, std::uint64_t seed,
                        const std::string& n = "100") {
  Random random(seed, 0, Random::kQueries);
  std::vector<Row> rows;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Row row;
    row["schema"] = std::string(kSchema);
    row["run_id"] = std::to_string(random.next());
    row["experiment"] = "made_up";
    row["series"] = series;
    row["structure"] = "bloofi";
    row["N"] = n;
    row["cores"] = std::to_string(seed);
    row["repeat"] = std::to_string(repeat);
    row["phase"] = "search";
    row["status"] = "ok";
    row["ns_per_op"] = std::to_string(ns * (1 + 0.01 * random.unit()));
    row["bf_cost"] = std::to_string(bf_cost + repeat);
    row["params"] = "queries=10;cache=model" + std::to_string(seed);
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> operator+(std::vector<Row> a, const std::vector<Row>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Comparison& find(const CompareResult& result, const std::string& series, const std::string& metric) {
  static const Comparison none;
  const auto found = std::ranges::find_if(
      result.points, [&](const Comparison& c) { return c.series == series && c.metric == metric; });
  EXPECT_NE(found, result.points.end()) << series << " " << metric;
  return found == result.points.end() ? none : *found;
}

TEST(Compare, SaysWhatGotFasterSlowerOrStayed) {
  const auto a = run_of("fast", 10, 100, 8, 1) + run_of("slow", 10, 100, 8, 2) + run_of("same", 10, 100, 8, 3);
  const auto b = run_of("fast", 10, 50, 4, 4) + run_of("slow", 10, 130, 8, 5) + run_of("same", 10, 100, 8, 6);
  const CompareResult result = compare(a, b, {});
  EXPECT_EQ(result.points.size(), 6U);
  EXPECT_EQ(find(result, "fast", "search_time").change, Change::kFaster);
  EXPECT_EQ(find(result, "slow", "search_time").change, Change::kSlower);
  EXPECT_EQ(find(result, "same", "search_time").change, Change::kEqual);
  EXPECT_EQ(find(result, "fast", "search_bf_cost").change, Change::kFaster);
  EXPECT_EQ(find(result, "same", "search_bf_cost").change, Change::kEqual);
  EXPECT_NEAR(find(result, "slow", "search_time").ratio.median, 1.3, 0.02);
  EXPECT_LE(find(result, "slow", "search_time").ratio.low, find(result, "slow", "search_time").ratio.median);
}

TEST(Compare, TheMarginDecidesWhatIsEqual) {
  const auto a = run_of("s", 10, 100, 10, 1), b = run_of("s", 10, 103, 10, 2);
  CompareRules rules{.margin = 0.05, .level = 0.05, .metrics = {"search_time"}};
  EXPECT_EQ(compare(a, b, rules).points.at(0).change, Change::kEqual);
  rules.margin = 0.001;
  EXPECT_EQ(compare(a, b, rules).points.at(0).change, Change::kSlower);
  EXPECT_EQ(compare(b, a, rules).points.at(0).change, Change::kFaster);
}

// Rates are better when they are higher.
TEST(Compare, MoreThroughputIsFaster) {
  const auto a = run_of("s", 10, 100, 10, 1), b = run_of("s", 10, 50, 10, 2);
  EXPECT_EQ(compare(a, b, {.metrics = {"throughput"}}).points.at(0).change, Change::kFaster);
}

// Three repetitions can never show a difference at 5 %, however large.
TEST(Compare, FewRepetitionsAreInconclusive) {
  const CompareResult result = compare(run_of("s", 3, 100, 8, 1), run_of("s", 3, 300, 9, 2), {});
  EXPECT_EQ(find(result, "s", "search_time").change, Change::kInconclusive);
  EXPECT_EQ(find(result, "s", "search_bf_cost").change, Change::kSlower);  // counted: needs no test
}

// Of many points of the same program, one in twenty would seem different without correction.
TEST(Compare, ManyPointsAreCorrectedFor) {
  std::vector<Row> a, b;
  for (int i = 0; i < 200; ++i) {
    a = a + run_of("s", 6, 100, 8, static_cast<std::uint64_t>(i), std::to_string(i + 1));
    b = b + run_of("s", 6, 100, 8, static_cast<std::uint64_t>(i + 1000), std::to_string(i + 1));
  }
  const CompareResult result = compare(a, b, {.margin = 0.0001, .level = 0.05, .metrics = {"search_time"}});
  EXPECT_EQ(result.points.size(), 200U);
  EXPECT_EQ(std::ranges::count(result.points, Change::kSlower, &Comparison::change), 0);
  EXPECT_EQ(std::ranges::count(result.points, Change::kFaster, &Comparison::change), 0);
}

TEST(Compare, PointsAreMatchedByParametersAndNotByRun) {
  const auto a = run_of("s", 4, 100, 8, 1, "10") + run_of("s", 4, 100, 8, 1, "20") + run_of("s", 4, 100, 8, 1, "30");
  const auto b = run_of("s", 4, 100, 8, 9, "20") + run_of("s", 4, 100, 8, 9, "30") + run_of("s", 4, 100, 8, 9, "40");
  const CompareResult result = compare(a, b, {.metrics = {"search_time"}});
  ASSERT_EQ(result.points.size(), 2U);
  EXPECT_EQ(result.points[0].point, "N=20");
  EXPECT_EQ(result.points[1].point, "N=30");
  EXPECT_EQ(result.notes, (std::vector<std::string>{"1 point only in the first", "1 point only in the second"}));
}

// A parameter that the newer program has and the older has not, with a default that is everywhere the same.
TEST(Compare, NewParametersAreLeftOut) {
  const auto a = run_of("s", 4, 100, 8, 1);
  auto b = run_of("s", 4, 100, 8, 2);
  for (Row& row : b) row["params"] += ";maintenance=exclusive";
  const CompareResult result = compare(a, b, {.metrics = {"search_time"}});
  EXPECT_EQ(result.points.size(), 1U);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_TRUE(has(result.notes[0], "parameter maintenance is in only one of the two"));
  auto twice = b;
  for (Row& row : twice) row["params"] += "2";  // now it is what tells two points apart
  const CompareResult ambiguous = compare(a, b + twice, {.metrics = {"search_time"}});
  EXPECT_TRUE(ambiguous.points.empty());
  EXPECT_TRUE(has(ambiguous.notes.back(), "1 point there more than once, left out")) << ambiguous.notes.back();
}

TEST(Compare, ZeroesHaveNoRatio) {
  const auto a = run_of("s", 1, 100, 0, 1), b = run_of("s", 1, 100, 5, 1);
  const Comparison cost = compare(a, b, {.metrics = {"search_bf_cost"}}).points.at(0);
  EXPECT_TRUE(std::isnan(cost.ratio.median));
  EXPECT_EQ(cost.change, Change::kSlower);
  EXPECT_EQ(compare(a, a, {.metrics = {"search_bf_cost"}}).points.at(0).change, Change::kEqual);
}

// ---- the program ----

class CompareProgram : public ProgramTest {
 protected:
  void save(const std::string& folder, const std::vector<Row>& rows) const {
    RowWriter(folder_ / folder / "made_up" / "rows.csv").append(rows);
  }
};

TEST_F(CompareProgram, PrintsATableAndEndsWithSixWhereSomethingIsSlower) {
  save("a", run_of("s|t", 10, 100, 8, 1));
  save("b", run_of("s|t", 10, 200, 8, 2));
  const Outcome slower = run("compare a b");
  EXPECT_EQ(slower.code, 6);
  EXPECT_TRUE(has(slower.out, "search_time")) << slower.out;
  EXPECT_TRUE(has(slower.out, "2 compared: 0 faster, 1 slower, 1 equal (within 5 %), 0 inconclusive")) << slower.out;
  EXPECT_EQ(run("compare b a").code, 0);
  EXPECT_EQ(run("compare a a").code, 0);
  EXPECT_EQ(run("compare a/made_up b/made_up").code, 6);  // folders of one experiment
  const Outcome markdown = run("compare a b --markdown --changed");
  EXPECT_TRUE(has(markdown.out, "| made_up | s\\|t |  | search_time |")) << markdown.out;
  EXPECT_FALSE(has(markdown.out, "search_bf_cost"));
}

TEST_F(CompareProgram, CsvIsOneAndNothingElse) {
  save("a", run_of("s,t", 5, 100, 8, 1));
  save("b", run_of("s,t", 5, 100, 8, 2));
  const Outcome outcome = run("compare a b --csv");
  EXPECT_EQ(outcome.code, 0);
  std::string_view rest = outcome.out;
  std::vector<std::string> cells;
  int records = 0;
  while (!rest.empty()) {
    ASSERT_TRUE(take_csv_record(rest, cells));
    EXPECT_EQ(cells.size(), 12U);
    ++records;
  }
  EXPECT_EQ(records, 3);
  EXPECT_EQ(cells[1], "s,t");
}

TEST_F(CompareProgram, WhatCannotBeComparedIsSaid) {
  save("a", run_of("s", 4, 100, 8, 1));
  save("other", run_of("else", 4, 100, 8, 1));
  fs::create_directories(folder_ / "empty");
  expect_message(run("compare a none"), 2, "none: no such folder");
  expect_message(run("compare a empty"), 3, "no rows in empty");
  expect_message(run("compare a other"), 3, "a and other share no point that could be compared");
  expect_message(run("compare a a --metric serch_time"), 2, "did you mean 'search_time'?");
  EXPECT_EQ(run("compare a").code, 2);
  EXPECT_EQ(run("compare a a --margin 0").code, 2);
  EXPECT_EQ(run("compare a a --csv --markdown").code, 2);
}

// The rows of two real runs of the same program, whose run ids are the same, and of one with another version's ids.
TEST_F(CompareProgram, RealRunsShareEveryPoint) {
  ASSERT_EQ(run("run small.yaml --set repeats=1 --results a").code, 0);
  ASSERT_EQ(run("run small.yaml --set repeats=1 --results b").code, 0);
  const Outcome outcome = run("compare a b --csv --metric search_bf_cost");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(count(outcome.out, ",equal\n"), 8U) << outcome.out;  // 2 series at 4 points
}

}  // namespace
}  // namespace bloomery
