// The dynamic blocked Bloom filter (Kaler section 5): b blocks, each a scalable filter of its own.
//
// A key's hash picks its block. The first cells of all blocks lie in one array; a block that is full gets a growth cell,
// a fixed fraction of the first cell's size, from an arena. A block costs one word beside its bits, a growth cell half a
// word and padding: no heap block, no vector.
//
//   first cell    | newest cell:32 | growth cells:8 | places taken in the newest:24 | bits ...
//   growth cell   | the cell before it | bits ...
//
// A key that its block already answers yes to takes no place, so that repeated keys do not make a block grow.
#ifndef BLOOMERY_STRUCTURES_DYNAMIC_BLOCKED_BLOOM_H_
#define BLOOMERY_STRUCTURES_DYNAMIC_BLOCKED_BLOOM_H_

#include <mutex>
#include <string>
#include <vector>

#include "structures/arena.h"
#include "structures/chain_shape.h"

namespace bloomery {

// Thread safety: insert may run concurrently with insert and query (with `atomic`, the default).
//
// Invariants, for any interleaving:
//   1. A head word changes by one compare-and-swap at a time: a place is taken, or (when none is left) a cell is linked
//      by the holder of growing_. So a place is always one in the cell that was the newest when it was taken.
//   2. A growth cell is zero, and its link to the cell before it written, before the head is stored with release; the
//      link never changes after. Who loads the head with acquire can follow the chain to its end.
//   3. Hence a query that begins after an insert returned loads a head from which the key's cell is reached.
class DynamicBlockedBloom {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit DynamicBlockedBloom(Params& params);
  Cost insert(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;
  std::string validate() const;

  struct Link {
    LinkShape shape;
    std::uint64_t m, capacity;
  };
  std::uint64_t blocks() const { return sizes_.blocks; }
  const Link& link(std::size_t i) const { return links_[i]; }  // every block's i-th cell; 0 is the first
  std::size_t links() const { return links_.size(); }          // the most that a block may have

 private:
  struct Sizes {
    Sizes(Params& params, const ChainShape& shape);
    std::uint64_t words;       // of a first cell
    std::uint64_t grow_words;  // of a growth cell
    std::uint64_t blocks, most_links;
  };

  Word* head(std::uint64_t block) { return first_.at(0) + block * sizes_.words; }
  const Word* head(std::uint64_t block) const { return first_.at(0) + block * sizes_.words; }
  template <bool kCount>
  bool cell_holds(const Word* cell, std::uint64_t i, std::uint64_t hash, Cost& cost) const;
  template <bool kCount>
  bool growth_holds(Word state, std::uint64_t hash, Cost& cost) const;
  template <bool kCount>
  std::uint32_t query_group(const Key* keys, std::size_t count, Cost& cost) const;
  template <class Policy>
  std::uint64_t insert_key(Policy policy, Word* head, std::uint64_t hash);
  bool grow(Word* head);
  std::string check(std::uint64_t block) const;

  ChainShape shape_;
  Sizes sizes_;
  Arena first_, growth_;
  std::vector<Link> links_;
  std::mutex growing_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_DYNAMIC_BLOCKED_BLOOM_H_
