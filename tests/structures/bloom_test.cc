// The standard filter: its sizes, its algebra, its halves and its rate.
#include "structures/bloom.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/structures/rates.h"

namespace bloomery::test {
namespace {

const std::vector<const char*> kHashes = {"double", "multiplicative", "modulo"};

Bloom make_bloom(ParamMap values) {
  Params params(std::move(values));
  return Bloom(params);
}

Bloom filter_of(const ParamMap& shape, Keys keys) {
  Bloom bloom = make_bloom(shape);
  bloom.insert(0, keys);
  return bloom;
}

std::vector<Word> bits_of(const Bloom& bloom) { return {bloom.view().begin(), bloom.view().end()}; }

std::vector<Match> answers(const Bloom& bloom, Keys keys) {
  Matches out;
  bloom.query<true>(keys, out);
  return sorted(out);
}

std::size_t words_read_by_a_hit(const ParamMap& shape) {
  const std::vector<Key> key = {7};
  Matches out;
  return filter_of(shape, key).query<true>(key, out).words;
}

// --- sizes -----------------------------------------------------------------------------------------------------------

struct Sized {
  ParamMap params;
  std::uint64_t m, k;
};

TEST(Bloom, IsAsLargeAsAsked) {
  const std::vector<Sized> cases = {
      {{{"m", "1"}, {"k", "1"}}, 1, 1},
      {{{"m", "1000"}, {"k", "64"}}, 1000, 64},
      {{{"m", "100992"}, {"k", "7"}}, 100992, 7},
      {{{"n_exp", "10000"}, {"rho", "0.01"}}, 100992, 7},  // ceil(7 / ln 2 * 10000), in whole words
      {{{"n_exp", "1"}, {"rho", "0.5"}}, 64, 1},
      {{{"n_exp", "1000"}, {"rho", "0.001"}}, 14464, 10},
      {{{"n_exp", "1000"}, {"c", "10"}, {"k", "7"}}, 10048, 7},
      {{{"n_exp", "1000"}, {"c", "20"}, {"k", "3"}}, 20032, 3},
      {{{"n_exp", "640"}, {"c", "12.5"}}, 8000, 9},  // the best k for c: 12.5 ln 2 = 8.66
      {{{"n_exp", "1000"}, {"k", "10"}}, 14464, 10},
  };
  for (const auto& [params, m, k] : cases) {
    SCOPED_TRACE(name_of({"bloom", params}));
    const Bloom bloom = make_bloom(params);
    EXPECT_EQ(bloom.size_in_bits(), m);
    EXPECT_EQ(bloom.view().size(), (m + 63) / 64);
    EXPECT_EQ(bloom.footprint().storage_bytes, (m + 63) / 64 * 8);
    EXPECT_EQ(words_read_by_a_hit(params), k);
  }
}

TEST(Bloom, SetsNoBitPastItsLast) {
  for (const char* hash : kHashes) {
    for (const char* m : {"1", "63", "64", "65", "1001"}) {
      Bloom bloom = filter_of({{"m", m}, {"k", "5"}, {"hash", hash}}, random_keys(2000, 1));
      EXPECT_EQ(bloom.validate(), "") << hash << ", m " << m;
    }
  }
}

TEST(Bloom, RefusesWhatCannotBe) {
  expect_refused("bloom", {{"m", "0"}}, "m");
  expect_refused("bloom", {{"k", "0"}}, "k");
  expect_refused("bloom", {{"k", "65"}}, "k");
  expect_refused("bloom", {{"rho", "1"}}, "rho");
  expect_refused("bloom", {{"rho", "1e-30"}}, "rho");
  expect_refused("bloom", {{"n_exp", "0"}}, "n_exp");
  expect_refused("bloom", {{"c", "0"}}, "c");
  expect_refused("bloom", {{"c", "5"}, {"rho", "0.001"}}, "c");
  expect_refused("bloom", {{"c", "10"}, {"n_exp", "1000"}, {"m", "5000"}}, "c");
  expect_refused("bloom", {{"hash", "multiplicative"}, {"m", "2147483648"}}, "hash");
}

// --- union and intersection ------------------------------------------------------------------------------------------

struct Overlap {
  std::vector<Key> left = random_keys(400, 1), right = random_keys(300, 2), both = random_keys(100, 3), all;

  Overlap() {
    left.insert(left.end(), both.begin(), both.end());
    right.insert(right.end(), both.begin(), both.end());
    all = left;
    all.insert(all.end(), right.begin(), right.end());
  }
};

TEST(Bloom, TheUnionIsTheFilterOfTheUnion) {
  const Overlap sets;
  for (const char* hash : kHashes) {
    for (const char* m : {"64", "1001", "8192"}) {
      const ParamMap shape = {{"m", m}, {"k", "4"}, {"hash", hash}, {"seed", "5"}};
      Bloom bloom = filter_of(shape, sets.left);
      bloom.union_with(filter_of(shape, sets.right));
      EXPECT_EQ(bits_of(bloom), bits_of(filter_of(shape, sets.all))) << hash << ", m " << m;
      EXPECT_EQ(bloom.validate(), "");
    }
  }
}

// It answers yes to the keys of both and to all that the filter of the intersection does, and to nothing that one of
// the two filters does not.
TEST(Bloom, TheIntersectionHoldsTheIntersection) {
  const Overlap sets;
  const std::vector<Key> probes = random_keys(20000, 9);
  for (const char* hash : kHashes) {
    const ParamMap shape = {{"m", "5003"}, {"k", "4"}, {"hash", hash}};
    const Bloom left = filter_of(shape, sets.left), right = filter_of(shape, sets.right);
    Bloom bloom = filter_of(shape, sets.left);
    bloom.intersect_with(right);
    EXPECT_EQ(answers(bloom, sets.both).size(), sets.both.size());
    const std::vector<Match> answer = answers(bloom, probes);
    EXPECT_TRUE(contains_all(answer, answers(filter_of(shape, sets.both), probes)));
    EXPECT_TRUE(contains_all(answers(left, probes), answer));
    EXPECT_TRUE(contains_all(answers(right, probes), answer));
    EXPECT_EQ(bloom.validate(), "");
  }
}

TEST(Bloom, OnlyFiltersOfOneShapeAreCombined) {
  const ParamMap shape = {{"m", "1000"}, {"k", "4"}};
  Bloom bloom = filter_of(shape, random_keys(50, 1));
  const std::vector<Word> before = bits_of(bloom);
  for (const auto& [name, value, blamed] :
       {std::tuple{"m", "1001", "m"}, {"k", "5", "k"}, {"hash", "modulo", "hash"}, {"seed", "2", "hash"}}) {
    ParamMap other = shape;
    other[name] = value;
    const Bloom stranger = filter_of(other, random_keys(50, 2));
    const auto expect_blamed = [&](auto combine) {
      try {
        combine();
        ADD_FAILURE() << "combined with another " << name;
      } catch (const ParamError& error) {
        EXPECT_EQ(error.name(), blamed);
      }
    };
    expect_blamed([&] { bloom.union_with(stranger); });
    expect_blamed([&] { bloom.intersect_with(stranger); });
    EXPECT_EQ(bits_of(bloom), before);
  }
}

// --- halving ---------------------------------------------------------------------------------------------------------

TEST(Bloom, HalvedItIsTheFilterOfHalfTheBits) {
  const std::vector<Key> keys = random_keys(300, 1), later = random_keys(100, 2);
  for (const char* hash : kHashes) {
    for (const std::uint64_t half : {1, 31, 32, 33, 63, 64, 65, 500, 4096}) {
      SCOPED_TRACE(std::string(hash) + ", half " + std::to_string(half));
      const auto shape = [&](std::uint64_t m) -> ParamMap {
        return {{"m", std::to_string(m)}, {"k", "3"}, {"hash", hash}, {"seed", "4"}};
      };
      Bloom bloom = filter_of(shape(2 * half), keys), small = filter_of(shape(half), keys);
      bloom.halve();
      EXPECT_EQ(bloom.size_in_bits(), half);
      EXPECT_EQ(bits_of(bloom), bits_of(small));
      EXPECT_EQ(bloom.validate(), "");
      bloom.insert(0, later);
      small.insert(0, later);
      EXPECT_EQ(bits_of(bloom), bits_of(small)) << "it does not go on as a filter of half the bits";
      bloom.union_with(small);
      EXPECT_EQ(answers(bloom, keys).size(), keys.size());
    }
  }
}

TEST(Bloom, HalvesAgainAndAgainUntilTheSizeIsOdd) {
  for (const char* hash : kHashes) {
    const ParamMap small = {{"m", "125"}, {"k", "2"}, {"hash", hash}};
    const std::vector<Key> keys = random_keys(20, 1);
    Bloom bloom = filter_of({{"m", "1000"}, {"k", "2"}, {"hash", hash}}, keys);
    for (int i = 0; i < 3; ++i) bloom.halve();
    EXPECT_EQ(bits_of(bloom), bits_of(filter_of(small, keys)));
    EXPECT_THROW(bloom.halve(), ParamError);
    EXPECT_EQ(bits_of(bloom), bits_of(filter_of(small, keys)));
  }
}

// --- rates -----------------------------------------------------------------------------------------------------------

// At n_exp keys a filter has the rate that it was asked for, or less: k is rounded up and m follows it.
TEST(Bloom, KeepsTheRateItWasMadeFor) {
  constexpr std::size_t kQueries = 400000, kKeys = 5000;
  for (const double rho : {0.2, 0.05, 0.01, 0.002}) {
    const Bloom bloom =
        filter_of({{"n_exp", std::to_string(kKeys)}, {"rho", std::to_string(rho)}}, random_keys(kKeys, 1));
    const double measured = measured_rate(bloom, kQueries), posterior = bloom.posterior_false_positive_rate();
    EXPECT_NEAR(measured, posterior, 5 * binomial_deviation(posterior, kQueries)) << "rho " << rho;
    const auto m = static_cast<double>(bloom.size_in_bits()), k = std::ceil(-std::log2(rho));
    const double sigma = rate_deviation(m, k, kKeys);
    EXPECT_NEAR(posterior, false_positive_rate(m, k, kKeys), 5 * sigma) << "rho " << rho;
    EXPECT_LE(posterior, rho + 5 * sigma);
  }
}

// However it came to its bits, they are those of 800 keys in so many bits.
TEST(Bloom, ThePosteriorFollowsUnionAndHalving) {
  constexpr std::size_t kQueries = 400000;
  const Overlap sets;
  const ParamMap shape = {{"m", "16384"}, {"k", "5"}};
  Bloom bloom = filter_of(shape, sets.left);
  bloom.union_with(filter_of(shape, sets.right));
  for (int halvings = 0; halvings < 3; ++halvings) {
    const double posterior = bloom.posterior_false_positive_rate();
    EXPECT_NEAR(measured_rate(bloom, kQueries), posterior, 5 * binomial_deviation(posterior, kQueries));
    const double m = std::ldexp(16384.0, -halvings);
    EXPECT_NEAR(posterior, false_positive_rate(m, 5, 800), 5 * rate_deviation(m, 5, 800));
    bloom.halve();
  }
}

}  // namespace
}  // namespace bloomery::test
