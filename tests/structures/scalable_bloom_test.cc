// The chain grows as it should, keeps its bound, and shows what rounding and double hashing do to it.
#include "structures/scalable_bloom.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/structures/rates.h"

namespace bloomery::test {
namespace {

struct Case {
  ParamMap params;
  std::size_t keys;
};

const std::vector<Case> kCases = {
    {{{"start", "512"}, {"k", "6"}}, 20000},
    {{{"start", "2048"}, {"k", "6"}}, 20000},
    {{{"start", "512"}, {"k", "5"}, {"extra", "0"}}, 30000},
    {{{"start", "100"}, {"k", "4"}, {"ratio", "0.7"}, {"rounding", "none"}}, 20000},
    {{{"start", "100"}, {"rho", "0.03"}, {"ratio", "0.6"}, {"rounding", "nearest"}}, 20000},
    {{{"start", "1000"}, {"k", "6"}, {"growth", "fixed"}, {"fraction", "0.5"}}, 8000},
    {{{"start", "512"}, {"k", "6"}, {"probes", "scaled"}}, 20000},
    {{{"start", "2048"}, {"k", "6"}, {"probes", "classic"}}, 20000},
};

constexpr std::size_t kQueries = 400000;

TEST(ScalableBloom, MeetsItsPosteriorAndItsBound) {
  for (const Case& one : kCases) {
    SCOPED_TRACE(name_of({"scalable_bloom", one.params}));
    Params params(one.params);
    ScalableBloom bloom(params);
    bloom.insert(0, random_keys(one.keys, 11));
    ASSERT_GT(bloom.links(), 2U);
    const double measured = measured_rate(bloom, kQueries);
    const double posterior = bloom.posterior_false_positive_rate();
    EXPECT_NEAR(measured, posterior, 5 * binomial_deviation(posterior, kQueries));
    // Not rounding k costs nothing; rounding to the nearest is off by at most half a hash function near the optimum.
    EXPECT_LE(measured, bloom.rate_bound() * 1.02 + 5 * binomial_deviation(bloom.rate_bound(), kQueries));
  }
}

// The first links at their capacity against the formula: 1 - prod (1 - p_i), each p_i = 2^-k_i.
TEST(ScalableBloom, FullLinksMeetTheory) {
  Params params({{"start", "1024"}, {"k", "4"}, {"extra", "0"}});
  ScalableBloom bloom(params);
  bloom.insert(0, random_keys(1024 * 15, 3));
  ASSERT_EQ(bloom.links(), 4U);
  double none = 1, variance = 0;
  for (int i = 0; i < 4; ++i) {
    const double k = 4 + i, n = std::ldexp(1024.0, i), m = std::ceil(n * k / std::log(2.0));
    none *= 1 - false_positive_rate(m, k, n);
    variance += std::pow(rate_deviation(m, k, n), 2);
  }
  const double sigma = std::sqrt(variance + std::pow(binomial_deviation(1 - none, kQueries), 2));
  EXPECT_NEAR(measured_rate(bloom, kQueries), 1 - none, 5 * sigma);
}

// What a small first link does under (H1 + i H2) mod m: steps of 0, m/2, m/3 ... leave a key one, two, three bits, a
// floor of about 1/m that more hash functions do not lower. Independent positions have no such floor.
TEST(ScalableBloom, ClassicDoubleHashingHasAFloorInSmallLinks) {
  constexpr std::size_t kMany = 4000000;
  double rates[2];
  for (const bool classic : {false, true}) {
    Params params({{"start", "512"}, {"k", "14"}, {"probes", classic ? "classic" : "independent"}});
    ScalableBloom bloom(params);
    bloom.insert(0, random_keys(100000, 5));
    rates[classic] = measured_rate(bloom, kMany);
  }
  const double standard = std::exp2(-14);
  EXPECT_LT(rates[0] + 5 * binomial_deviation(standard, kMany), standard);
  EXPECT_GT(rates[1] - 5 * binomial_deviation(standard, kMany), standard);
}

// The mean of `none` is the real k: between those of the two integers around it.
TEST(ScalableBloom, RoundingChangesTheHashFunctionsOnly) {
  double words[3];
  std::uint64_t storage[3];
  const char* roundings[] = {"floor", "none", "nearest"};
  const std::vector<Key> keys = random_keys(2000, 4);
  for (int i = 0; i < 3; ++i) {
    const auto structure = make_structure(
        "scalable_bloom", Params({{"rho", "0.009"}, {"extra", "0"}, {"rounding", roundings[i]}}));  // k = 6.796
    structure->insert(0, keys);
    Matches out;
    words[i] = static_cast<double>(structure->query(keys, out).words) / 2000;
    storage[i] = structure->footprint().storage_bytes;
  }
  EXPECT_EQ(words[0], 6);
  EXPECT_NEAR(words[1], -std::log2(0.009), 5 * std::sqrt(0.25 / 2000));
  EXPECT_EQ(words[2], 7);
  EXPECT_EQ(storage[0], storage[1]);
  EXPECT_EQ(storage[1], storage[2]);
}

// A start that matches X_S(n, c, k): k + 2 and c + 2 / ln 2; then k + 1 and c + 1 / ln 2 a link.
TEST(ScalableBloom, StorageIsTheExactBits) {
  const auto structure = make_structure("scalable_bloom", Params({{"start", "512"}, {"k", "7"}, {"c", "10"}}));
  std::uint64_t bytes = 0;
  for (int link = 0; link < 4; ++link) {
    const double c = 10 + (2 + link) / std::log(2.0);
    bytes += static_cast<std::uint64_t>(std::ceil(std::ceil(c * std::ldexp(512.0, link)) / 64)) * 8;
    structure->insert(0, random_keys(static_cast<std::size_t>(512) << link, static_cast<std::uint64_t>(link)));
    EXPECT_EQ(structure->footprint().nodes, static_cast<std::uint64_t>(link) + 1);
    EXPECT_EQ(structure->footprint().storage_bytes, bytes);
    EXPECT_GE(structure->footprint().memory_bytes, bytes);
  }
}

TEST(ScalableBloom, GrowsLikeAnExactSetInBatchesOfAnySize) {
  for (const char* growth : {"double", "fixed"}) {
    for (const char* most : {"1", "3", "64"}) {
      const Variant variant{"scalable_bloom", {{"start", "7"}, {"growth", growth}, {"most_links", most}, {"k", "9"}}};
      grow_against_an_exact_set(variant, 3000);
      EXPECT_LE(make_variant(variant)->footprint().nodes, std::stoul(most));
    }
  }
}

TEST(ScalableBloom, RefusesWhatCannotBe) {
  expect_refused("scalable_bloom", {{"start", "0"}}, "start");
  expect_refused("scalable_bloom", {{"rho", "0"}}, "rho");
  expect_refused("scalable_bloom", {{"rho", "1"}}, "rho");
  expect_refused("scalable_bloom", {{"rho", "1e-30"}}, "rho");
  expect_refused("scalable_bloom", {{"k", "0"}}, "k");
  expect_refused("scalable_bloom", {{"k", "65"}}, "k");
  expect_refused("scalable_bloom", {{"ratio", "1"}}, "ratio");
  expect_refused("scalable_bloom", {{"c", "0"}}, "c");
  expect_refused("scalable_bloom", {{"fraction", "0"}}, "fraction");
  expect_refused("scalable_bloom", {{"most_links", "65"}}, "most_links");
  expect_refused("scalable_bloom", {{"start", "68719476736"}, {"c", "9000"}}, "start");
}

}  // namespace
}  // namespace bloomery::test
