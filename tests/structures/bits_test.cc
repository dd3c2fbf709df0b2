// The bit kernels against loops over single bits.
#include "structures/bits.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bloomery {
namespace {

// Around the lengths at which unrolled and vector loops hand over to their tails.
const std::vector<std::size_t> kLengths = {0,  1,  2,  3,  4,  5,  7,  8,   9,   15,  16,
                                           17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1578};

std::vector<Word> random_words(std::size_t count, std::mt19937_64& random) {
  std::vector<Word> words(count);
  for (Word& word : words) word = random() & random();
  return words;
}

bool bit(const std::vector<Word>& words, std::size_t i) { return words[i / 64] >> (i % 64) & 1; }

std::uint64_t brute_ones(const std::vector<Word>& words) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < words.size() * 64; ++i) total += bit(words, i);
  return total;
}

TEST(Bits, WordsForRoundsUp) {
  EXPECT_EQ(words_for(0), 0U);
  EXPECT_EQ(words_for(1), 1U);
  EXPECT_EQ(words_for(64), 1U);
  EXPECT_EQ(words_for(65), 2U);
  EXPECT_EQ(words_for(100992), 1578U);
}

TEST(Bits, CountOnes) {
  std::mt19937_64 random(1);
  for (std::size_t length : kLengths) {
    const auto a = random_words(length, random);
    EXPECT_EQ(count_ones(a.data(), length), brute_ones(a));
    const std::vector<Word> none(length), all(length, ~Word{0});
    EXPECT_EQ(count_ones(none.data(), length), 0U);
    EXPECT_EQ(count_ones(all.data(), length), length * 64);
  }
}

TEST(Bits, CountCommon) {
  std::mt19937_64 random(2);
  for (std::size_t length : kLengths) {
    const auto a = random_words(length, random), b = random_words(length, random);
    std::uint64_t common = 0;
    for (std::size_t i = 0; i < length * 64; ++i) common += bit(a, i) && bit(b, i);
    EXPECT_EQ(count_common(a.data(), b.data(), length), common);
    EXPECT_EQ(count_common(a.data(), a.data(), length), brute_ones(a));
  }
}

TEST(Bits, OrIntoStaysWithinItsWords) {
  std::mt19937_64 random(3);
  for (std::size_t length : kLengths) {
    auto target = random_words(length + 1, random);
    const auto before = target, source = random_words(length + 1, random);
    const std::uint64_t ones = or_into(target.data(), source.data(), length);
    EXPECT_EQ(target[length], before[length]);
    for (std::size_t i = 0; i < length * 64; ++i) ASSERT_EQ(bit(target, i), bit(before, i) || bit(source, i));
    target.pop_back();
    EXPECT_EQ(ones, brute_ones(target));
  }
}

TEST(Bits, TestBitAndTestAll) {
  std::mt19937_64 random(4);
  const auto words = random_words(3, random);
  std::vector<std::uint64_t> set, unset;
  for (std::size_t i = 0; i < 192; ++i) {
    ASSERT_EQ(test_bit(words.data(), i), bit(words, i));
    (bit(words, i) ? set : unset).push_back(i);
  }
  EXPECT_EQ(leading_hits(words.data(), set.data(), set.size()), set.size());
  EXPECT_EQ(leading_hits(words.data(), set.data(), 0), 0U);
  for (std::size_t place : {std::size_t{0}, set.size() / 2, set.size() - 1}) {
    auto with_a_hole = set;
    with_a_hole[place] = unset[0];
    EXPECT_EQ(leading_hits(words.data(), with_a_hole.data(), set.size()), place);
  }
}

template <class Policy>
void expect_sets_bits() {
  for (std::uint64_t position : {0, 1, 63, 64, 65, 127}) {
    std::vector<Word> words(2);
    EXPECT_FALSE(Policy::seen(words.data(), position));
    EXPECT_TRUE(Policy::set(words.data(), position));
    EXPECT_TRUE(Policy::seen(words.data(), position));
    EXPECT_FALSE(Policy::set(words.data(), position)) << "set twice";
    EXPECT_EQ(brute_ones(words), 1U);
    EXPECT_TRUE(bit(words, position));
  }
  std::uint64_t counter = 5;
  Policy::add(&counter, 7);
  EXPECT_EQ(counter, 12U);
}

TEST(Bits, BothPoliciesSetABitOnce) {
  expect_sets_bits<AtomicBits>();
  expect_sets_bits<SerialBits>();
}

}  // namespace
}  // namespace bloomery
