#include "structures/line_read.h"

#include <algorithm>

#include "structures/rolling.h"

namespace bloomery {
namespace {

constexpr std::size_t kLineWords = 8;

}  // namespace

LineRead::LineRead(Params& params) : LineRead(FilterShape(params, "double")) {}

LineRead::LineRead(const FilterShape& shape)
    : seed_(shape.hasher.seed()),
      lines_((shape.words() + kLineWords - 1) / kLineWords),
      memory_(lines_ * kLineWords) {
  memory_.allocate();
  // A page never written would be the one page of zeros.
  std::fill_n(memory_.at(0), lines_ * kLineWords, Word{1});
}

template <bool kCount>
Cost LineRead::query(Keys keys, Matches& out) const {
  const Word* memory = memory_.at(0);
  Word sum = 0;
  roll(
      keys.size(),
      [&](std::size_t i) {
        const Word* line = memory + scaled(mix64(keys[i] ^ seed_), lines_) * kLineWords;
        prefetch(line);
        return line;
      },
      [&](std::size_t, const Word* line) { sum += load_word(line); });
  *out.scratch(0, 1) = sum;
  if constexpr (!kCount) return {};
  return {.words = keys.size() * kLineWords, .lines = keys.size()};
}

template Cost LineRead::query<true>(Keys, Matches&) const;
template Cost LineRead::query<false>(Keys, Matches&) const;

Footprint LineRead::footprint() const { return {.memory_bytes = memory_.resident_bytes()}; }

}  // namespace bloomery
