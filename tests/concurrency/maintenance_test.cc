// Sets come, change and go while others ask: every answer of thousands of short schedules is checked against the history
// of what was done. BLOOMERY_STRESS_SECONDS=600 runs each test that long instead.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "tests/concurrency/schedules.h"

namespace bloomery::test {
namespace {

std::vector<Variant> maintained_variants() {
  std::vector<Variant> table;
  for (const RegistryEntry& entry : registry()) {
    if (find_spec(entry.name, "maintenance") == nullptr) continue;
    for (const char* mechanism : {"lock", "shards", "epochs"}) table.push_back({entry.name, {{"maintenance", mechanism}}});
  }
  table.push_back({"flat_bloofi", {{"maintenance", "epochs"}, {"layout", "words"}}});
  table.push_back({"bloofi", {{"maintenance", "epochs"}, {"all_ones", "false"}}});
  return table;
}

// Filters small enough for false positives and full inner nodes, large enough that a lost key shows.
Variant small(const Variant& variant) { return with(variant, {{"m", "256"}, {"k", "3"}}); }

class Maintained : public ::testing::TestWithParam<Variant> {
 protected:
  void run_schedules(const Schedule& schedule, std::uint64_t count) const {
    const char* seconds = std::getenv("BLOOMERY_STRESS_SECONDS");
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds == nullptr ? 0 : std::atoi(seconds));
    std::uint64_t queries = 0, seed = 0;
    for (; seed < count || std::chrono::steady_clock::now() < end; ++seed) {
      const auto structure = make_variant(small(GetParam()));
      ASSERT_TRUE(structure->concurrent_maintenance());
      const History history = Recorder(*structure, schedule, seed).record();
      queries += history.queries.size();
      ASSERT_EQ(Checker(shape_of(small(GetParam())), history).check(), "") << "schedule " << seed;
      ASSERT_EQ(structure->validate(), "") << "schedule " << seed;
    }
    RecordProperty("schedules", std::to_string(seed));
    RecordProperty("queries", std::to_string(queries));
  }
};

TEST_P(Maintained, EveryAnswerOfShortSchedulesIsExplained) { run_schedules({}, 150); }

// More than a column of 64 sets and several levels of a tree.
TEST_P(Maintained, ManySets) {
  run_schedules({.writers = 3, .readers = 2, .sets = 150, .writes = 120, .pool = 40, .keys = 4}, 4);
}

// A few sets only: they go down to none and come back.
TEST_P(Maintained, FewSets) { run_schedules({.writers = 2, .readers = 2, .sets = 2, .writes = 30, .pool = 8}, 60); }

TEST(Maintenance, IsNotPromisedWithoutAMechanism) {
  for (const RegistryEntry& entry : registry()) {
    EXPECT_FALSE(make_structure(entry.name, Params())->concurrent_maintenance()) << entry.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Structures, Maintained, ::testing::ValuesIn(maintained_variants()), name_of_param);

// --- the checker itself ----------------------------------------------------------------------------------------------

FilterShape checked_shape() {
  return shape_of({"naive", {{"m", "4096"}, {"k", "4"}}});
}

std::string verdict(std::vector<Write> writes, Asked query) {
  History history;
  history.writes.push_back(std::move(writes));
  history.queries.push_back(std::move(query));
  return Checker(checked_shape(), history).check();
}

TEST(HistoryChecker, SeesAMissedKey) {
  EXPECT_NE(verdict({{Action::kInsert, 0, {7}, 1, 2}}, {{7}, {}, 3, 4}), "");
  EXPECT_EQ(verdict({{Action::kInsert, 0, {7}, 1, 2}}, {{7}, {{0, 0}}, 3, 4}), "");
}

TEST(HistoryChecker, LetsWhatOverlapsGoEitherWay) {
  EXPECT_EQ(verdict({{Action::kInsert, 0, {7}, 1, 4}}, {{7}, {}, 2, 3}), "");
  EXPECT_EQ(verdict({{Action::kInsert, 0, {7}, 1, 4}}, {{7}, {{0, 0}}, 2, 3}), "");
  EXPECT_EQ(verdict({{Action::kInsert, 0, {7}, 1, 2}, {Action::kErase, 0, {}, 3, 6}}, {{7}, {}, 4, 5}), "");
}

TEST(HistoryChecker, SeesASetThatIsGone) {
  EXPECT_NE(verdict({{Action::kInsert, 0, {7}, 1, 2}, {Action::kErase, 0, {}, 3, 4}}, {{7}, {{0, 0}}, 5, 6}), "");
}

TEST(HistoryChecker, SeesAnInventedKeyAndASetNamedTwice) {
  EXPECT_NE(verdict({{Action::kInsert, 0, {7}, 1, 2}}, {{8}, {{0, 0}}, 3, 4}), "");
  EXPECT_NE(verdict({{Action::kInsert, 0, {7}, 1, 2}}, {{7}, {{0, 0}, {0, 0}}, 3, 4}), "");
}

TEST(HistoryChecker, LetsASetThatCameBackBeNamedForBothItsLives) {
  const std::vector<Write> writes = {
      {Action::kInsert, 0, {7}, 1, 2}, {Action::kErase, 0, {}, 4, 5}, {Action::kInsert, 0, {7}, 6, 7}};
  EXPECT_EQ(verdict(writes, {{7}, {{0, 0}, {0, 0}}, 3, 8}), "");
  EXPECT_NE(verdict(writes, {{7}, {{0, 0}, {0, 0}, {0, 0}}, 3, 8}), "");
  EXPECT_NE(verdict(writes, {{7}, {{0, 0}, {0, 0}}, 8, 9}), "");
}

TEST(HistoryChecker, HoldsAReplaceToTheKeysItKeeps) {
  const std::vector<Write> writes = {{Action::kInsert, 0, {7, 9}, 1, 2}, {Action::kReplace, 0, {7}, 3, 6}};
  EXPECT_NE(verdict(writes, {{7}, {}, 4, 5}), "");
  EXPECT_EQ(verdict(writes, {{9}, {}, 4, 5}), "");
  EXPECT_NE(verdict(writes, {{9}, {{0, 0}}, 7, 8}), "");
}

}  // namespace
}  // namespace bloomery::test
