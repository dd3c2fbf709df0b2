#include "structures/counting_bloom.h"

#include <algorithm>
#include <cstring>

#include "structures/lookahead.h"
#include "structures/places.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kCounterBits = 4, kCountersAWord = 64 / kCounterBits;
constexpr Word kSaturated = 15;

std::size_t counter_words(std::uint64_t counters) { return (counters + kCountersAWord - 1) / kCountersAWord; }
std::uint64_t shift_of(std::uint64_t position) { return position % kCountersAWord * kCounterBits; }
Word counter_in(Word word, std::uint64_t position) { return word >> shift_of(position) & kSaturated; }

bool counted(const Word* words, std::uint64_t position) {
  return counter_in(load_word(words + position / kCountersAWord), position) != 0;
}

template <class Policy>
void raise(Word* words, std::uint64_t position) {
  Word* word = words + position / kCountersAWord;
  const Word one = Word{1} << shift_of(position);
  Word old = load_word(word);
  while (counter_in(old, position) != kSaturated && !update_word<Policy>(word, old, old + one)) {
  }
}

// Zero stays zero: a false positive may have a position twice whose counter is one.
template <class Policy>
void lower(Word* words, std::uint64_t position) {
  Word* word = words + position / kCountersAWord;
  const Word one = Word{1} << shift_of(position);
  Word old = load_word(word);
  for (;;) {
    const Word counter = counter_in(old, position);
    if (counter == 0 || counter == kSaturated || update_word<Policy>(word, old, old - one)) return;
  }
}

FilterShape fitting_shape(Params& params) {
  FilterShape shape(params, "double");
  expect_fits_memory(params.given("m") ? "m" : "n_exp", static_cast<double>(shape.hasher.m() * kCounterBits));
  return shape;
}

}  // namespace

CountingBloom::CountingBloom(Params& params) : shape_(fitting_shape(params)), arena_(counter_words(shape_.hasher.m())) {
  arena_.allocate();
}

Cost CountingBloom::insert(SetId, Keys keys) {
  with_policy(shape_.atomic, [&](auto policy) {
    for_positions_ahead(
        shape_.hasher, keys, [&](std::uint64_t p) { __builtin_prefetch(words() + p / kCountersAWord, 1, 3); },
        [&](std::uint64_t p) { raise<decltype(policy)>(words(), p); });
  });
  return {.filters = 1, .nodes = 1};
}

Cost CountingBloom::erase(SetId) {
  std::memset(words(), 0, counter_words(shape_.hasher.m()) * sizeof(Word));
  return {.filters = 1, .nodes = 1};
}

Cost CountingBloom::replace(SetId id, Keys keys) {
  erase(id);
  return insert(id, keys);
}

// Key after key, for a key may be listed twice and be in once.
template <class Policy>
std::uint64_t CountingBloom::remove_with(Keys keys) {
  constexpr std::size_t kPositionsAhead = 512;  // of as many lines in flight as the caches next to the core hold
  const std::size_t k = shape_.hasher.k(), group = kPositionsAhead / k;
  std::uint64_t positions[kPositionsAhead], removed = 0;
  for (std::size_t begin = 0; begin < keys.size(); begin += group) {
    const std::size_t count = std::min(group, keys.size() - begin);
    shape_.hasher.positions(keys.data() + begin, count, positions);
    for (std::size_t i = 0; i < count * k; ++i) __builtin_prefetch(words() + positions[i] / kCountersAWord, 1, 3);
    for (const std::uint64_t* of_key = positions; of_key < positions + count * k; of_key += k) {
      if (!std::all_of(of_key, of_key + k, [&](std::uint64_t p) { return counted(words(), p); })) continue;
      for (std::size_t j = 0; j < k; ++j) lower<Policy>(words(), of_key[j]);
      ++removed;
    }
  }
  return removed;
}

std::uint64_t CountingBloom::remove(Keys keys) {
  return with_policy(shape_.atomic, [&](auto policy) { return remove_with<decltype(policy)>(keys); });
}

template <bool kCount>
Cost CountingBloom::query(Keys keys, Matches& out) const {
  std::uint64_t tests = 0;
  look_up(
      shape_.hasher, keys, out, [&](std::uint64_t p) { return words() + p / kCountersAWord; },
      [&](std::uint64_t p) {
        if constexpr (kCount) ++tests;
        return counted(words(), p);
      });
  if constexpr (kCount) return {.bf_checks = keys.size(), .words = tests, .lines = tests};
  return {};
}

template Cost CountingBloom::query<true>(Keys, Matches&) const;
template Cost CountingBloom::query<false>(Keys, Matches&) const;

Footprint CountingBloom::footprint() const {
  const std::uint64_t bytes = counter_words(shape_.hasher.m()) * sizeof(Word);
  return {.storage_bytes = bytes, .memory_bytes = arena_.resident_bytes(), .nodes = 1};
}

std::string CountingBloom::validate() const {
  const std::uint64_t m = shape_.hasher.m();
  if (m % kCountersAWord == 0 || words()[m / kCountersAWord] >> shift_of(m) == 0) return "";
  return "a counter past the last of the filter is not zero";
}

}  // namespace bloomery
