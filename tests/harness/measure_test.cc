// Plans into rows: every phase has one, times and costs where there are any, and wrong answers are seen.
#include "experiments/measure.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "experiments/verify.h"
#include "structures/registry.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

const std::string kConfig = R"(experiment: all
defaults: {N: 30, n: 8, n_exp: 50, rho: 0.1, maintain_ops: 5}
series:
  - {name: Floor, structure: "null"}
  - {name: Exact, structure: exact}
  - {name: Naive, structure: naive}
  - {name: Flat, structure: flat_bloofi}
  - {name: Bloofi, structure: bloofi}
measure: {search: {queries: 200, hit_rate: 0.5}, maintain: [insert, update, erase]}
)";

std::vector<Row> measured(const std::vector<Unit>& units) {
  std::vector<Row> all;
  measure(units, [&](const Unit&, const std::vector<Row>& rows) { all.insert(all.end(), rows.begin(), rows.end()); });
  return all;
}

double number(const Row& row, const std::string& column) {
  EXPECT_TRUE(row.number(column)) << row["series"] << " " << row["phase"] << " " << column;
  return row.number(column).value_or(-1);
}

class MeasureTest : public FolderTest {
 protected:
  std::vector<Row> rows_of(const std::string& config, const Overrides& set = {}) const {
    return measured(plan(config, "default", set));
  }
  // By series and phase.
  std::map<std::string, Row> table(const std::string& config, const Overrides& set = {}) const {
    std::map<std::string, Row> result;
    for (const Row& row : rows_of(config, set)) result[row["series"] + " " + row["phase"]] = row;
    return result;
  }
};

TEST_F(MeasureTest, EveryPhaseOfEveryUnitHasARow) {
  std::vector<std::string> expected, found;
  for (const Unit& unit : plan(kConfig)) {
    for (const std::string& phase : unit.phases) expected.push_back(unit.run_id + " " + phase);
  }
  for (const Row& row : rows_of(kConfig)) found.push_back(row["run_id"] + " " + row["phase"]);
  EXPECT_EQ(found, expected);
}

TEST_F(MeasureTest, UnitsAreHandedOverWholeAndInOrder) {
  const std::vector<Unit> units = plan(kConfig);
  std::size_t next = 0;
  measure(units, [&](const Unit& unit, const std::vector<Row>& rows) {
    EXPECT_EQ(unit.run_id, units.at(next++).run_id);
    EXPECT_EQ(rows.size(), unit.phases.size());
  });
  EXPECT_EQ(next, units.size());
  measure({}, [](const Unit&, const std::vector<Row>&) { FAIL(); });
}

TEST_F(MeasureTest, RowsThatAreOkHaveOpsAndTimes) {
  const std::map<std::string, double> ops = {
      {"build", 30}, {"search", 200}, {"insert", 5}, {"update", 5}, {"erase", 5}};
  for (const Row& row : rows_of(kConfig)) {
    if (row["series"] == "Floor") continue;
    EXPECT_EQ(row["status"], "ok") << row["series"] << " " << row["phase"];
    EXPECT_EQ(number(row, "ops"), ops.at(row["phase"]));
    EXPECT_GT(number(row, "seconds"), 0);
    EXPECT_NEAR(number(row, "ns_per_op"), number(row, "seconds") * 1e9 / number(row, "ops"), 1e-3);
  }
}

TEST_F(MeasureTest, SearchesCountCostsAndJudgeAnswers) {
  auto rows = table(kConfig);
  const Row& exact = rows["Exact search"];
  EXPECT_EQ(number(exact, "false_positives"), 0);
  EXPECT_EQ(number(exact, "matches"), 100);  // nonrandom sets are disjoint, and half of the queries hit
  for (const std::string series : {"Naive", "Flat", "Bloofi"}) {
    const Row& row = rows[series + " search"];
    EXPECT_GT(number(row, "bf_cost"), 0) << series;
    EXPECT_EQ(number(row, "false_negatives"), 0) << series;
    EXPECT_EQ(number(row, "matches"), 100 + number(row, "false_positives")) << series;
    EXPECT_GT(number(row, "storage_bytes"), 0) << series;
  }
  EXPECT_EQ(number(rows["Naive search"], "bf_cost"), 30);
  EXPECT_EQ(number(rows["Bloofi build"], "nodes"), number(rows["Bloofi search"], "nodes"));
}

// The same m, k and hash functions: the same answers, to the last false positive.
TEST_F(MeasureTest, IndexesOfTheSameFiltersAnswerAlike) {
  auto rows = table(kConfig, {{"m", "64"}, {"k", "2"}});
  const Row& naive = rows["Naive search"];
  EXPECT_GT(number(naive, "false_positives"), 0);
  for (const std::string series : {"Flat", "Bloofi"}) {
    EXPECT_EQ(rows[series + " search"]["matches"], naive["matches"]) << series;
    EXPECT_EQ(rows[series + " search"]["false_positives"], naive["false_positives"]) << series;
  }
}

TEST_F(MeasureTest, CountsDoNotDependOnThreadsBackendOrBatch) {
  auto expected = table(kConfig);
  for (const Overrides& set : {Overrides{{"threads", "2"}, {"backend", "tbb"}},
                               Overrides{{"threads", "2"}, {"backend", "openmp"}}, Overrides{{"batch", "1"}}}) {
    for (auto& [name, row] : table(kConfig, set)) {
      for (const char* column : {"status", "ops", "bf_cost", "words", "filters_cost", "nodes_cost", "nodes", "height",
                                 "storage_bytes", "matches", "false_positives", "false_negatives"}) {
        EXPECT_EQ(row[column], expected[name][column]) << name << " " << column << " " << set.front().second;
      }
    }
  }
}

TEST_F(MeasureTest, MaintenanceCountsWhatItTouches) {
  auto rows = table(kConfig);
  for (const std::string phase : {"insert", "update", "erase"}) {
    const Row& row = rows["Bloofi " + phase];
    EXPECT_GT(number(row, "filters_cost"), 0) << phase;
    EXPECT_GT(number(row, "nodes_cost"), 0) << phase;
    EXPECT_EQ(number(row, "false_negatives"), 0) << phase;
  }
}

// The floor answers nothing: its time is a result, its answers are not judged.
TEST_F(MeasureTest, FloorIsTimedAndNotJudged) {
  auto rows = table(kConfig);
  const Row& row = rows["Floor search"];
  EXPECT_EQ(row["status"], "ok");
  EXPECT_GT(number(row, "seconds"), 0);
  EXPECT_EQ(row["matches"], "0");
  EXPECT_EQ(row["false_negatives"], "");
}

TEST_F(MeasureTest, SearchAloneBuildsUntimed) {
  const std::vector<Unit> units = plan(kConfig);
  Unit unit = units.at(2);
  unit.phases = {"search"};
  const std::vector<Row> rows = measured({unit});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["status"], "ok");
  EXPECT_EQ(number(rows[0], "false_negatives"), 0);
}

TEST_F(MeasureTest, AfterUpdatesHoldsTheSameKeys) {
  auto rows = table(kConfig, {{"after_updates", "true"}});
  for (const std::string series : {"Naive", "Flat", "Bloofi"}) {
    EXPECT_EQ(rows[series + " build"]["status"], "ok") << series;
    EXPECT_EQ(rows[series + " search"]["false_negatives"], "0") << series;
    EXPECT_EQ(rows[series + " search"].get("after_updates"), "true") << series;
  }
}

// What a structure cannot do is in the rows, without numbers: nothing vanishes.
TEST_F(MeasureTest, UnsupportedPhasesHaveRows) {
  const std::string one = replaced(replaced(kConfig, "structure: naive", "structure: bloom"), "N: 30", "N: 1");
  std::size_t unsupported = 0;
  for (const Row& row : rows_of(one)) {
    if (row["series"] != "Naive" || row["status"] == "ok") continue;
    ++unsupported;
    EXPECT_EQ(row["status"], "unsupported") << row["phase"];
    EXPECT_EQ(row["seconds"], "");
    EXPECT_EQ(row["ops"], "");
  }
  EXPECT_GE(unsupported, 1U);  // a plain filter cannot take a second set
}

TEST_F(MeasureTest, FilterOfOneSetIsUnsupportedForMany) {
  Unit unit = plan(kConfig).at(2);
  unit.structure = "bloom";
  const std::vector<Row> rows = measured({unit});
  ASSERT_EQ(rows.size(), unit.phases.size());
  for (const Row& row : rows) EXPECT_EQ(row["status"], "unsupported");
}

TEST_F(MeasureTest, FailureIsARowAndTheNextUnitGoesOn) {
  std::vector<Unit> units = plan(kConfig);
  units.erase(units.begin() + 3, units.end());
  units[1].structure = "no such structure";
  const std::vector<Row> rows = measured(units);
  ASSERT_EQ(rows.size(), 15U);
  EXPECT_EQ(rows[5]["status"], "error");
  EXPECT_TRUE(has(rows[5].get("error"), "unknown structure 'no such structure'")) << rows[5].get("error");
  for (std::size_t i = 6; i < 10; ++i) EXPECT_EQ(rows[i]["status"], "skipped");
  for (std::size_t i = 5; i < 10; ++i) EXPECT_EQ(rows[i]["seconds"], "");
  for (std::size_t i = 10; i < 15; ++i) EXPECT_EQ(rows[i]["status"], "ok");
}

TEST_F(MeasureTest, ExceptionOfTheReceiverStopsTheRun) {
  const std::vector<Unit> units = plan(kConfig);
  int received = 0;
  const auto full_disk = [&](const Unit&, const std::vector<Row>&) {
    if (++received == 2) throw IoError("the disk is full");
  };
  EXPECT_THROW(measure(units, full_disk), IoError);
  EXPECT_EQ(received, 2);
  EXPECT_EQ(measured({units[0]}).size(), 5U);  // and the next run is not disturbed
}

TEST_F(MeasureTest, EstimateGrowsWithTheData) {
  const Unit small = plan(kConfig).back();
  const Unit more_sets = plan(kConfig, "default", {{"N", "60"}}).back();
  const Unit larger_filters = plan(kConfig, "default", {{"n_exp", "100000"}}).back();
  EXPECT_GT(estimated_bytes(small), 0);
  EXPECT_GT(estimated_bytes(more_sets), estimated_bytes(small));
  EXPECT_GT(estimated_bytes(larger_filters), 30 * 100000 / 8.0);
}

// Answers.

class AnswersTest : public testing::Test {
 protected:
  static Matches matches(const std::vector<Match>& pairs) {
    Matches result;
    result.ensure(pairs.size());
    for (const Match& pair : pairs) result.push(pair.index, pair.set);
    return result;
  }

  const std::vector<Key> first_ = {1, 2}, second_ = {2, 3}, queries_ = {1, 2, 3, 9};
  const std::vector<Keys> sets_ = {first_, second_};
  const Answers answers_{sets_, queries_};
};

TEST_F(AnswersTest, RightAnswerIsRight) {
  const Verdict verdict = answers_.judge(0, 4, matches({{2, 1}, {0, 0}, {1, 1}, {1, 0}}));  // in any order
  EXPECT_EQ(verdict.matches, 4U);
  EXPECT_EQ(verdict.false_positives, 0U);
  EXPECT_EQ(verdict.false_negatives, 0U);
}

TEST_F(AnswersTest, WrongPairsAreCounted) {
  const Verdict verdict = answers_.judge(0, 4, matches({{0, 0}, {0, 1}, {1, 0}, {3, 0}, {3, 1}}));
  EXPECT_EQ(verdict.matches, 5U);
  EXPECT_EQ(verdict.false_positives, 3U);
  EXPECT_EQ(verdict.false_negatives, 2U);  // set 1 of key 2 and of key 3
}

TEST_F(AnswersTest, SamePairTwiceIsOneTooMany) {
  const Verdict verdict = answers_.judge(0, 1, matches({{0, 0}, {0, 0}}));
  EXPECT_EQ(verdict.false_positives, 1U);
  EXPECT_EQ(verdict.false_negatives, 0U);
}

TEST_F(AnswersTest, BatchesAreJudgedByTheirPlace) {
  EXPECT_EQ(answers_.judge(2, 2, matches({{0, 1}})).false_negatives, 0U);
  EXPECT_EQ(answers_.judge(2, 2, matches({{0, 0}})).false_negatives, 1U);
  EXPECT_EQ(answers_.judge(1, 1, matches({})).false_negatives, 2U);
  EXPECT_EQ(answers_.judge(3, 1, matches({})).false_negatives, 0U);
}

TEST_F(AnswersTest, IdsMayBeginAnywhere) {
  const Answers later(sets_, queries_, 70);
  EXPECT_EQ(later.judge(0, 2, matches({{0, 70}, {1, 70}, {1, 71}})).false_positives, 0U);
  EXPECT_EQ(later.judge(0, 2, matches({{0, 0}})).false_negatives, 3U);
}

TEST_F(AnswersTest, DeniedMembersAreCounted) {
  const auto exact = make_structure("exact", Params());
  exact->build(sets_, Executor());
  const std::vector<Member> members = {{1, 0}, {2, 0}, {2, 1}, {1, 1}, {9, 0}};
  EXPECT_EQ(count_denied(*exact, members), 2U);  // 1 is not in set 1, 9 in none
  EXPECT_EQ(count_denied(*exact, {}), 0U);
}

}  // namespace
}  // namespace bloomery
