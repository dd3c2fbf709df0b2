// The coder gives back every bit, at a size that its probabilities allow, and survives bytes that no encoder wrote.
#include "structures/arithmetic_coder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "structures/bit_windows.h"
#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

const std::vector<std::uint64_t> kSizes = {0, 1, 2, 7, 8, 63, 64, 65, 127, 128, 129, 1000, 4096};
const std::vector<std::uint64_t> kOffsets = {0, 1, 63, 64, 77};
const std::vector<double> kFills = {0, 0.001, 0.02, 0.3, 0.5, 0.9, 0.999, 1};

// Bits of that fill, with zeros before and after them.
std::vector<Word> random_bits(BitStretch stretch, double fill, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::bernoulli_distribution one(fill);
  std::vector<Word> words(words_for(stretch.first + stretch.bits) + 1);
  for (std::uint64_t p = stretch.first; p < stretch.first + stretch.bits; ++p) {
    if (one(random)) words[p / 64] |= Word{1} << (p % 64);
  }
  return words;
}

template <class Body>
void for_stretches(Body&& body) {
  for (std::uint64_t bits : kSizes) {
    for (std::uint64_t offset : kOffsets) {
      for (double fill : kFills) {
        SCOPED_TRACE(testing::Message() << bits << " bits from " << offset << " on, fill " << fill);
        const BitStretch stretch{offset, bits};
        body(stretch, random_bits(stretch, fill, bits + offset));
      }
    }
  }
}

TEST(ArithmeticCoder, GivesBackEveryStretch) {
  for_stretches([](BitStretch stretch, const std::vector<Word>& words) {
    const std::uint64_t ones = count_ones_between(words.data(), stretch.first, stretch.bits);
    const Bytes bytes = encode_stretch(words.data(), stretch, ones);
    std::vector<Word> back(words.size());
    EXPECT_TRUE(decode_stretch(bytes, ones, back.data(), stretch));
    EXPECT_EQ(back, words);
    if (ones == 0 || ones == stretch.bits) {
      EXPECT_TRUE(bytes.empty());
    }
  });
}

TEST(ArithmeticCoder, GivesBackEveryFilterOfAStretch) {
  for (std::uint64_t m : {1, 3, 5, 64, 100}) {
    for_stretches([&](BitStretch stretch, const std::vector<Word>& words) {
      if (stretch.bits % m != 0) return;
      const FilterwiseCode code = encode_filterwise(words.data(), stretch, m);
      std::vector<Word> back(words.size());
      decode_filterwise(code.bytes, back.data(), stretch, m);
      EXPECT_EQ(back, words);
      EXPECT_EQ(code.count_bits, stretch.bits / m * static_cast<std::uint64_t>(std::bit_width(m)));
    });
  }
}

// Any sequence of bits under any sequence of probabilities, the most unlikely ones included: that is where carries run
// through many bytes.
TEST(ArithmeticCoder, GivesBackAnyBitUnderAnyProbability) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::pair<bool, Chance>> sequence(random() % 600);
    for (auto& [bit, chance] : sequence) {
      const Chance chances[] = {1, 2, kEven, ~Chance{0}, ~Chance{0} - 1, static_cast<Chance>(random() | 1)};
      chance = chances[random() % std::size(chances)];
      bit = random() % 4 == 0 ? random() % 2 == 0 : static_cast<Chance>(random()) < chance;
    }
    BitEncoder encoder;
    for (const auto& [bit, chance] : sequence) encoder.put(bit, chance);
    const Bytes bytes = encoder.finish();
    BitDecoder decoder(bytes);
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      ASSERT_EQ(decoder.get(sequence[i].second), sequence[i].first) << "seed " << seed << ", bit " << i;
    }
  }
}

void expect_near_entropy(BitStretch stretch, double fill) {
  const std::vector<Word> words = random_bits(stretch, fill, 7);
  const std::uint64_t ones = count_ones_between(words.data(), stretch.first, stretch.bits);
  const double bound = entropy_bits(ones, stretch.bits);
  const auto size = static_cast<double>(encode_stretch(words.data(), stretch, ones).size() * 8);
  EXPECT_LE(size, bound * 1.01) << fill;
  EXPECT_GE(size, bound - 16) << fill << ": smaller than can be";
}

TEST(ArithmeticCoder, IsWithinAHundredthOfTheEntropy) {
  // A size is in whole bytes: where ones are rarer than here, the bound of an array this small is a few dozen of them.
  for (double fill : {0.01, 0.03, 0.1, 0.2, 0.35, 0.5}) expect_near_entropy({5, (64 << 10) + 1}, fill);
  for (double fill : {0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5}) expect_near_entropy({5, 8 << 16}, fill);
}

TEST(ArithmeticCoder, AProbabilityForEachFilterMustPayForItsCounts) {
  const BitStretch stretch{0, 4000};
  const std::vector<Word> words = random_bits(stretch, 0.5, 1);
  const FilterwiseCode code = encode_filterwise(words.data(), stretch, 4);
  EXPECT_EQ(code.count_bits, 3000U);
  const auto payload = static_cast<double>(code.bytes.size() * 8 - code.count_bits);
  EXPECT_LT(payload, static_cast<double>(stretch.bits));  // the paper's ByBF
  EXPECT_GT(code.bytes.size() * 8, stretch.bits);         // what has to be sent
}

TEST(ArithmeticCoder, BytesThatNoEncoderWroteDoNoHarm) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    Bytes bytes(random() % 40);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    const BitStretch stretch{random() % 70, 3 * (random() % 100)};
    std::vector<Word> words(words_for(stretch.first + stretch.bits) + 1);
    decode_stretch(bytes, random() % (stretch.bits + 2), words.data(), stretch);
    decode_filterwise(bytes, words.data(), stretch, 3);
    EXPECT_EQ(count_ones_between(words.data(), 0, stretch.first), 0U);
    EXPECT_EQ(count_ones_between(words.data(), stretch.first + stretch.bits,
                                 words.size() * 64 - stretch.first - stretch.bits),
              0U);
  }
}

}  // namespace
}  // namespace bloomery::test
