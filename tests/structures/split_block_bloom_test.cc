// The vector kernels give the bits of the portable ones, and the rate is the one that theory says.
#include "structures/split_block_bloom.h"

#include <gtest/gtest.h>

#include "structures/split_block.h"
#include "tests/structures/rates.h"

namespace bloomery::test {
namespace {

constexpr std::size_t kQueries = 1000000;

template <std::size_t kLanes>
void expect_vectors_equal_portable() {
  using Block = SplitBlock<kLanes>;
  alignas(64) typename Block::Mask block{};
  std::mt19937_64 random(kLanes);
  int hits = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto hash = static_cast<std::uint32_t>(random());
    if (i % 1000 == 0) merge_mask<AtomicBits>(block.data(), Block::mask(hash));
    ASSERT_EQ(Block::mask(hash), Block::portable_mask(hash));
    ASSERT_EQ(Block::test(block.data(), hash), Block::portable_test(block.data(), hash));
    hits += Block::test(block.data(), hash);
  }
  EXPECT_GT(hits, 0);
}

TEST(SplitBlock, VectorsEqualPortable) {
  expect_vectors_equal_portable<8>();
  expect_vectors_equal_portable<16>();
}


TEST(SplitBlock, AKeyHasOneBitInEveryLane) {
  for (std::uint32_t hash : {0U, 1U, 0xdeadbeefU, ~0U}) {
    const SplitBlock<16>::Mask mask = SplitBlock<16>::mask(hash);
    for (Word word : mask) {
      EXPECT_EQ(std::popcount(word & 0xffffffffU), 1);
      EXPECT_EQ(std::popcount(word >> 32), 1);
    }
  }
}

TEST(MergeMask, BothPoliciesSetTheBitsAndNoOthers) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000; ++i) {
    std::array<Word, 8> atomic, serial, mask;
    for (std::size_t w = 0; w < 8; ++w) {
      atomic[w] = serial[w] = random();
      mask[w] = i % 2 == 0 ? random() : random() & random() & random() & random();
    }
    std::array<Word, 8> wanted = atomic;
    for (std::size_t w = 0; w < 8; ++w) wanted[w] |= mask[w];
    merge_mask<AtomicBits>(atomic.data(), mask);
    merge_mask<SerialBits>(serial.data(), mask);
    ASSERT_EQ(atomic, wanted);
    ASSERT_EQ(serial, wanted);
  }
}

// Filters by rate and by size; theory has the mean over all filters, so that the deviation of one is in the tolerance:
// the rate of a block varies about as much as it is large.
TEST(SplitBlockBloom, MeetsTheory) {
  const std::vector<ParamMap> shapes = {{{"rho", "0.01"}, {"n_exp", "200000"}},
                                        {{"rho", "0.0005"}, {"n_exp", "200000"}, {"block", "64"}},
                                        {{"m", "3000000"}}};
  for (const ParamMap& shape : shapes) {
    SCOPED_TRACE(name_of({"split_block_bloom", shape}));
    Params params(shape);
    SplitBlockBloom filter(params);
    filter.insert(0, random_keys(200000, 3));
    const double expected = filter.expected_false_positive_rate(200000);
    const auto blocks = static_cast<double>(filter.footprint().storage_bytes / 64);
    const double sigma = std::hypot(binomial_deviation(expected, kQueries), expected / std::sqrt(blocks));
    EXPECT_NEAR(measured_rate(filter, kQueries), expected, 5 * sigma);
    if (shape.contains("rho")) {
      EXPECT_LE(expected, std::stod(shape.at("rho")));
    }
  }
}

TEST(SplitBlockBloom, HoldsWhatAnExactSetHolds) {
  for (const char* block : {"32", "64"}) {
    grow_against_an_exact_set({"split_block_bloom", {{"block", block}, {"n_exp", "500"}}}, 3000);
  }
}

TEST(SplitBlockBloom, RefusesWhatCannotBe) {
  expect_refused("split_block_bloom", {{"n_exp", "0"}}, "n_exp");
  expect_refused("split_block_bloom", {{"rho", "0"}}, "rho");
  expect_refused("split_block_bloom", {{"rho", "1"}}, "rho");
  expect_refused("split_block_bloom", {{"block", "16"}}, "block");
  expect_refused("split_block_bloom", {{"m", "0"}}, "m");
  expect_refused("split_block_bloom", {{"m", "2000000000000"}}, "m");
  expect_refused("split_block_bloom", {{"n_exp", "68719476736"}, {"rho", "1e-9"}}, "n_exp");
}

}  // namespace
}  // namespace bloomery::test
