// Scenario levels: the points of a distribution, against the tree that they are of.
#include "experiments/levels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/measure.h"
#include "experiments/metrics.h"
#include "structures/bloom_tree.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

const std::string kLevels = R"(experiment: inside
scenario: levels
defaults: {n: 3000, rho_1: 1, d: 4, k: "4,2", m_levels: "4", hashing: independent, samples: 1000}
sweep: {of: [keys, fill, rate, error]}
series:
  - {name: L2, structure: bloom_tree, level: 2}
  - {name: L3, structure: bloom_tree, level: 3}
  - {name: L4, structure: bloom_tree, level: 4}
)";

class LevelsTest : public FolderTest {
 protected:
  // Rows in order, by series and quantity.
  std::map<std::string, std::vector<Row>> rows(const std::string& config, const Overrides& set = {}) const {
    std::map<std::string, std::vector<Row>> result;
    measure(plan(config, "default", set), [&](const Unit& unit, const std::vector<Row>& of_unit) {
      result[unit.series + " " + unit.settings.at("of")] = of_unit;
    });
    return result;
  }
};

TEST_F(LevelsTest, SharesFallFromOneEndOfTheScaleToTheOther) {
  const auto all = rows(kLevels);
  EXPECT_EQ(all.size(), 12U);
  for (const auto& [name, points] : all) {
    double last = 1;
    for (const Row& row : points) {
      EXPECT_EQ(row["status"], "ok") << name;
      const double share = find_metric("share_above").value(row).value();
      EXPECT_LE(share, last) << name;
      EXPECT_GE(share, 0) << name;
      last = share;
    }
  }
  EXPECT_EQ(all.at("L2 fill").back().get("share_above"), "0");  // none is more than full
}

TEST_F(LevelsTest, KeysAndFillsAreThoseOfTheTree) {
  const std::vector<Unit> units = plan(kLevels);
  Params params(units.front().structure_params);
  BloomTree tree(params);
  std::vector<Key> keys(3000);
  for (Key i = 0; i < keys.size(); ++i) keys[i] = i;
  tree.insert(0, keys);
  const auto all = rows(kLevels);
  for (std::size_t level = 1; level < 4; ++level) {
    const std::vector<std::uint32_t> counts = tree.keys_a_filter(level, keys);
    const std::vector<double> fills = tree.fills(level);
    const std::string name = std::string("L").append(std::to_string(level + 1));
    for (const Row& row : all.at(name + " keys")) {
      const auto above = std::ranges::count_if(counts, [&](std::uint32_t c) { return c > *row.number("filter_keys"); });
      EXPECT_DOUBLE_EQ(*row.number("share_above"), static_cast<double>(above) / static_cast<double>(counts.size()));
    }
    for (const Row& row : all.at(name + " fill")) {
      const auto above = std::ranges::count_if(fills, [&](double fill) { return fill > *row.number("filter_fill"); });
      EXPECT_DOUBLE_EQ(*row.number("share_above"), static_cast<double>(above) / static_cast<double>(fills.size()));
    }
  }
}

// Appendix B: four keys below a bit of level 1 on average, two below one of level 2; 1 - e^-4 of the filters have some.
TEST_F(LevelsTest, PoissonHasTheMeansOfTheAppendix) {
  const auto all = rows(kLevels, {{"of", "keys"}});
  EXPECT_DOUBLE_EQ(*all.at("L2 keys").front().number("poisson_mean"), 4);
  EXPECT_DOUBLE_EQ(*all.at("L3 keys").front().number("poisson_mean"), 2);
  EXPECT_NEAR(*all.at("L2 keys").front().number("poisson_above"), 1 - std::exp(-4), 1e-12);
  EXPECT_NEAR(*all.at("L2 keys")[1].number("poisson_above"), 1 - 5 * std::exp(-4), 1e-12);
  EXPECT_NEAR(*all.at("L2 keys").front().number("level_mean"), 4, 0.05);
}

TEST_F(LevelsTest, TheNumberOfOnesOfEveryFilterIsWhatCodingByFilterPaysFor) {
  const std::string config = replaced(kLevels, "sweep: {of: [keys, fill, rate, error]}", "sweep: {of: [coding]}");
  const Row row = rows(config).at("L2 coding").front();
  const double by_level = *row.number("by_level"), by_filter = *row.number("by_filter");
  const double without = *row.number("by_filter_without_delimiters");
  EXPECT_LT(without, by_level);
  EXPECT_LT(by_level, 1);
  EXPECT_GT(by_filter, by_level);
}

TEST_F(LevelsTest, ALevelThatTheTreeHasNotAndOtherStructuresSaySo) {
  const std::string shallow = replaced(kLevels, "d: 4", "d: 3");
  EXPECT_EQ(rows(shallow).at("L4 keys").front()["status"], "error");
  EXPECT_TRUE(has(rows(shallow).at("L4 keys").front().get("error"), "the tree has fewer levels"));
  const std::string other =
      replaced(kLevels, "{name: L4, structure: bloom_tree, level: 4}", "{name: B, structure: bloom, k: 4}");
  EXPECT_EQ(rows(other).at("B keys").front()["status"], "unsupported");
}

}  // namespace
}  // namespace bloomery
