#include "structures/bloom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "structures/lookahead.h"
#include "structures/packed_filter.h"

namespace bloomery {
namespace {

// Every second bit of a word, packed into its lower half.
Word even_bits(Word w) {
  w &= 0x5555555555555555U;
  w = (w | w >> 1) & 0x3333333333333333U;
  w = (w | w >> 2) & 0x0f0f0f0f0f0f0f0fU;
  w = (w | w >> 4) & 0x00ff00ff00ff00ffU;
  w = (w | w >> 8) & 0x0000ffff0000ffffU;
  return (w | w >> 16) & 0x00000000ffffffffU;
}

// Bit i of the target is the OR of bits 2i and 2i + 1 of the source.
void fold_neighbours(const Word* source, std::size_t words, Word* target) {
  for (std::size_t w = 0; w < words; ++w) target[w / 2] |= even_bits(source[w] | source[w] >> 1) << (w % 2 * 32);
}

// Bit i of the target is the OR of bits i and i + half of the source, which has 2 half bits.
void fold_halves(const Word* source, std::uint64_t half, Word* target) {
  const std::size_t words = words_for(half), all = words_for(2 * half), skip = half / 64, shift = half % 64;
  for (std::size_t w = 0; w < words; ++w) {
    const Word low = w + skip < all ? source[w + skip] : 0, high = w + skip + 1 < all ? source[w + skip + 1] : 0;
    target[w] = source[w] | low >> shift | (shift == 0 ? 0 : high << (64 - shift));
  }
  if (shift != 0) target[words - 1] &= (Word{1} << shift) - 1;
}

}  // namespace

Bloom::Bloom(Params& params) : shape_(params, "double"), arena_(shape_.words()) { arena_.allocate(); }

Cost Bloom::insert(SetId, Keys keys) {
  with_policy(shape_.atomic, [&](auto policy) {
    for_positions_ahead(
        shape_.hasher, keys, [&](std::uint64_t p) { __builtin_prefetch(bits() + p / 64, 1, 3); },
        [&](std::uint64_t p) { policy.set(bits(), p); });
  });
  return {.filters = 1, .nodes = 1};
}

Cost Bloom::insert_filter(SetId, FilterBits filter) {
  or_into(bits(), filter.data(), shape_.words());
  return {.filters = 2, .nodes = 1};
}

Cost Bloom::replace(SetId id, Keys keys) {
  std::memset(bits(), 0, shape_.words() * sizeof(Word));
  return insert(id, keys);
}

template <bool kCount>
Cost Bloom::query(Keys keys, Matches& out) const {
  std::uint64_t tests = 0;
  look_up(
      shape_.hasher, keys, out, [&](std::uint64_t p) { return bits() + p / 64; },
      [&](std::uint64_t p) {
        if constexpr (kCount) ++tests;
        return test_bit(bits(), p);
      });
  if constexpr (kCount) return {.bf_checks = keys.size(), .words = tests, .lines = tests};
  return {};
}

template Cost Bloom::query<true>(Keys, Matches&) const;
template Cost Bloom::query<false>(Keys, Matches&) const;

Footprint Bloom::footprint() const {
  return {.storage_bytes = shape_.words() * sizeof(Word), .memory_bytes = arena_.resident_bytes(), .nodes = 1};
}

std::string Bloom::validate() const {
  const std::uint64_t used = shape_.hasher.m() % 64;
  if (used == 0 || bits()[shape_.words() - 1] >> used == 0) return "";
  return "a bit past the last of the filter is set";
}

void Bloom::expect_same_shape(const Bloom& other) const {
  const Hasher &here = shape_.hasher, &there = other.shape_.hasher;
  if (here == there) return;
  const auto differ = [](const char* name, std::uint64_t mine, std::uint64_t other_one) {
    if (mine == other_one) return;
    throw ParamError(name, fmt::format("the filters differ in shape: {} is {} here and {} there", name, mine, other_one));
  };
  differ("m", here.m(), there.m());
  differ("k", here.k(), there.k());
  throw ParamError("hash", "the filters differ in shape: their hash functions or seeds are not the same");
}

void Bloom::union_with(const Bloom& other) {
  expect_same_shape(other);
  or_into(bits(), other.bits(), shape_.words());
}

void Bloom::intersect_with(const Bloom& other) {
  expect_same_shape(other);
  for (std::size_t w = 0; w < shape_.words(); ++w) bits()[w] &= other.bits()[w];
}

void Bloom::halve() {
  const std::uint64_t m = shape_.hasher.m();
  if (m % 2 != 0) throw ParamError("m", fmt::format("a filter of {} bits, an odd number, cannot be halved", m));
  Arena half(words_for(m / 2));
  half.allocate();
  if (shape_.hasher.kind() == HashKind::kDouble) {
    fold_neighbours(bits(), shape_.words(), half.at(0));
  } else {
    fold_halves(bits(), m / 2, half.at(0));
  }
  arena_ = std::move(half);
  shape_.hasher = shape_.hasher.halved();
}

double Bloom::posterior_false_positive_rate() const {
  const double fill = static_cast<double>(count_ones(bits(), shape_.words())) / static_cast<double>(shape_.hasher.m());
  return std::pow(fill, static_cast<double>(shape_.hasher.k()));
}

Worth Bloom::worth(Keys) const {
  const double rate = posterior_false_positive_rate();
  return {.geometric_rate = rate,
          .expected_rate = rate,
          .array_bits = size_in_bits(),
          .sent_bits = coded_bits({.numbers = {}, .stretch_bits = {size_in_bits()}}, bits()),
          .hashes = static_cast<double>(shape_.hasher.k())};
}

}  // namespace bloomery
