// The compressed filter meets the size and the rate that it was made for.
#include "structures/compressed_bloom.h"

#include <gtest/gtest.h>

#include "tests/structures/rates.h"

namespace bloomery::test {
namespace {

constexpr std::size_t kKeys = 50000, kQueries = 400000;

CompressedBloom filled(ParamMap params) {
  params.emplace("n_exp", std::to_string(kKeys));
  Params given(params);
  CompressedBloom filter(given);
  filter.insert(0, random_keys(kKeys, 11));
  return filter;
}

TEST(CompressedBloom, TakesTheBitsAKeyItWasMadeFor) {
  for (const char* c : {"3", "6", "8", "16"}) {
    const CompressedBloom filter = filled({{"c", c}});
    const double bits_a_key = static_cast<double>(filter.compressed_bits()) / kKeys;
    EXPECT_NEAR(bits_a_key, std::stod(c), std::stod(c) * 0.01) << c;
    EXPECT_GE(filter.size_in_bits(), filter.compressed_bits());
  }
}

TEST(CompressedBloom, HasTheRateItWasMadeFor) {
  for (const char* k : {"1", "2", "3"}) {
    for (double rho : {0.1, 0.01}) {
      const CompressedBloom filter = filled({{"rho", std::to_string(rho)}, {"k", k}});
      const double sigma = std::hypot(binomial_deviation(rho, kQueries),
                                      rate_deviation(static_cast<double>(filter.size_in_bits()), std::stod(k), kKeys));
      EXPECT_NEAR(measured_rate(filter, kQueries), rho, 5 * sigma) << k;
    }
  }
}

// Mitzenmacher's point: sent at 8 bits a key, few hash functions in a large array beat the best plain filter of 8 bits.
TEST(CompressedBloom, BeatsAPlainFilterOfTheSizeThatIsSent) {
  const CompressedBloom filter = filled({{"c", "8"}});
  const double plain = false_positive_rate(8, static_cast<double>(best_hashes(8)), 1);
  EXPECT_LT(measured_rate(filter, kQueries) + 5 * binomial_deviation(plain, kQueries), plain);
}

TEST(CompressedBloom, UnitesAndIntersects) {
  CompressedBloom one = filled({}), other = filled({});
  const std::vector<Key> more = random_keys(1000, 5);
  other.insert(0, more);
  one.union_with(other);
  EXPECT_EQ(one.save(), other.save());
  one.insert(0, random_keys(1000, 6));
  one.intersect_with(other);
  Matches out;
  one.query<false>(more, out);
  EXPECT_EQ(out.size(), more.size());
}

TEST(CompressedBloom, RefusesWhatCannotBe) {
  expect_refused("compressed_bloom", {{"c", "2.8"}}, "c");
  expect_refused("compressed_bloom", {{"c", "8"}, {"rho", "0.5"}}, "c");
  expect_refused("compressed_bloom", {{"c", "8"}, {"m", "1000"}}, "c");
  expect_refused("compressed_bloom", {{"c", "2000"}}, "c");
  expect_refused("compressed_bloom", {{"rho", "1e-30"}}, "rho");
  expect_refused("compressed_bloom", {{"n_exp", "68719476736"}}, "n_exp");
  expect_refused("compressed_bloom", {{"k", "0"}}, "k");
  expect_refused("compressed_bloom", {{"m", "0"}}, "m");
}

}  // namespace
}  // namespace bloomery::test
