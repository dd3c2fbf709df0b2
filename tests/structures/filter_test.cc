// Hash functions, and the false positive rates that follow from them.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "structures/bloom.h"
#include "structures/hash.h"
#include "structures/theory.h"
#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

std::vector<std::uint64_t> positions(const Hasher& hasher, Keys keys) {
  std::vector<std::uint64_t> result(keys.size() * hasher.k());
  hasher.positions(keys.data(), keys.size(), result.data());
  return result;
}

// Small, sequential, high and random keys.
std::vector<Key> assorted_keys() {
  std::vector<Key> keys = random_keys(2000, 1);
  for (Key low = 0; low < 500; ++low) {
    keys.push_back(low);
    keys.push_back((Key{1} << 31) - 250 + low);
    keys.push_back(~low);
  }
  return keys;
}

const std::vector<std::uint64_t> kSizes = {
    1, 2, 3, 7, 8, 63, 64, 65, 1000, 100992, 100003, 1 << 20, (1 << 20) + 7, (1ULL << 31) - 1};

// --- hash functions --------------------------------------------------------------------------------------------------

TEST(Hash, PositionsAreWithinTheFilter) {
  const std::vector<Key> keys = assorted_keys();
  for (HashKind kind : {HashKind::kMultiplicative, HashKind::kDouble, HashKind::kModulo}) {
    for (std::uint64_t m : kSizes) {
      for (std::uint64_t k : {1, 7, 64}) {
        const auto all = positions(Hasher(kind, m, k, 1), keys);
        ASSERT_LT(std::ranges::max(all), m);
      }
    }
  }
  for (std::uint64_t m : {1ULL << 31, 1ULL << 40, (1ULL << 40) - 1}) {
    const auto all = positions(Hasher(HashKind::kDouble, m, 7, 1), keys);
    EXPECT_LT(std::ranges::max(all), m);
    EXPECT_GT(std::ranges::max(all), m / 10 * 9) << "the end of a large filter is never reached";
  }
}

// With m = 2^31 the last modulo does nothing, so key 1 gives the multipliers away; they do not depend on m.
TEST(Hash, MultiplicativeIsATimesXMod2To31ModM) {
  constexpr std::uint64_t kHashes = 7, kWide = 1ULL << 31;
  const std::vector<Key> one = {1}, keys = assorted_keys();
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed : {0, 1, 2, 99}) {
    const auto a = positions(Hasher(HashKind::kMultiplicative, kWide, kHashes, seed), one);
    for (std::uint64_t multiplier : a) {
      EXPECT_EQ(multiplier % 2, 1U);
      EXPECT_TRUE(seen.insert(multiplier).second) << "drawn twice";
    }
    for (std::uint64_t m : kSizes) {
      const auto all = positions(Hasher(HashKind::kMultiplicative, m, kHashes, seed), keys);
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(all[i], (a[i % kHashes] * (keys[i / kHashes] % kWide)) % kWide % m) << "m " << m;
      }
    }
  }
}

TEST(Hash, ModuloIsTheWorkedExamples) {
  const std::vector<Key> keys = {0, 4, 7, 8, 12, ~Key{0}};
  EXPECT_EQ(positions(Hasher(HashKind::kModulo, 8, 1, 1), keys), (std::vector<std::uint64_t>{0, 4, 7, 0, 4, 7}));
}

TEST(Hash, DependsOnTheSeedAndOnNothingElse) {
  const std::vector<Key> keys = assorted_keys();
  for (HashKind kind : {HashKind::kMultiplicative, HashKind::kDouble}) {
    const auto all = positions(Hasher(kind, 10007, 5, 1), keys);
    EXPECT_EQ(positions(Hasher(kind, 10007, 5, 1), keys), all);
    EXPECT_NE(positions(Hasher(kind, 10007, 5, 2), keys), all);
  }
}

// Sequential keys are the hardest for a weak hash. Chi squared over the positions: its mean is the degrees of freedom
// and its variance twice that; the positions of one key are not independent of each other, but k of them hardly matter.
TEST(Hash, DoubleHashingSpreadsSequentialKeysEvenly) {
  std::vector<Key> keys(40000);
  std::iota(keys.begin(), keys.end(), Key{0});
  for (std::uint64_t m : {64, 1000, 1024, 4099}) {
    for (std::uint64_t k : {1, 2, 7}) {
      std::vector<double> hits(m);
      for (std::uint64_t p : positions(Hasher(HashKind::kDouble, m, k, 3), keys)) ++hits[p];
      const double expected = static_cast<double>(keys.size() * k) / static_cast<double>(m);
      double chi_squared = 0;
      for (double h : hits) chi_squared += (h - expected) * (h - expected) / expected;
      const auto freedom = static_cast<double>(m - 1);
      EXPECT_NEAR(chi_squared, freedom, 6 * std::sqrt(2 * freedom)) << "m " << m << ", k " << k;
    }
  }
}

TEST(Hash, DoubleHashingGivesAKeyDifferentPositions) {
  constexpr std::uint64_t kSize = 100003, kHashes = 7;
  const auto all = positions(Hasher(HashKind::kDouble, kSize, kHashes, 1), assorted_keys());
  std::size_t repeated = 0;
  const std::size_t keys = all.size() / kHashes;
  for (std::size_t i = 0; i < keys; ++i) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(i * kHashes);
    repeated += std::set<std::uint64_t>(first, first + kHashes).size() < kHashes;
  }
  // By chance about 21 pairs / 100003 of the keys repeat a position: 0.7 of 3500. Poisson, far in the tail.
  EXPECT_LE(repeated, 12U);
}

// --- false positive rates --------------------------------------------------------------------------------------------

struct Load {
  std::uint64_t m, k, n;
};

const std::vector<Load> kLoads = {{100992, 7, 10000}, {16384, 4, 2500},  {20011, 3, 5000}, {50000, 1, 5000},
                                  {9600, 7, 1000},    {40000, 10, 2000}, {8192, 2, 8192}};

constexpr std::size_t kQueries = 200000;

double expected_rate(const Load& load) {
  return false_positive_rate(static_cast<double>(load.m), static_cast<double>(load.k), static_cast<double>(load.n));
}

// The share of bits set after kn throws into m bits varies around 1 - e^-c, c = kn/m, with variance
// e^-c (1 - (1 + c) e^-c) / m (occupancy); the rate is its k-th power, so its deviation is k rate / fill as large.
double rate_deviation(const Load& load) {
  const auto m = static_cast<double>(load.m), k = static_cast<double>(load.k);
  const double c = k * static_cast<double>(load.n) / m, empty = std::exp(-c);
  return k * expected_rate(load) / (1 - empty) * std::sqrt(empty * (1 - (1 + c) * empty) / m);
}

double binomial_deviation(double rate, double trials) { return std::sqrt(rate * (1 - rate) / trials); }

ParamMap params_of(const Load& load) {
  return {{"m", std::to_string(load.m)}, {"k", std::to_string(load.k)}, {"hash", "double"}};
}

// Random 64-bit keys: that one is both inserted and asked for has a chance below 1e-9.
TEST(FalsePositives, BloomMeetsTheory) {
  for (const Load& load : kLoads) {
    SCOPED_TRACE("m " + std::to_string(load.m) + ", k " + std::to_string(load.k));
    Params params(params_of(load));
    Bloom bloom(params);
    bloom.insert(0, random_keys(load.n, 11));
    const std::vector<Key> keys = random_keys(kQueries, 12);
    Matches out;
    bloom.query<false>(keys, out);
    const double measured = static_cast<double>(out.size()) / kQueries;
    // Given the bits that this filter has set, only the queries are left to chance.
    const double posterior = bloom.posterior_false_positive_rate();
    EXPECT_NEAR(measured, posterior, 5 * binomial_deviation(posterior, kQueries));
    EXPECT_NEAR(posterior, expected_rate(load), 5 * rate_deviation(load));
  }
}

// The same rate for each of the sets of an index. A key asks the same bits of every filter, and the filters are filled
// independently of each other, so that the answers for different sets are independent trials (but for the rare keys
// whose positions coincide).
TEST(FalsePositives, IndexesMeetTheory) {
  constexpr std::size_t kSets = 70, kKeys = 20000;
  for (const Load& load : {Load{9600, 7, 1000}, Load{8192, 4, 1500}}) {
    KeyLists sets(kSets);
    for (std::size_t i = 0; i < kSets; ++i) sets[i] = random_keys(load.n, 100 + i);
    const std::vector<Key> keys = random_keys(kKeys, 12);
    const double rate = expected_rate(load);
    const double sigma = std::hypot(binomial_deviation(rate, kSets * kKeys), rate_deviation(load) / std::sqrt(kSets));
    for (const Variant& variant : {Variant{"naive", {}}, Variant{"flat_bloofi", {{"layout", "words"}}},
                                   Variant{"flat_bloofi", {{"layout", "rows"}}}, Variant{"bloofi", {}}}) {
      const auto structure = make_variant(with(variant, params_of(load)));
      build(*structure, sets);
      EXPECT_NEAR(static_cast<double>(query(*structure, keys).size()) / (kSets * kKeys), rate, 5 * sigma) << variant;
    }
  }
}

// Empty and full filters are the ends of the formula.
TEST(FalsePositives, NoneWhenEmptyAllWhenFull) {
  Params params({{"m", "64"}, {"k", "3"}});
  Bloom bloom(params);
  EXPECT_EQ(bloom.posterior_false_positive_rate(), 0);
  bloom.insert(0, random_keys(2000, 1));
  EXPECT_EQ(bloom.posterior_false_positive_rate(), 1);
  const std::vector<Key> keys = random_keys(100, 2);
  Matches out;
  bloom.query<false>(keys, out);
  EXPECT_EQ(out.size(), keys.size());
}

}  // namespace
}  // namespace bloomery::test
