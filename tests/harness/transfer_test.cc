// Scenario transfer: one filter, weighed by each definition of its rate, and rivals that are made equal to it.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "experiments/measure.h"
#include "experiments/metrics.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

const std::string kTree = R"(experiment: tree
scenario: transfer
defaults: {n: 20000, d: 3, k: "6,3,2", m_levels: "4,3", hashing: independent}
series:
  - {name: Tree, structure: bloom_tree}
measure: {search: {queries: 100000}, batch: 1024}
)";

class TransferTest : public FolderTest {
 protected:
  // Rows of the phase worth, by series.
  std::map<std::string, Row> worth(const std::string& config, const Overrides& set = {}) const {
    std::map<std::string, Row> rows;
    measure(plan(config, "default", set), [&](const Unit&, const std::vector<Row>& of_unit) {
      for (const Row& row : of_unit) {
        if (row["phase"] == "worth") rows[row["series"]] = row;
      }
    });
    return rows;
  }

  static double value(const Row& row, const std::string& metric) {
    return find_metric(metric).value(row).value_or(std::nan(""));
  }
};

// The same tree in numbers of its own: 0.013 by the geometric mean, 0.054 by counting, and what follows from either.
TEST_F(TransferTest, BothDefinitionsOfTheRateAreThoseOfTheTree) {
  const Row row = worth(kTree).at("Tree");
  EXPECT_EQ(row["status"], "ok");
  EXPECT_EQ(row["hit_rate"], "0");
  EXPECT_NEAR(value(row, "geometric_rate"), 0.013, 0.0015);
  EXPECT_NEAR(value(row, "measured_rate"), 0.054, 0.003);
  EXPECT_NEAR(value(row, "expected_rate"), value(row, "measured_rate"), 0.006);
  EXPECT_NEAR(value(row, "sent_over_array"), 0.47, 0.01);
  EXPECT_NEAR(value(row, "over_standard_geometric"), 0.88, 0.03);
  EXPECT_NEAR(value(row, "over_standard_measured"), 1.31, 0.03);
  EXPECT_DOUBLE_EQ(value(row, "array_per_key"), 17);
  EXPECT_EQ(row.get("hashes"), "60");
  EXPECT_EQ(row.get("load"), "1");
  EXPECT_EQ(row.get("k_1"), "6");
  EXPECT_EQ(row.get("k_2"), "3");
  EXPECT_EQ(row.get("m_2"), "4");
}

TEST_F(TransferTest, NothingIsSentInLessThanItsMeasuredRateTakes) {
  const Row row = worth(kTree, {{"rho_1", "0.5"}}).at("Tree");
  EXPECT_GT(value(row, "over_least_measured"), 1);
}

const std::string kRivals = R"(
  - {name: standard geometric, structure: bloom_tree, rival: bloom}
  - {name: compressed geometric, structure: bloom_tree, rival: compressed_bloom}
  - {name: standard measured, structure: bloom_tree, rival: bloom, rival_by: measured}
  - {name: compressed measured, structure: bloom_tree, rival: compressed_bloom, rival_by: measured}
  - {name: standard sent, structure: bloom_tree, rival: bloom, rival_by: sent}
  - {name: compressed sent, structure: bloom_tree, rival: compressed_bloom, rival_by: sent}
)";

TEST_F(TransferTest, RivalsAreEqualInWhatTheyAreAskedToBeAndMeasuredThemselves) {
  const auto rows = worth(replaced(kTree, "\nmeasure", kRivals + "measure"));
  const Row& tree = rows.at("Tree");
  for (const std::string kind : {"standard", "compressed"}) {
    const double geometric = value(tree, "geometric_rate"), measured = value(tree, "measured_rate");
    EXPECT_NEAR(value(rows.at(kind + " geometric"), "measured_rate"), geometric, 0.1 * geometric) << kind;
    EXPECT_NEAR(value(rows.at(kind + " measured"), "measured_rate"), measured, 0.1 * measured) << kind;
    const double sent = *tree.number("sent_bits");
    EXPECT_NEAR(*rows.at(kind + " sent").number("sent_bits"), sent, 0.01 * sent) << kind;
  }
  // What the formulas say of rivals is what rivals take.
  const double by_formula = value(tree, "over_standard_geometric");
  EXPECT_NEAR(*tree.number("sent_bits") / *rows.at("standard geometric").number("sent_bits"), by_formula, 0.01);
  const double of_compressed = value(tree, "over_compressed_measured");
  EXPECT_NEAR(*tree.number("sent_bits") / *rows.at("compressed measured").number("sent_bits"), of_compressed, 0.01);
}

TEST_F(TransferTest, ARivalThatIsFarTooLargeIsComputedAndSaysSo) {
  const std::string rival = replaced(kTree, "{name: Tree, structure: bloom_tree}",
                                     "{name: Rival, structure: bloom_tree, rival: compressed_bloom}");
  const Row row = worth(replaced(rival, "m_levels: \"4,3\"", "m_levels: \"8\""), {{"n", "2000"}}).at("Rival");
  EXPECT_EQ(row["status"], "ok");
  EXPECT_EQ(row.get("computed"), "true");
  EXPECT_EQ(row["ops"], "");
  EXPECT_GT(value(row, "sent_per_key"), 20);
  EXPECT_TRUE(std::isnan(value(row, "measured_rate")));
}

TEST_F(TransferTest, WithoutAFalsePositiveThereIsNoFilterOfTheSameMeasuredRate) {
  const std::string config = replaced(kTree, "{name: Tree, structure: bloom_tree}",
                                      "{name: Rival, structure: bloom_tree, rival: bloom, rival_by: measured}");
  const Unit unit = plan(config, "default", {{"queries", "1"}, {"rho_1", "20"}}).front();
  std::vector<Row> rows;
  measure({unit}, [&](const Unit&, const std::vector<Row>& of_unit) { rows = of_unit; });
  EXPECT_EQ(rows.front()["status"], "unsupported");
  EXPECT_EQ(rows.front().get("why"), "no filter has a rate of 0");
}

TEST_F(TransferTest, TimesQueriesAgainstAStandardFilterWhenAsked) {
  const Row row = worth(kTree, {{"time_standard", "true"}, {"n", "2000"}}).at("Tree");
  EXPECT_GT(value(row, "time_ratio"), 0);
  EXPECT_TRUE(std::isnan(value(worth(kTree, {{"n", "2000"}}).at("Tree"), "time_ratio")));
}

TEST_F(TransferTest, WhatCannotBeWeighedIsUnsupported) {
  const Row row =
      worth(replaced(kTree, "bloom_tree}", "bloom_tree}\n  - {name: Blocked, structure: blocked_bloom, k: 6}"))
          .at("Blocked");
  EXPECT_EQ(row["status"], "unsupported");
}

// A user's own tree, in a file of theirs.
TEST_F(TransferTest, EveryParameterOfATreeCanBeSwept) {
  const std::string config =
      replaced(kTree, "series:", "sweep: {rho_1: [0.5, 1], m_levels: [\"4,3\", \"2\"]}\nseries:");
  std::map<std::string, std::string> bits;
  for (const Unit& unit : plan(config, "default", {{"n", "1000"}})) {
    measure({unit}, [&](const Unit&, const std::vector<Row>& rows) {
      bits[rows.back().get("rho_1") + " " + rows.back().get("m_levels")] = rows.back().get("array_bits");
    });
  }
  const std::map<std::string, std::string> expected = {
      {"0.5 4,3", "8500"}, {"0.5 2", "3500"}, {"1 4,3", "17000"}, {"1 2", "7000"}};
  EXPECT_EQ(bits, expected);
}

}  // namespace
}  // namespace bloomery
