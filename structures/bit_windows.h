// Runs of bits that start anywhere in an array of words: filters of a few bits, packed without a gap.
#ifndef BLOOMERY_STRUCTURES_BIT_WINDOWS_H_
#define BLOOMERY_STRUCTURES_BIT_WINDOWS_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "structures/bits.h"

namespace bloomery {

inline constexpr Word low_bits(std::uint64_t count) { return count == 64 ? ~Word{0} : (Word{1} << count) - 1; }

// A mask that starts at bit `offset`, in the word of that bit and in the next one. The second part is 0 where the mask
// ends in the first word; then the next word, which may not exist, is left alone.
struct SplitMask {
  SplitMask(std::uint64_t offset, Word mask) : low(mask << (offset % 64)), high(mask >> 1 >> (63 - offset % 64)) {}
  Word low, high;
};

// Whether every bit of the mask is set, from bit `offset` on. No branch on where the mask lies, which nobody can
// predict.
inline bool covers(const Word* words, std::uint64_t offset, Word mask) {
  const SplitMask split(offset, mask);
  const Word* at = words + offset / 64;
  const Word missing_low = split.low & ~load_word(at), missing_high = split.high & ~load_word(at + (split.high != 0));
  return (missing_low | missing_high) == 0;
}

inline std::uint64_t words_read(std::uint64_t offset, Word mask) { return SplitMask(offset, mask).high == 0 ? 1 : 2; }

template <class Policy>
void merge_mask(Policy policy, Word* words, std::uint64_t offset, Word mask) {
  const SplitMask split(offset, mask);
  Word* at = words + offset / 64;
  policy.merge(at, split.low);
  if (split.high != 0) policy.merge(at + 1, split.high);
}

// `count` bits, 1 to 64, from bit `offset` on.
inline Word window(const Word* words, std::uint64_t offset, std::uint64_t count) {
  const std::uint64_t shift = offset % 64;
  const Word* at = words + offset / 64;
  const Word low = load_word(at) >> shift, high = shift + count > 64 ? load_word(at + 1) << (64 - shift) : 0;
  return (low | high) & low_bits(count);
}

// Calls body(offset, length) for stretches of at most 64 bits that cover `count` bits from `offset` on.
template <class Body>
void for_windows(std::uint64_t offset, std::uint64_t count, Body&& body) {
  for (std::uint64_t done = 0; done < count; done += 64) body(offset + done, std::min<std::uint64_t>(64, count - done));
}

inline std::uint64_t count_ones_between(const Word* words, std::uint64_t offset, std::uint64_t count) {
  std::uint64_t ones = 0;
  for_windows(offset, count, [&](std::uint64_t at, std::uint64_t length) {
    ones += static_cast<std::uint64_t>(std::popcount(window(words, at, length)));
  });
  return ones;
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BIT_WINDOWS_H_
