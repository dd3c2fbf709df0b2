// A blocked Bloom filter whose full blocks spill into another one (Kaler, "Overflow table" of the future work).
//
// Every block counts the places it has left, in a few bits of its own. One that has none left is full: further keys go
// to a block of the next level, a smaller and tighter filter of the same kind, and so on to the last level, which takes
// everything. A query asks the next level only where the block is full. So no block is much worse than the others, as
// they are in a blocked filter, and most keys still cost one block.
//
//   a cache line     | places left:8 | bits:504 |
//   any other block  | places left:64 | bits ... |
//
// The rate of a level, with all that is behind it, is at most `ratio` times that of the level before. A key that its
// block already answers yes to takes no place, so that repeated keys fill no block.
#ifndef BLOOMERY_STRUCTURES_OVERFLOW_BLOCKED_BLOOM_H_
#define BLOOMERY_STRUCTURES_OVERFLOW_BLOCKED_BLOOM_H_

#include <string>
#include <vector>

#include "structures/arena.h"
#include "structures/block_sizes.h"
#include "structures/structure.h"

namespace bloomery {

// Thread safety: insert may run concurrently with insert and query (with `atomic`, the default).
//
// Invariants, for any interleaving:
//   1. A count falls by one compare-and-swap at a time and never below zero: a block once full stays full.
//   2. An insert leaves its key in a block that had a place, or that had all its bits; or in the next level, and then
//      it has seen the block full.
//   3. Hence a query that begins after an insert returned finds the bits in the block, or sees it full and goes on to
//      where they are. Neither bits nor places are ever given back, so that no order between them is needed.
class OverflowBlockedBloom {
 public:
  static constexpr bool kConcurrentInsert = true;

  // What a level is made of, worked out before anything is allocated.
  struct Level {
    BlockSizes sizes;
    std::uint64_t k;
    std::uint64_t capacity;  // keys of a block
    std::uint64_t n_exp;     // keys that come to this level
  };

  explicit OverflowBlockedBloom(Params& params);
  Cost insert(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;
  std::string validate() const;  // no block has more places than it can, and none of the last level is full

  double expected_false_positive_rate(std::uint64_t n) const;  // by theory, with n keys in
  const std::vector<Level>& levels() const { return levels_; }
  std::uint64_t full_blocks(std::size_t level) const;

 private:
  struct Pending;

  static std::vector<Level> plan(Params& params);
  bool is_last(std::size_t level) const { return level + 1 == levels_.size(); }
  std::size_t word_of(std::size_t level, std::uint64_t hash) const;
  Word* block(std::size_t level, std::uint64_t hash) { return arenas_[level].at(0) + word_of(level, hash); }
  const Word* block(std::size_t level, std::uint64_t hash) const { return arenas_[level].at(0) + word_of(level, hash); }
  Word places_left(const Word* block) const { return load_word(block) & places_mask_; }
  template <class Body>
  void for_blocks(std::size_t level, const Body& body) const;

  template <class Policy>
  bool take_place(std::size_t level, Word* block);
  template <class Policy>
  std::uint64_t insert_from(std::size_t level, std::uint64_t hash);
  template <bool kCount>
  bool holds_from(std::size_t level, std::uint64_t hash, Cost& cost) const;

  std::vector<Level> levels_;
  std::uint64_t seed_;
  bool atomic_;
  Word places_mask_;  // of a block's first word
  std::vector<Arena> arenas_;  // of the levels, one slot each
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_OVERFLOW_BLOCKED_BLOOM_H_
