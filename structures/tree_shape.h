// How a tree of Bloom filters (Fu and Biersack) is laid out and hashed.
//
// Level 1 is one filter of m_1 bits; bit b of a filter owns a filter of the next level, m_2 bits in level 2 and so on.
// All levels lie in one array, breadth first, without pointers and without gaps. So what hangs below one bit of level 1
// is one run of bits in every level, m_2 ... m_i bits long: a few bytes, mostly of one cache line.
//
//   level 1   . . 1 . . . 1 .           a key's k_1 bits: its branches
//   level 2   .... .11. ... 1..1 ...    below each, one filter of m_2 bits
//   level 3   ... ... ... .1. 1.. ...   below each of its bits, one filter of m_3 bits
//
// Filters below level 1 are at most a word long, so that a key's bits in one of them are a mask, tested and set at
// once; where a whole run is short, so are all the bits of a branch in a level (tree_runs.h).
#ifndef BLOOMERY_STRUCTURES_TREE_SHAPE_H_
#define BLOOMERY_STRUCTURES_TREE_SHAPE_H_

#include <cstdint>
#include <vector>

#include "structures/bits.h"
#include "structures/hash.h"
#include "structures/params.h"
#include "structures/probes.h"

namespace bloomery {

struct TreeLevel {
  std::uint64_t m, k;               // of each filter of the level
  std::uint64_t siblings;           // filters of the level below one bit of level 1; of level 1 itself, 1
  std::uint64_t run;                // their bits; of level 1 itself, 1
  std::uint64_t run_hashes;         // their hash functions
  std::uint64_t first_bit;          // of the level in the array
  std::uint64_t first_filter;       // filters above the level
  std::uint64_t first_coefficient;  // for double hashing: those before are taken by the filters above
  friend bool operator==(const TreeLevel&, const TreeLevel&) = default;
};

// Every filter has hash functions of its own, all from one hash of the key. A draw is 64 bits, of which kPositions
// positions in a filter are made, 32 bits each: as likely as each other to within 2^-26. What all filters below a
// branch share of it is computed first, so that the rest is cheap.
//
// As the paper has it: H_c(x) = h1 + c h2, where no two filters share a coefficient c. (Its equation 9 counts m_(a-1)
// filters in level a where there are m_1 ... m_(a-1); with the product the sets are disjoint, as it says they are.)
class DoubleHashes {
 public:
  static constexpr std::uint64_t kPositions = 1;
  DoubleHashes() = default;
  explicit DoubleHashes(std::uint64_t hash) : start_(mix64(hash)), step_(mix64(start_) | 1) {}
  std::uint64_t branch(std::uint64_t j, std::uint64_t m) const { return scaled(start_ + (j + 1) * step_, m); }
  std::uint64_t shared(const TreeLevel& level, std::uint64_t branch) const {
    return start_ + (level.first_coefficient + branch * level.run_hashes) * step_;
  }
  // `place` of the filters below the branch. Two narrow products instead of a wide one: those come in vectors.
  std::uint64_t draw(std::uint64_t shared, const TreeLevel& level, std::uint64_t place, std::uint64_t i) const {
    const std::uint64_t steps = place * static_cast<std::uint32_t>(level.k) + i;
    return shared + steps * (step_ & 0xffffffffU) + ((steps * (step_ >> 32)) << 32);
  }

 private:
  std::uint64_t start_ = 0, step_ = 0;
};

// Independent of each other within a filter as well. In filters of a few bits double hashing is not: a key whose step
// is small sets one bit in every filter that it visits.
class IndependentHashes {
 public:
  static constexpr std::uint64_t kPositions = 2;
  IndependentHashes() = default;
  explicit IndependentHashes(std::uint64_t hash) : hash_(hash) {}
  std::uint64_t branch(std::uint64_t j, std::uint64_t m) const { return scaled(mix64(mix64(hash_) + j), m); }
  std::uint64_t shared(const TreeLevel& level, std::uint64_t branch) const {
    return link_hash(hash_, level.first_filter + branch * level.siblings);
  }
  std::uint64_t draw(std::uint64_t shared, const TreeLevel&, std::uint64_t place, std::uint64_t i) const {
    return mix64(link_hash(shared, place) + (i + 1) * 0x9e3779b97f4a7c15U);
  }

 private:
  std::uint64_t hash_ = 0;
};

// The position that part `i` of a draw gives; of one that is not shared, the high half.
template <class Hashes>
std::uint64_t position_in(std::uint64_t draw, std::uint64_t i, std::uint64_t m) {
  const std::uint64_t half = Hashes::kPositions == 1 || i == 1 ? draw >> 32 : draw & 0xffffffffU;
  return (half * m) >> 32;
}

// The bits of a key in a filter.
template <class Hashes>
Word mask_of(const Hashes& hashes, const TreeLevel& level, std::uint64_t branch, std::uint64_t place) {
  Word mask = 0;
  const std::uint64_t shared = hashes.shared(level, branch);
  for (std::uint64_t i = 0; i < level.k; ++i) {
    const std::uint64_t draw = hashes.draw(shared, level, place, i / Hashes::kPositions);
    mask |= Word{1} << position_in<Hashes>(draw, i % Hashes::kPositions, level.m);
  }
  return mask;
}

struct TreeShape {
  // Partitioned: the j-th branch of every key is in the j-th of k_1 equal parts of level 1, the root of a tree of its
  // own.
  TreeShape(Params& params, bool partitioned);

  std::size_t depth() const { return levels.size(); }
  std::uint64_t branches() const { return levels[0].k; }
  std::uint64_t first_level_bits() const { return levels[0].m >> folds; }
  std::uint64_t filters(std::size_t level) const {
    return level == 0 ? 1 : first_level_bits() * levels[level].siblings;
  }
  std::uint64_t bits(std::size_t level) const { return first_level_bits() * levels[level].run; }
  std::uint64_t bits() const { return levels.back().first_bit + bits(depth() - 1); }

  // The bit of level 1 that the j-th hash function gives, before any halving.
  template <class Hashes>
  std::uint64_t branch(const Hashes& hashes, std::uint64_t j) const {
    return part == 0 ? hashes.branch(j, levels[0].m) : j * part + hashes.branch(j, part);
  }

  // Where the array keeps filter `place` of those that a branch has in a level. Halving makes neighbours of level 1
  // share their place; the hash functions stay those of the tree as it was, or keys would be looked for where they are
  // not.
  std::uint64_t offset(std::size_t level, std::uint64_t branch, std::uint64_t place) const {
    const TreeLevel& one = levels[level];
    return one.first_bit + (branch >> folds) * one.run + place * one.m;
  }

  void halve();  // m_1, to the power of two that it has, may be halved; throws a ParamError about m otherwise

  std::vector<TreeLevel> levels;
  std::uint64_t part = 0;   // bits of a part of level 1, if it is partitioned
  std::uint64_t folds = 0;  // how often level 1 was halved
  std::uint64_t seed = 0;
  bool independent = false;  // the hashing
  friend bool operator==(const TreeShape&, const TreeShape&) = default;

 private:
  void lay_out();
};

// Calls visit(level, place, mask) for every filter below a branch that the key visits, each once and top down, until it
// returns false; whether it never did.
template <class Hashes, class Visit>
bool walk(const TreeShape& shape, const Hashes& hashes, std::uint64_t branch, const Visit& visit, std::size_t level = 1,
          std::uint64_t place = 0) {
  if (level == shape.depth()) return true;
  const TreeLevel& one = shape.levels[level];
  const Word mask = mask_of(hashes, one, branch, place);
  if (!visit(level, place, mask)) return false;
  for (Word left = mask; left != 0 && level + 1 < shape.depth(); left &= left - 1) {
    const std::uint64_t child = place * one.m + static_cast<std::uint64_t>(std::countr_zero(left));
    if (!walk(shape, hashes, branch, visit, level + 1, child)) return false;
  }
  return true;
}

// Calls body with the hashes of a tree: the kind is chosen once a call.
template <class Body>
auto with_hashes(const TreeShape& shape, Body&& body) {
  return shape.independent ? body(IndependentHashes{}) : body(DoubleHashes{});
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_TREE_SHAPE_H_
