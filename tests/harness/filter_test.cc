// Scenario filter: one set, filled by threads and searched; what is lost is counted, and called wrong unless asked for.
#include <gtest/gtest.h>

#include <map>

#include "experiments/cache.h"
#include "experiments/measure.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

const std::string kConfig = R"(experiment: one
scenario: filter
defaults: {n: 20000, k: 7, hit_rate: 0.5}
series:
  - {name: Standard, structure: bloom}
  - {name: Blocked, structure: blocked_bloom}
  - {name: Scalable, structure: scalable_bloom}
measure: {search: {queries: 40000}, batch: 100}
)";

class FilterTest : public FolderTest {
 protected:
  std::map<std::string, Row> table(const std::string& config, const Overrides& set = {}) const {
    std::map<std::string, Row> rows;
    measure(plan(config, "default", set), [&](const Unit&, const std::vector<Row>& of_unit) {
      for (const Row& row : of_unit) rows[row["series"] + " " + row["phase"]] = row;
    });
    return rows;
  }
};

TEST_F(FilterTest, BuildInsertsEveryKeyAndSearchJudgesEveryAnswer) {
  for (const auto& [name, row] : table(kConfig)) {
    EXPECT_EQ(row["status"], "ok") << name;
    EXPECT_EQ(row["N"], "1") << name;
    EXPECT_EQ(row["false_negatives"], "0") << name;
    const bool build = row["phase"] == "build";
    EXPECT_EQ(row["ops"], build ? "20000" : "40000") << name;
    if (build) {
      EXPECT_EQ(row["matches"], "20000") << name;
    } else {
      EXPECT_EQ(*row.number("matches"), 20000 + *row.number("false_positives")) << name;
      EXPECT_LT(*row.number("false_positives"), 20000 * 0.02) << name;
      EXPECT_GT(*row.number("false_positives"), 20000 * 0.001) << name;
    }
  }
}

TEST_F(FilterTest, FiltersAreSizedForTheirKeysUnlessToldOtherwise) {
  EXPECT_EQ(plan(kConfig).front().structure_params.at("n_exp"), "20000");
  EXPECT_EQ(plan(kConfig, "default", {{"n_exp", "50"}}).front().structure_params.at("n_exp"), "50");
}

TEST_F(FilterTest, TrafficIsCountedOrMarkedAsModelled) {
  const Row row = table(kConfig).at("Standard search");
  const std::string source = row.get("cache");
  EXPECT_TRUE(source == "counters" || source == "model") << source;
  EXPECT_GT(row.number("cache_references").value_or(0), 0);
  EXPECT_GT(row.number("lines").value_or(0), 1);
  EXPECT_LE(row.number("lines").value_or(99), 7);
}

TEST_F(FilterTest, BlocksTellTheirLoads) {
  const auto rows = table(kConfig);
  const Row& blocked = rows.at("Blocked build");
  EXPECT_LT(*blocked.number("least_load"), *blocked.number("mean_load"));
  EXPECT_GT(*blocked.number("most_load"), *blocked.number("mean_load"));
  EXPECT_FALSE(rows.at("Standard build").number("least_load"));
}

// Threads that write without atomic operations: what they lose is a result, not an error.
TEST_F(FilterTest, LossesOfPlainWritesAreAResult) {
  const Overrides threads = {{"threads", "2"}, {"backend", "tbb"}};
  Overrides plain = threads;
  plain.emplace_back("atomic", "false");
  for (const auto& [name, row] : table(kConfig, plain)) {
    EXPECT_EQ(row["status"], "ok") << name;
    if (row["phase"] == "build") {
      EXPECT_TRUE(row.number("lost")) << name;
      EXPECT_EQ(row["false_negatives"], "") << name;
    }
  }
  for (const auto& [name, row] : table(kConfig, threads)) {
    EXPECT_EQ(row["false_negatives"], "0") << name;
    EXPECT_FALSE(row.number("lost")) << name;
  }
}

TEST_F(FilterTest, SeveralSetsAreRefused) {
  try {
    load(kConfig, "default", {{"N", "2"}});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_TRUE(has(error.what(), "N is 2")) << error.what();
  }
}

TEST(CacheModel, MissesAreWhatDoesNotFit) {
  EXPECT_EQ(modelled_traffic(10, 1000, 2000).misses, 0);
  EXPECT_EQ(modelled_traffic(10, 4000, 1000).references, 10);
  EXPECT_DOUBLE_EQ(modelled_traffic(10, 4000, 1000).misses, 7.5);
  EXPECT_EQ(modelled_traffic(10, 0, 1000).misses, 0);
}

}  // namespace
}  // namespace bloomery
