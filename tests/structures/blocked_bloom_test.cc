// Rates against theory for blocks of a line, a page and other sizes; balanced blocks; sizes; the vector kernel.
#include "structures/blocked_bloom.h"

#include <gtest/gtest.h>

#include <numeric>

#include "structures/block_kernels.h"
#include "tests/structures/rates.h"

namespace bloomery::test {
namespace {

constexpr std::size_t kQueries = 1000000, kFilters = 16;

std::vector<Key> consecutive_keys(std::size_t count) {
  std::vector<Key> keys(count);
  std::iota(keys.begin(), keys.end(), Key{1000});
  return keys;
}

BlockedBloom made(const ParamMap& given) {
  Params params(given);
  return BlockedBloom(params);
}

template <std::size_t kRounds, unsigned kHeadBits>
void expect_vectors_equal_portable(std::uint32_t k) {
  SCOPED_TRACE(k);
  const LineBlock<kRounds, kHeadBits> kernel(k);
  alignas(64) std::array<Word, 8> block{};
  std::mt19937_64 random(k);
  int hits = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t hash = random();
    if (i % 100 == 0) kernel.merge(AtomicBits{}, block.data(), hash);
    ASSERT_EQ(kernel.mask(hash), kernel.portable_mask(hash));
    ASSERT_EQ(kernel.test(block.data(), hash), kernel.portable_test(block.data(), hash));
    hits += kernel.test(block.data(), hash);
  }
  EXPECT_GT(hits, 0);
  EXPECT_EQ(block[0] & ((Word{1} << kHeadBits) - 1), 0U) << "a bit of the head is set";
}

TEST(LineBlock, VectorsEqualPortable) {
  for (std::uint32_t k : {1, 2, 7, 8}) expect_vectors_equal_portable<1, 0>(k);
  for (std::uint32_t k : {9, 13, 16}) expect_vectors_equal_portable<2, 0>(k);
  for (std::uint32_t k : {17, 32}) expect_vectors_equal_portable<4, 0>(k);
  for (std::uint32_t k : {33, 64}) expect_vectors_equal_portable<8, 0>(k);
  for (std::uint32_t k : {1, 8}) expect_vectors_equal_portable<1, 8>(k);
  for (std::uint32_t k : {9, 16}) expect_vectors_equal_portable<2, 8>(k);
}

// Chi-square of the 512 positions: mean 511, deviation sqrt(2 x 511). The k positions of a key differ as often as
// independent ones do: the bits of a mask, 512 (1 - (1 - 1/512)^k) on average.
TEST(LineBlock, PositionsAreUniformAndIndependent) {
  constexpr std::uint32_t kHashes = 16;
  constexpr int kKeys = 100000;
  const LineBlock<2> kernel(kHashes);
  std::mt19937_64 random(3);
  std::vector<double> counts(512);
  double ones = 0;
  for (int i = 0; i < kKeys; ++i) {
    const auto mask = kernel.mask(random());
    for (std::size_t p = 0; p < 512; ++p) counts[p] += static_cast<double>(mask[p / 64] >> (p % 64) & 1);
  }
  for (double count : counts) ones += count;
  const double share = 1 - std::pow(1 - 1.0 / 512, kHashes);
  double chi_square = 0;
  for (double count : counts) chi_square += std::pow(count - ones / 512, 2) / (ones / 512);
  EXPECT_NEAR(chi_square, 511, 5 * std::sqrt(2 * 511.0));
  EXPECT_NEAR(ones / kKeys, 512 * share, 5 * 0.5 / std::sqrt(kKeys));  // the bits of a mask vary by less than a half
}

// Exact for the very filter, so that only the queries are left to chance.
TEST(BlockedBloom, MeetsItsPosterior) {
  for (const char* bytes : {"8", "24", "64", "128", "4096", "65536", "1048576"}) {
    for (const char* k : {"1", "4", "7", "13"}) {
      SCOPED_TRACE(std::string(bytes) + " bytes, k = " + k);
      BlockedBloom filter = made({{"block_bytes", bytes}, {"k", k}, {"n_exp", "100000"}, {"c", "10"}});
      filter.insert(0, random_keys(100000, 5));
      const double posterior = filter.posterior_false_positive_rate();
      EXPECT_NEAR(measured_rate(filter, kQueries), posterior, 5 * binomial_deviation(posterior, kQueries));
    }
  }
}

struct Case {
  ParamMap params;
  std::size_t keys;
};

// The mean rate of filters that differ in their seed, within five deviations of that mean.
TEST(BlockedBloom, PosteriorsMeetTheory) {
  const std::vector<Case> cases = {
      {{{"c", "10"}, {"k", "7"}}, 20000},
      {{{"c", "20"}, {"k", "13"}}, 20000},
      {{{"c", "10"}, {"k", "7"}, {"block", "page"}}, 100000},
      {{{"c", "20"}, {"k", "13"}, {"block", "page"}}, 100000},
      {{{"c", "12"}, {"k", "5"}, {"block_bytes", "200"}}, 20000},
      {{{"c", "10"}, {"k", "7"}, {"balanced", "true"}}, 20000},
      {{{"c", "20"}, {"k", "13"}, {"balanced", "true"}, {"block", "page"}}, 100000},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(name_of({"blocked_bloom", one.params}));
    ParamMap params = one.params;
    params["n_exp"] = std::to_string(one.keys);
    double sum = 0, squares = 0, expected = 0;
    for (std::size_t seed = 0; seed < kFilters; ++seed) {
      params["seed"] = std::to_string(seed);
      BlockedBloom filter = made(params);
      filter.insert(0, consecutive_keys(one.keys));
      const double rate = filter.posterior_false_positive_rate();
      sum += rate;
      squares += rate * rate;
      expected = filter.expected_false_positive_rate(one.keys);
    }
    const double mean = sum / kFilters, variance = squares / kFilters - mean * mean;
    // Theory keeps the second order of the fill's variance; what it leaves out is less than half a percent.
    EXPECT_NEAR(mean, expected, 5 * std::sqrt(variance / (kFilters - 1)) + 0.005 * expected);
  }
}

TEST(BlockedBloom, KeepsTheRateWanted) {
  for (const char* block : {"line", "page"}) {
    for (const char* rho : {"0.2", "0.01", "0.001"}) {
      SCOPED_TRACE(std::string(block) + ", rho = " + rho);
      BlockedBloom filter = made({{"block", block}, {"rho", rho}, {"n_exp", "100000"}});
      const double wanted = std::stod(rho), expected = filter.expected_false_positive_rate(100000);
      EXPECT_LE(expected, wanted);
      EXPECT_LE(filter.hashes(), hashes_for_rate(wanted));
      filter.insert(0, random_keys(100000, 6));
      const double sigma = std::hypot(binomial_deviation(expected, kQueries),
                                      expected / std::sqrt(static_cast<double>(filter.sizes().blocks)));
      EXPECT_NEAR(measured_rate(filter, kQueries), expected, 5 * sigma);
    }
  }
}

TEST(BlockedBloom, SizesFollowWhatIsGiven) {
  EXPECT_EQ(made({{"m", "5121"}, {"k", "3"}}).sizes().blocks, 11U);
  EXPECT_EQ(made({{"n_exp", "1000"}, {"c", "16"}}).sizes().blocks, 32U);  // 16000 bits in blocks of 512
  EXPECT_EQ(made({{"n_exp", "1000"}, {"c", "16"}}).hashes(), 11U);
  EXPECT_EQ(made({{"n_exp", "1000"}, {"k", "7"}}).sizes().blocks, 20U);  // 7 / ln 2 bits a key, as a standard filter
  EXPECT_EQ(made({{"m", "1"}, {"block", "page"}}).footprint().storage_bytes, 4096U);
  EXPECT_EQ(made({{"m", "1"}, {"block_bytes", "8"}}).footprint().storage_bytes, 8U);
  // Where all that is wanted is the rate, fewer hash functions and more bits than a standard filter's.
  const BlockedBloom by_rate = made({{"n_exp", "100000"}, {"rho", "0.0001"}});
  EXPECT_LT(by_rate.hashes(), hashes_for_rate(0.0001));
  EXPECT_GT(by_rate.sizes().bytes() * 8, bits_for(hashes_for_rate(0.0001), 100000));
}

TEST(BlockedBloom, LoadsAreBinomialOrBalanced) {
  const std::vector<Key> keys = consecutive_keys(40000);
  const BlockLoads by_chance = made({{"m", "512000"}}).loads(keys);  // 1000 blocks
  EXPECT_EQ(by_chance.mean, 40);
  EXPECT_LT(by_chance.least, 30U);  // the least of 1000 is over 1.6 deviations of sqrt(40) away, all but certainly
  EXPECT_GT(by_chance.most, 50U);
  EXPECT_GT(by_chance.least, 2U);
  EXPECT_LT(by_chance.most, 90U);
  const BlockLoads balanced = made({{"m", "512000"}, {"balanced", "true"}}).loads(keys);
  EXPECT_EQ(balanced.least, 40U);
  EXPECT_EQ(balanced.most, 40U);
}

TEST(BlockedBloom, BalancedBlocksAreBetterThanTheOthersAtTheSameSize) {
  double rates[2];
  for (const bool balanced : {false, true}) {
    BlockedBloom filter =
        made({{"n_exp", "100000"}, {"c", "20"}, {"k", "13"}, {"balanced", balanced ? "true" : "false"}});
    filter.insert(0, consecutive_keys(100000));
    rates[balanced] = filter.posterior_false_positive_rate();
  }
  EXPECT_LT(rates[1], rates[0] / 2);
}

TEST(BlockedBloom, HoldsWhatAnExactSetHolds) {
  for (const char* bytes : {"8", "64", "72", "4096"}) {
    for (const char* balanced : {"false", "true"}) {
      for (const char* k : {"1", "8", "9", "33", "64"}) {
        grow_against_an_exact_set(
            {"blocked_bloom", {{"block_bytes", bytes}, {"balanced", balanced}, {"k", k}, {"n_exp", "300"}}}, 1000);
      }
    }
  }
}

TEST(BlockedBloom, AtomicAndSerialGiveTheSameFilter) {
  const std::vector<Key> keys = random_keys(5000, 7), probes = random_keys(50000, 8);
  for (const char* block : {"line", "page"}) {
    std::vector<Match> answers[2];
    for (const bool atomic : {false, true}) {
      const auto filter = make_variant(
          {"blocked_bloom", {{"block", block}, {"n_exp", "2500"}, {"atomic", atomic ? "true" : "false"}}});
      filter->insert(0, keys);
      answers[atomic] = query(*filter, probes);
    }
    EXPECT_EQ(answers[0], answers[1]);
    EXPECT_FALSE(answers[0].empty());
  }
}

TEST(BlockedBloom, RefusesWhatCannotBe) {
  expect_refused("blocked_bloom", {{"n_exp", "0"}}, "n_exp");
  expect_refused("blocked_bloom", {{"rho", "0"}}, "rho");
  expect_refused("blocked_bloom", {{"rho", "1"}}, "rho");
  expect_refused("blocked_bloom", {{"rho", "1e-30"}}, "rho");
  expect_refused("blocked_bloom", {{"k", "0"}}, "k");
  expect_refused("blocked_bloom", {{"k", "65"}}, "k");
  expect_refused("blocked_bloom", {{"c", "0"}}, "c");
  expect_refused("blocked_bloom", {{"c", "9.65"}, {"rho", "0.01"}}, "c");  // enough for a standard filter only
  expect_refused("blocked_bloom", {{"block_bytes", "4"}}, "block_bytes");
  expect_refused("blocked_bloom", {{"block_bytes", "12"}}, "block_bytes");
  expect_refused("blocked_bloom", {{"block_bytes", "2097152"}}, "block_bytes");
  expect_refused("blocked_bloom", {{"block", "page"}, {"block_bytes", "64"}}, "block_bytes");
  expect_refused("blocked_bloom", {{"block", "word"}}, "block");
  expect_refused("blocked_bloom", {{"m", "1000000000000"}}, "m");
  expect_refused("blocked_bloom", {{"n_exp", "68719476736"}}, "n_exp");
  expect_refused("blocked_bloom", {{"n_exp", "68719476736"}, {"c", "12"}}, "c");
}

}  // namespace
}  // namespace bloomery::test
