#include "structures/bit_rows.h"

#include <bit>
#include <cstring>
#include <utility>

namespace bloomery {

std::size_t BitRows::padded_width(std::size_t words) {
  return words <= kLine ? std::bit_ceil(std::max<std::size_t>(words, 1)) : (words + kLine - 1) / kLine * kLine;
}

void clear_bits(Word* first, std::uint64_t count, std::size_t step, std::size_t bit, const Word* keep) {
  constexpr std::uint64_t kTogether = 8, kAhead = 4;
  const Word mask = Word{1} << bit;
  for (std::uint64_t begin = 0; begin < count; begin += kTogether, first += kTogether * step) {
    const std::uint64_t words = std::min(kTogether, count - begin);
    // Words far apart are beyond what the hardware foresees.
    for (std::uint64_t i = 0; step > 1 && i < kTogether; ++i) prefetch(first + (kAhead * kTogether + i) * step);
    Word any = 0;
    for (std::uint64_t i = 0; i < words; ++i) any |= first[i * step];
    if ((any & mask) == 0) continue;
    for (std::uint64_t i = 0; i < words; ++i) {
      if (keep == nullptr || !test_bit(keep, begin + i)) store_word(first + i * step, first[i * step] & ~mask);
    }
  }
}

void BitRows::move_word(std::size_t from, std::size_t to) {
  for (std::uint64_t position = 0; position < rows_; ++position) {
    const Word moved = std::exchange(row(position)[from], 0);
    if (from != to) row(position)[to] = moved;
  }
}

BitRows BitRows::widened(std::size_t words) const {
  BitRows wider(rows_);
  wider.width_ = padded_width(words);
  wider.matrix_ = Arena(rows_ * wider.width_);
  wider.matrix_.allocate();
  for (std::uint64_t position = 0; position < rows_ && width_ > 0; ++position) {
    std::memcpy(wider.row(position), row(position), width_ * sizeof(Word));
  }
  return wider;
}

void BitRows::widen(std::size_t words) {
  if (words > width_) *this = widened(words);
}

}  // namespace bloomery
