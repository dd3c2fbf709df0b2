#include "structures/stream.h"

#include <algorithm>
#include <bit>

namespace bloomery {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 25;  // words: 256 MiB are out of every cache
constexpr std::size_t kBlock = 32;                   // words: four cache lines in four vector registers or two

// Several sums at a time, so that the reads and not the additions set the pace.
Word sum_of(const Word* words, std::size_t blocks) {
  Word sums[kBlock] = {};
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t i = 0; i < kBlock; ++i) sums[i] += words[b * kBlock + i];
  }
  Word sum = 0;
  for (const Word one : sums) sum += one;
  return sum;
}

}  // namespace

Stream::Stream(Params& params) : shape_(params), memory_(1) {}

Cost Stream::build(Sets sets, const Executor&) {
  row_words_ = words_for(sets.size());
  words_ = std::clamp(std::bit_floor(shape_.hasher.m() * row_words_), kBlock, kMost);
  memory_ = Arena(words_);
  memory_.allocate();
  std::fill_n(memory_.at(0), words_, Word{1});  // a page never written would be the one page of zeros
  return {};
}

// The batch is one stretch that begins where chance has it, so that threads do not share what they read.
template <bool kCount>
Cost Stream::query(Keys keys, Matches& out) const {
  if (keys.empty() || words_ == 0) return {};
  const std::size_t wanted = keys.size() * shape_.hasher.k() * row_words_;
  std::size_t at = mix64(keys[0]) & (words_ - 1) & ~(kBlock - 1);
  Word sum = 0;
  for (std::size_t left = (wanted + kBlock - 1) / kBlock; left > 0;) {
    const std::size_t blocks = std::min(left, (words_ - at) / kBlock);
    sum += sum_of(memory_.at(0) + at, blocks);
    left -= blocks;
    at = 0;
  }
  *out.scratch(0, 1) = sum;
  return {.words = kCount ? wanted : 0};
}

template Cost Stream::query<true>(Keys, Matches&) const;
template Cost Stream::query<false>(Keys, Matches&) const;

Footprint Stream::footprint() const { return {.memory_bytes = memory_.resident_bytes()}; }

}  // namespace bloomery
