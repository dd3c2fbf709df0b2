// Full blocks spill and nothing is lost; the rate is the one wanted and the one that theory says.
#include "structures/overflow_blocked_bloom.h"

#include <gtest/gtest.h>

#include "structures/block_theory.h"
#include "tests/structures/rates.h"

namespace bloomery::test {
namespace {

constexpr std::size_t kKeys = 100000, kQueries = 2000000;

OverflowBlockedBloom made(const ParamMap& given) {
  Params params(given);
  return OverflowBlockedBloom(params);
}

// One filter against the mean over all: the rate of its blocks varies about as much as it is large.
TEST(OverflowBlockedBloom, KeepsTheRateWantedAndMeetsTheory) {
  for (const char* bytes : {"64", "128", "4096"}) {
    for (const char* rho : {"0.05", "0.01", "0.001", "0.0002"}) {
      for (const char* ratio : {"0.1", "0.5"}) {
        SCOPED_TRACE(std::string(bytes) + " bytes, rho = " + rho + ", ratio = " + ratio);
        OverflowBlockedBloom filter =
            made({{"block_bytes", bytes}, {"rho", rho}, {"ratio", ratio}, {"n_exp", std::to_string(kKeys)}});
        filter.insert(0, random_keys(kKeys, 21));
        ASSERT_EQ(filter.validate(), "");
        const double expected = filter.expected_false_positive_rate(kKeys);
        EXPECT_LE(expected, std::stod(rho) * 1.001);
        const double sigma = std::hypot(binomial_deviation(expected, kQueries),
                                        expected / std::sqrt(static_cast<double>(filter.levels()[0].sizes.blocks)));
        EXPECT_NEAR(measured_rate(filter, kQueries), expected, 5 * sigma);
      }
    }
  }
}

// The share of full blocks, against that of a binomial load: five deviations of a binomial number of blocks.
TEST(OverflowBlockedBloom, AsManyBlocksAreFullAsTheorySays) {
  OverflowBlockedBloom filter = made({{"rho", "0.0001"}, {"n_exp", std::to_string(kKeys)}});
  filter.insert(0, random_keys(kKeys, 22));
  ASSERT_GE(filter.levels().size(), 2U);
  const auto blocks = static_cast<double>(filter.levels()[0].sizes.blocks);
  const auto capacity = static_cast<double>(filter.levels()[0].capacity);
  const double expected =
      mean_over_block_loads(double{kKeys}, blocks, [&](double load) { return load >= capacity ? 1.0 : 0.0; });
  EXPECT_GT(expected, 0.1);
  EXPECT_NEAR(static_cast<double>(filter.full_blocks(0)) / blocks, expected, 5 * binomial_deviation(expected, blocks));
  EXPECT_EQ(filter.full_blocks(filter.levels().size() - 1), 0U);
}

// Of the same rho: a line costs at most an eighth more than the optimum of a standard filter, a page next to nothing.
TEST(OverflowBlockedBloom, SpaceStaysNearThatOfAStandardFilter) {
  constexpr std::size_t kMany = 1000000;  // so that whole pages do not matter
  for (const double rho : {0.01, 0.001, 0.0001}) {
    const double optimum = -std::log2(rho) / std::log(2.0) * kMany / 8;
    for (const auto& [block, most] : {std::pair{"line", 1.13}, std::pair{"page", 1.02}}) {
      const OverflowBlockedBloom filter =
          made({{"block", block}, {"rho", std::to_string(rho)}, {"n_exp", std::to_string(kMany)}});
      const auto bytes = static_cast<double>(filter.footprint().storage_bytes);
      EXPECT_GT(bytes, optimum * 0.99);
      EXPECT_LT(bytes, optimum * most) << block << ", rho = " << rho;
    }
  }
}

TEST(OverflowBlockedBloom, LevelsGetSmallerAndTighter) {
  const auto filter = made({{"rho", "0.0001"}, {"n_exp", std::to_string(kKeys)}, {"levels", "8"}});
  const auto& levels = filter.levels();
  ASSERT_GE(levels.size(), 3U);
  for (std::size_t i = 1; i < levels.size(); ++i) {
    EXPECT_LT(levels[i].n_exp * 2, levels[i - 1].n_exp);
    EXPECT_LT(levels[i].sizes.blocks, levels[i - 1].sizes.blocks);
    EXPECT_GE(levels[i].k, levels[i - 1].k);
  }
  EXPECT_EQ(made({{"levels", "1"}}).levels().size(), 1U);
}

// Far beyond what was expected: every block of every level but the last is full.
TEST(OverflowBlockedBloom, HoldsWhatAnExactSetHoldsWhenAllBlocksAreFull) {
  for (const char* bytes : {"16", "64", "72", "4096"}) {
    for (const char* levels : {"1", "2", "3", "8"}) {
      for (const char* atomic : {"true", "false"}) {
        grow_against_an_exact_set(
            {"overflow_blocked_bloom",
             {{"block_bytes", bytes}, {"levels", levels}, {"atomic", atomic}, {"n_exp", "200"}, {"k", "12"}}},
            2000);
      }
    }
  }
  OverflowBlockedBloom filter = made({{"n_exp", "200"}, {"k", "12"}});
  filter.insert(0, random_keys(20000, 9));
  for (std::size_t i = 0; i + 1 < filter.levels().size(); ++i) {
    EXPECT_EQ(filter.full_blocks(i), filter.levels()[i].sizes.blocks) << i;
  }
}

TEST(OverflowBlockedBloom, RepeatedKeysTakeNoPlace) {
  OverflowBlockedBloom filter = made({{"n_exp", "1000"}});
  const std::vector<Key> keys = random_keys(10, 4);
  for (int i = 0; i < 500; ++i) filter.insert(0, keys);
  EXPECT_EQ(filter.full_blocks(0), 0U);
}

// A key whose block is not full costs one block, whether it is there or not.
TEST(OverflowBlockedBloom, OnlyKeysOfFullBlocksGoOn) {
  const auto structure = make_structure("overflow_blocked_bloom", Params({{"n_exp", "10000"}, {"rho", "0.0001"}}));
  const std::vector<Key> absent = random_keys(10000, 31);
  Matches out;
  structure->insert(0, random_keys(10, 30));
  EXPECT_EQ(structure->query(absent, out).bf_checks, absent.size());
  structure->insert(0, random_keys(10000, 32));
  const std::uint64_t checks = structure->query(absent, out).bf_checks;
  EXPECT_GT(checks, absent.size());
  EXPECT_LT(checks, absent.size() * 2);
}

TEST(OverflowBlockedBloom, RefusesWhatCannotBe) {
  expect_refused("overflow_blocked_bloom", {{"n_exp", "0"}}, "n_exp");
  expect_refused("overflow_blocked_bloom", {{"rho", "0"}}, "rho");
  expect_refused("overflow_blocked_bloom", {{"rho", "1"}}, "rho");
  expect_refused("overflow_blocked_bloom", {{"rho", "1e-30"}}, "rho");
  expect_refused("overflow_blocked_bloom", {{"k", "0"}}, "k");
  expect_refused("overflow_blocked_bloom", {{"k", "65"}}, "k");
  expect_refused("overflow_blocked_bloom", {{"ratio", "0"}}, "ratio");
  expect_refused("overflow_blocked_bloom", {{"ratio", "1"}}, "ratio");
  expect_refused("overflow_blocked_bloom", {{"levels", "0"}}, "levels");
  expect_refused("overflow_blocked_bloom", {{"block_bytes", "8"}}, "block_bytes");
  expect_refused("overflow_blocked_bloom", {{"block_bytes", "65"}}, "block_bytes");
  expect_refused("overflow_blocked_bloom", {{"block", "page"}, {"block_bytes", "64"}}, "block_bytes");
  expect_refused("overflow_blocked_bloom", {{"n_exp", "68719476736"}}, "n_exp");
}

}  // namespace
}  // namespace bloomery::test
