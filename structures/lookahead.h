// Batches over random memory: what will be touched is asked for well before it is. A source of positions is a Hasher, or
// anything else with its k() and positions().
#ifndef BLOOMERY_STRUCTURES_LOOKAHEAD_H_
#define BLOOMERY_STRUCTURES_LOOKAHEAD_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "structures/bits.h"
#include "structures/filter_shape.h"
#include "structures/hash.h"
#include "structures/matches.h"

namespace bloomery {

// Positions hashed together: half of an L1 cache, and at k = 64 still 32 keys.
inline constexpr std::size_t kPositions = 2048;
// Positions between the prefetch of one and its use: lines enough in flight to hide memory.
inline constexpr std::size_t kAhead = 48;

// Calls fetch and, kAhead positions later, use, for every position of every key.
template <class Source, class Fetch, class Use>
void for_positions_ahead(const Source& source, Keys keys, const Fetch& fetch, const Use& use) {
  const std::size_t k = source.k(), group = kPositions / k;
  std::array<std::uint64_t, kPositions + kAhead> positions;  // those that are not used yet, then the next group's
  std::size_t waiting = 0;
  for (std::size_t begin = 0; begin < keys.size(); begin += group) {
    const std::size_t count = std::min(group, keys.size() - begin), fresh = count * k;
    source.positions(keys.data() + begin, count, positions.data() + waiting);
    const std::size_t first = std::min(fresh, kAhead - waiting);
    for (std::size_t i = 0; i < first; ++i) fetch(positions[waiting + i]);
    const std::size_t ready = fresh - first;
    for (std::size_t i = 0; i < ready; ++i) {
      fetch(positions[waiting + first + i]);
      use(positions[i]);
    }
    waiting += first;
    std::copy_n(positions.data() + ready, waiting, positions.data());
  }
  for (std::size_t i = 0; i < waiting; ++i) use(positions[i]);
}

// Appends the keys of which test(p) holds for every position p; line(p) is the address that test(p) reads.
//
// The first positions are tested one round a position, over all keys of a group: a key that fails costs no more memory
// traffic, is dropped without a branch on the outcome (which no CPU can predict in a half full filter), and the next
// line of a key that is still in is asked for a whole round ahead. Most keys left after that are in the set, so their
// other lines are asked for together, some keys ahead.
template <class Source, class Line, class Test>
class LookUp {
 public:
  LookUp(const Source& source, const Line& line, const Test& test) : source_(source), line_(line), test_(test) {}

  void run(Keys keys, Matches& out) {
    const std::size_t group = std::min(kMostKeys, kPositions / k_);
    out.ensure(keys.size());
    for (std::size_t begin = 0; begin < keys.size(); begin += group) {
      const std::size_t count = std::min(group, keys.size() - begin);
      source_.positions(keys.data() + begin, count, positions_.data());
      const std::size_t left = sift(count);
      finish(static_cast<std::uint32_t>(begin), left, out);
    }
  }

 private:
  static constexpr std::size_t kMostKeys = 256, kRounds = 3, kKeysAhead = 6;

  // Tests the first positions of `left` keys; how many are still in, at the front of alive_ and in their order.
  std::size_t sift(std::size_t left) {
    for (std::size_t i = 0; i < left; ++i) {
      alive_[i] = static_cast<std::uint32_t>(i);
      prefetch(line_(positions_[i * k_]));
    }
    for (std::size_t j = 0; j < rounds_; ++j) left = round(j, left, j + 1 < k_ ? 1 : 0);
    return left;
  }

  std::size_t round(std::size_t j, std::size_t left, std::size_t next) {
    std::size_t still = 0;
    for (std::size_t i = 0; i < left; ++i) {
      const std::uint64_t* at = positions_.data() + alive_[i] * k_ + j;
      const bool hit = test_(*at);
      prefetch(line_(hit ? at[next] : at[0]));
      alive_[still] = alive_[i];
      still += hit;
    }
    return still;
  }

  void finish(std::uint32_t begin, std::size_t left, Matches& out) {
    for (std::size_t i = 0; i < std::min(left, kKeysAhead); ++i) fetch_rest(alive_[i]);
    for (std::size_t i = 0; i < left; ++i) {
      if (i + kKeysAhead < left) fetch_rest(alive_[i + kKeysAhead]);
      const std::uint64_t* at = positions_.data() + alive_[i] * k_;
      std::size_t j = rounds_;
      while (j < k_ && test_(at[j])) ++j;
      out.push(begin + alive_[i], 0, j == k_);
    }
  }

  void fetch_rest(std::size_t key) const {
    for (std::size_t j = rounds_ + 1; j < k_; ++j) prefetch(line_(positions_[key * k_ + j]));
  }

  const Source& source_;
  const Line& line_;
  const Test& test_;
  const std::size_t k_ = source_.k(), rounds_ = std::min(k_, kRounds);
  std::array<std::uint64_t, kPositions> positions_;
  std::array<std::uint32_t, kMostKeys> alive_;
};

template <class Source, class Line, class Test>
void look_up(const Source& source, Keys keys, Matches& out, const Line& line, const Test& test) {
  LookUp<Source, Line, Test>(source, line, test).run(keys, out);
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_LOOKAHEAD_H_
