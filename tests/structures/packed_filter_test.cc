// Packed filters arrive as they were sent or not at all: every truncation, every damaged byte, and bytes made to
// deceive.
#include "structures/packed_filter.h"

#include <gtest/gtest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "structures/bloom_tree.h"
#include "structures/compressed_bloom.h"
#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

CompressedBloom small_filter(std::size_t keys, const ParamMap& params = {{"m", "1500"}}) {
  Params given(params);
  CompressedBloom filter(given);
  filter.insert(0, random_keys(keys, 1));
  return filter;
}

void put(Bytes& bytes, std::size_t at, std::uint64_t number, std::size_t width = 8) {
  for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<std::uint8_t>(number >> (8 * i));
}

// The checksum made right again, as someone would who wants to be believed.
Bytes sealed(Bytes bytes) {
  put(bytes, bytes.size() - 8, XXH3_64bits(bytes.data(), bytes.size() - 8));
  return bytes;
}

std::string refusal(CompressedBloom& filter, ByteView bytes) {
  try {
    filter.load(bytes);
  } catch (const PackedFilterError& error) {
    return error.what();
  }
  return "";
}

void expect_refused(CompressedBloom& filter, ByteView bytes, const std::string& says) {
  const Bytes before = filter.save();
  const std::string why = refusal(filter, bytes);
  EXPECT_NE(why.find(says), std::string::npos) << "'" << why << "' does not say '" << says << "'";
  EXPECT_EQ(filter.save(), before) << "a refused load changes nothing";
}

TEST(PackedFilter, ArrivesAsItWasSent) {
  for (std::size_t keys : {0, 1, 10, 300, 100000}) {
    const CompressedBloom sent = small_filter(keys);
    CompressedBloom received = small_filter(20);
    received.load(sent.save());
    EXPECT_EQ(received.save(), sent.save());
    const std::vector<Key> probes = random_keys(2000, 1);
    Matches here, there;
    sent.query<false>(probes, here);
    received.query<false>(probes, there);
    EXPECT_EQ(sorted(here), sorted(there));
  }
}

// zstd knows no probability of a bit: it comes close on bytes that are nearly all zero and has no say on others.
TEST(PackedFilter, ZstdIsNoSmallerThanTheCoder) {
  for (std::size_t keys : {0, 1000, 10000, 100000}) {
    const CompressedBloom filter = small_filter(keys, {{"m", "200001"}});
    EXPECT_GE(filter.zstd_bits(), filter.compressed_bits()) << keys;
    EXPECT_LE(filter.zstd_bits(), filter.size_in_bits() + 400) << keys;
  }
  const CompressedBloom sparse = small_filter(1000, {{"m", "200001"}});
  EXPECT_LT(sparse.zstd_bits(), sparse.size_in_bits() / 3);
  Params params(ParamMap{{"n_exp", "10000"}});
  BloomTree tree(params);
  tree.insert(0, random_keys(10000, 1));
  EXPECT_GT(tree.zstd_bits(), tree.compressed_bits());
  EXPECT_LT(tree.zstd_bits(), tree.size_in_bits());
}

TEST(PackedFilter, EveryTruncationIsRefused) {
  CompressedBloom filter = small_filter(40);
  const Bytes bytes = filter.save();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    expect_refused(filter, ByteView(bytes).first(size), "packed filter: ");
}

TEST(PackedFilter, EveryDamagedByteIsRefused) {
  CompressedBloom filter = small_filter(40);
  const Bytes bytes = filter.save();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      Bytes damaged = bytes;
      damaged[at] ^= static_cast<std::uint8_t>(flip);
      ASSERT_NE(refusal(filter, damaged), "") << "byte " << at << ", flipped by " << flip;
    }
  }
}

// With a checksum that fits, what is wrong has to be found, or be another filter of the same shape.
TEST(PackedFilter, ForgedBytesAreRefusedOrAFilter) {
  CompressedBloom filter = small_filter(40);
  const Bytes bytes = filter.save();
  std::size_t refused = 0;
  for (std::size_t at = 0; at + 8 < bytes.size(); ++at) {
    for (int value = 0; value < 256; value += 5) {
      Bytes forged = bytes;
      forged[at] = static_cast<std::uint8_t>(value);
      refused += !refusal(filter, sealed(forged)).empty();
      ASSERT_EQ(filter.validate(), "");
      ASSERT_EQ(filter.size_in_bits(), 1500U);
    }
  }
  EXPECT_GT(refused, 0U);
}

TEST(PackedFilter, RandomBytesAreRefused) {
  CompressedBloom filter = small_filter(40);
  const Bytes good = filter.save();
  std::mt19937_64 random(3);
  for (int round = 0; round < 3000; ++round) {
    Bytes bytes(random() % 200);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    // Half of them begin as they should and are sealed, so that they get past the first checks.
    const bool deceives = round % 2 == 0 && bytes.size() > 32;
    if (deceives) std::copy_n(good.begin(), 8 + random() % 9, bytes.begin());
    ASSERT_NE(refusal(filter, deceives ? sealed(bytes) : bytes), "");
  }
}

TEST(PackedFilter, SaysWhatIsWrong) {
  CompressedBloom filter = small_filter(40);
  const Bytes bytes = filter.save();
  constexpr std::size_t kNumbers = 16, kOnes = kNumbers + 5 * 8, kLength = kOnes + 8;
  const auto with = [&](std::size_t at, std::uint64_t number, std::size_t width = 8) {
    Bytes changed = bytes;
    put(changed, at, number, width);
    return sealed(changed);
  };
  expect_refused(filter, {}, "too few");
  expect_refused(filter, with(0, 0x20202020, 4), "something else");
  expect_refused(filter, with(4, 2, 4), "version 2");
  expect_refused(filter, with(8, 6, 4), "another kind");
  expect_refused(filter, with(12, 0xffffffff, 4), "another kind");
  expect_refused(filter, with(kNumbers + 8, 1ULL << 40), "another shape");  // m
  expect_refused(filter, with(kOnes, ~0ULL), "ones");
  expect_refused(filter, with(kOnes, 3), "ones");
  expect_refused(filter, with(kLength, ~0ULL), "are left");
  expect_refused(filter, with(kLength, 1), "");
  Bytes longer = bytes;
  longer.insert(longer.end() - 8, 5, 0);
  expect_refused(filter, sealed(longer), "left over");
  Bytes tiny = bytes;
  tiny.resize(20);
  put(tiny, 12, 1ULL << 40, 8);
  expect_refused(filter, tiny, "too few");
}

TEST(PackedFilter, AFilterOfAnotherShapeIsRefused) {
  CompressedBloom filter = small_filter(40);
  for (const ParamMap& other : std::vector<ParamMap>{{{"m", "1501"}},
                                                     {{"m", "1500"}, {"k", "3"}},
                                                     {{"m", "1500"}, {"seed", "2"}},
                                                     {{"m", "1500"}, {"hash", "modulo"}}}) {
    expect_refused(filter, small_filter(10, other).save(), "another shape");
  }
  Params params(ParamMap{{"m", "1500"}});
  BloomTree tree(params);
  expect_refused(filter, tree.save(), "another kind");
}

// A tree whose lower bits hang from nothing would answer differently by levels and by leaves.
TEST(PackedFilter, AForgedTreeIsATreeOrRefused) {
  Params params(ParamMap{{"m", "100"}});
  BloomTree tree(params);
  tree.insert(0, random_keys(10, 1));
  const Bytes bytes = tree.save();
  std::size_t refused = 0, loaded = 0;
  for (std::size_t at = 16; at + 8 < bytes.size(); ++at) {
    for (int flip = 1; flip < 256; flip *= 2) {
      Bytes forged = bytes;
      forged[at] ^= static_cast<std::uint8_t>(flip);
      try {
        tree.load(sealed(forged));
        ++loaded;
      } catch (const PackedFilterError&) {
        ++refused;
      }
      ASSERT_EQ(tree.validate(), "");
    }
  }
  EXPECT_GT(refused, 10 * loaded);
}

}  // namespace
}  // namespace bloomery::test
