// The data of a run: as large as asked for, the same for all that are compared, and what it is said to be.
#include "experiments/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/harness/support.h"

namespace bloomery {
namespace {

WorkloadSpec small_spec(bool random) {
  return {.sets = 20,
          .keys_per_set = 30,
          .random = random,
          .queries = 500,
          .hit_rate = 0.25,
          .inserts = 4,
          .updates = 5,
          .update_keys = 7,
          .seed = 3,
          .repeat = 1};
}

std::set<Key> keys_of(const KeySets& sets) { return {sets.all().begin(), sets.all().end()}; }

std::vector<std::vector<Key>> copied(const Workload& workload) {
  std::vector<std::vector<Key>> all;
  for (const KeySets* sets : {&workload.sets, &workload.new_sets, &workload.updates}) {
    for (const Keys keys : sets->view()) all.emplace_back(keys.begin(), keys.end());
  }
  all.push_back(workload.queries);
  return all;
}

class WorkloadTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Distributions, WorkloadTest, testing::Bool(),
                         [](const auto& test) { return test.param ? "random" : "nonrandom"; });

TEST_P(WorkloadTest, SizesAreAsAskedFor) {
  const Workload workload = make_workload(small_spec(GetParam()));
  ASSERT_EQ(workload.sets.size(), 20U);
  ASSERT_EQ(workload.new_sets.size(), 4U);
  ASSERT_EQ(workload.updates.size(), 5U);
  for (const Keys keys : workload.sets.view()) EXPECT_EQ(keys.size(), 30U);
  for (const Keys keys : workload.new_sets.view()) EXPECT_EQ(keys.size(), 30U);
  for (const Keys keys : workload.updates.view()) EXPECT_EQ(keys.size(), 7U);
  EXPECT_EQ(workload.queries.size(), 500U);
  EXPECT_EQ(workload.sets.all().size(), 600U);
}

TEST_P(WorkloadTest, KeysOfASetAreDistinct) {
  const Workload workload = make_workload(small_spec(GetParam()));
  for (const KeySets* sets : {&workload.sets, &workload.new_sets, &workload.updates}) {
    for (const Keys keys : sets->view()) {
      EXPECT_EQ(std::set<Key>(keys.begin(), keys.end()).size(), keys.size());
    }
  }
}

TEST_P(WorkloadTest, ShareOfHitsIsExactAndMissesAreInNoSet) {
  for (const double hit_rate : {0.0, 0.25, 0.5, 1.0}) {
    WorkloadSpec spec = small_spec(GetParam());
    spec.hit_rate = hit_rate;
    const Workload workload = make_workload(spec);
    const std::set<Key> members = keys_of(workload.sets);
    const auto hits = std::ranges::count_if(workload.queries, [&](Key key) { return members.contains(key); });
    EXPECT_EQ(static_cast<double>(hits), 500 * hit_rate);
    for (const Key key : workload.queries) EXPECT_TRUE(members.contains(key) || key >= workload.first_miss);
  }
}

// Else a miss would become a hit half-way through the run.
TEST_P(WorkloadTest, MissesAreInNoInsertAndNoUpdate) {
  const Workload workload = make_workload(small_spec(GetParam()));
  for (const KeySets* sets : {&workload.sets, &workload.new_sets, &workload.updates}) {
    for (const Key key : sets->all()) EXPECT_LT(key, workload.first_miss);
  }
}

TEST_P(WorkloadTest, HitsAndMissesAreMixed) {
  const Workload workload = make_workload(small_spec(GetParam()));
  const auto half = workload.queries.begin() + 250;
  const auto miss = [&](Key key) { return key >= workload.first_miss; };
  EXPECT_GT(std::count_if(workload.queries.begin(), half, miss), 100);
  EXPECT_GT(std::count_if(half, workload.queries.end(), miss), 100);
}

TEST_P(WorkloadTest, SameSpecGivesTheSameData) {
  EXPECT_EQ(copied(make_workload(small_spec(GetParam()))), copied(make_workload(small_spec(GetParam()))));
}

TEST_P(WorkloadTest, SeedAndRepetitionChangeTheData) {
  const std::vector<Key> queries = make_workload(small_spec(GetParam())).queries;
  WorkloadSpec seed = small_spec(GetParam());
  WorkloadSpec repetition = seed;
  ++seed.seed;
  ++repetition.repeat;
  EXPECT_NE(make_workload(seed).queries, queries);
  EXPECT_NE(make_workload(repetition).queries, queries);
  EXPECT_NE(make_workload(seed).queries, make_workload(repetition).queries);
}

// A longer experiment begins with the same sets: points of a sweep over N are nested.
TEST_P(WorkloadTest, MoreSetsBeginWithTheSameOnes) {
  WorkloadSpec spec = small_spec(GetParam());
  const auto few = copied(make_workload(spec));
  spec.sets = 40;
  const auto many = copied(make_workload(spec));
  EXPECT_TRUE(std::equal(few.begin(), few.begin() + 20, many.begin()));
}

TEST(Workload, NonrandomSetsAreDisjoint) {
  const Workload workload = make_workload(small_spec(false));
  std::set<Key> all = keys_of(workload.sets);
  EXPECT_EQ(all.size(), 20U * 30);
  all.merge(keys_of(workload.new_sets));
  all.merge(keys_of(workload.updates));
  EXPECT_EQ(all.size(), 20U * 30 + 4 * 30 + 5 * 7);
}

TEST(Workload, RandomKeysComeFromARangeBelowTheMisses) {
  const Workload workload = make_workload(small_spec(true));
  for (const Key key : workload.sets.all()) EXPECT_LT(key, 100'000'000U);
  EXPECT_GT(keys_of(workload.sets).size(), 500U);  // spread over it
  EXPECT_EQ(workload.first_miss, 100'000'000U);
}

// As many keys as fit the range only when it grows.
TEST(Workload, RandomSetsMayBeLarge) {
  WorkloadSpec spec = small_spec(true);
  spec.sets = 1;
  spec.keys_per_set = 200'000;
  const Workload workload = make_workload(spec);
  EXPECT_EQ(keys_of(workload.sets).size(), 200'000U);
}

TEST(Workload, WithoutSetsEveryQueryMisses) {
  const std::vector<Key> queries = make_queries({}, 100, 50, 1.0, Random(1, 0, Random::kQueries));
  EXPECT_EQ(queries.size(), 50U);
  EXPECT_TRUE(std::ranges::all_of(queries, [](Key key) { return key >= 100; }));
}

TEST(RandomStream, PurposesAndItemsDoNotShareAStream) {
  std::set<std::uint64_t> first;
  for (const auto purpose : {Random::kSets, Random::kQueries, Random::kMaintenance, Random::kRecheck}) {
    for (std::uint64_t item = 0; item < 100; ++item) first.insert(Random(1, 0, purpose, item).next());
  }
  EXPECT_EQ(first.size(), 400U);
}

TEST(RandomStream, BelowAndUnitStayInRange) {
  Random random(1, 2, Random::kSets);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(random.below(7), 7U);
    const double unit = random.unit();
    EXPECT_TRUE(unit >= 0 && unit < 1);
  }
  EXPECT_EQ(random.below(1), 0U);
}

using RunSettingsTest = FolderTest;

TEST_F(RunSettingsTest, DataDoNotDependOnHowTheyAreMeasured) {
  const WorkloadSpec expected = settings_of(plan(kSmall).front()).data;
  for (const Overrides& set :
       {Overrides{{"threads", "2"}, {"backend", "tbb"}}, Overrides{{"backend", "openmp"}}, Overrides{{"batch", "7"}},
        Overrides{{"d", "5"}}, Overrides{{"after_updates", "true"}}}) {
    for (const Unit& unit : plan(kSmall, "default", set)) {
      if (unit.repeat > 0 || unit.settings.at("N") != "2") continue;
      EXPECT_TRUE(settings_of(unit).data == expected);
    }
  }
}

TEST_F(RunSettingsTest, AreThoseOfTheConfig) {
  const std::vector<Unit> units = plan(kSmall, "default", {{"threads", "2"}, {"backend", "tbb"}, {"seed", "9"}});
  const RunSettings settings = settings_of(units.at(2));
  EXPECT_EQ(settings.data.sets, 2U);
  EXPECT_EQ(settings.data.keys_per_set, 5U);
  EXPECT_EQ(settings.data.queries, 20U);
  EXPECT_EQ(settings.data.hit_rate, 0.5);
  EXPECT_EQ(settings.data.seed, 9U);
  EXPECT_EQ(settings.data.repeat, 1U);
  EXPECT_EQ(settings.threads, 2);
  EXPECT_EQ(settings.backend, Backend::kTbb);
  EXPECT_EQ(settings.maintain_ops, 10U);  // a tenth of N, but at least this
  EXPECT_EQ(settings.data.inserts, 10U);
  EXPECT_EQ(settings.data.updates, 0U);  // no such phase
  EXPECT_EQ(settings.data.update_keys, 5U);
}

}  // namespace
}  // namespace bloomery
