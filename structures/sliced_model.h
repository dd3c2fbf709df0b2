// What a search in a Sliced Bloofi is expected to cost, by which a build chooses its groups.
//
// Two things are counted: cache lines, which wait for memory, and words, which wait for the core. The price of each is
// that of one machine (a Zen 5 with its filters out of L2), but only their ratio decides anything.
#ifndef BLOOMERY_STRUCTURES_SLICED_MODEL_H_
#define BLOOMERY_STRUCTURES_SLICED_MODEL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bloomery {

// Sets of so many keys in filters of m bits and k hash functions; of the searches, so many find one set.
struct SlicedLoad {
  double sets, keys, m, k, hit_rate;
};

// Groups of so many words of sets. The upper level has the leaves' positions, or `hashes` of its own in `bits` times m.
struct SlicedLevels {
  double group_words;
  bool own_hashes;
  double hashes, bits;
};

struct SearchCost {
  double lines = 0, words = 0;
  SearchCost& operator+=(const SearchCost& other) {
    lines += other.lines;
    words += other.words;
    return *this;
  }
};
inline SearchCost operator*(double times, const SearchCost& cost) { return {times * cost.lines, times * cost.words}; }

// The AND of k rows over so many columns: of a line of words no further than the row that leaves nothing, of fewer words
// half of the rows and then the others (bit_rows.h). A hit is one column that is left.
inline SearchCost cost_of_and(double columns, double k, double fill, bool hit) {
  const double words = std::ceil(columns / 64), lines = std::ceil(words / 8), ours = hit ? 1 : 0;
  const auto some_left = [&](double rows, double of) { return 1 - std::pow(1 - std::pow(fill, rows), of); };
  if (words < 8) {
    const double half = std::ceil(k / 2), on = hit ? 1 : some_left(half, columns);
    const double on_words = ours + (words - ours) * some_left(half, columns / words);
    return {half + on * (k - half), words * half + on_words * (k - half)};
  }
  double rows = std::min(k, 2.0);
  for (double read = 2; read < k; ++read) rows += some_left(read, columns / lines);
  const double read = (lines - ours) * rows + ours * k;
  return {read, read * 8};
}

// Of a share of hits.
inline SearchCost mean_cost_of_and(double columns, double k, double fill, double hit_rate) {
  SearchCost cost = hit_rate * cost_of_and(columns, k, fill, true);
  return cost += (1 - hit_rate) * cost_of_and(columns, k, fill, false);
}

inline SearchCost sliced_search(const SlicedLoad& load, const SlicedLevels& levels) {
  const double group_sets = std::min(levels.group_words * 64, load.sets), groups = std::ceil(load.sets / group_sets);
  const double hashes = levels.own_hashes ? levels.hashes : load.k, bits = levels.own_hashes ? levels.bits : 1;
  const double fill = 1 - std::exp(-load.k * load.keys / load.m);
  const double upper_fill = 1 - std::exp(-hashes * group_sets * load.keys / (bits * load.m));
  SearchCost cost = mean_cost_of_and(groups, hashes, upper_fill, load.hit_rate);
  cost += load.hit_rate * cost_of_and(group_sets, load.k, fill, true);
  return cost += groups * std::pow(upper_fill, hashes) * cost_of_and(group_sets, load.k, fill, false);
}

inline SearchCost flat_search(const SlicedLoad& load) {
  const double fill = 1 - std::exp(-load.k * load.keys / load.m);
  return mean_cost_of_and(load.sets, load.k, fill, load.hit_rate);
}

// Nanoseconds, in batches that keep the lines of many searches on the way.
inline double search_time(const SearchCost& cost, bool own_hashes) {
  constexpr double kLine = 7, kWord = 1.0, kOwnHashes = 35;
  return kLine * cost.lines + kWord * cost.words + (own_hashes ? kOwnHashes : 0);
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_SLICED_MODEL_H_
