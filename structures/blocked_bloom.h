// The blocked Bloom filter (Putze, Sanders, Singler; Kaler section 4): b blocks of equal size. A key's hash picks its
// block, and all k bits of the key are in it: one line of memory a key where a block is a cache line.
//
// `balanced` is Kaler's ideal case, in which every block gets as many keys: the block of key x is x mod b, so that
// consecutive keys are dealt out in turn. It is as right as the other for any keys, but balanced for such keys only.
#ifndef BLOOMERY_STRUCTURES_BLOCKED_BLOOM_H_
#define BLOOMERY_STRUCTURES_BLOCKED_BLOOM_H_

#include <memory>

#include "structures/arena.h"
#include "structures/block_kernels.h"
#include "structures/block_sizes.h"
#include "structures/hash.h"
#include "structures/stripes.h"
#include "structures/structure.h"

namespace bloomery {

// Thread safety: insert may run concurrently with insert and query (with `atomic`, the default).
class BlockedBloom {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit BlockedBloom(Params& params);
  Cost insert(SetId id, Keys keys);
  Cost replace(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;

  double expected_false_positive_rate(std::uint64_t n) const;  // by theory, with n keys in
  double posterior_false_positive_rate() const;                // of this very filter: the mean over its blocks
  BlockLoads loads(Keys keys) const;                           // of the blocks, were these the keys in
  std::uint64_t hashes() const { return shape_.k; }
  const BlockSizes& sizes() const { return shape_.sizes; }

 private:
  // Sized like a standard filter of the same m, c and n_exp, or k and n_exp, in whole blocks. Where the rate is what is
  // wanted, it has as many blocks as theory asks for, and with no k given the k that asks for the fewest.
  struct Shape {
    explicit Shape(Params& params);
    double rate(double blocks, std::uint64_t hashes, std::uint64_t n) const;
    double bits_for(const Wanted& wanted, std::uint64_t hashes) const;  // by theory
    std::uint64_t best_hashes_for(const Wanted& wanted, std::uint64_t most) const;

    bool balanced;
    BlockSizes sizes;
    std::uint64_t k;
  };
  // Where a key's bits are.
  struct Place {
    std::uint64_t hash;
    std::uint64_t block;
  };

  std::uint64_t block_of(Key key, std::uint64_t hash) const {
    return shape_.balanced ? key % shape_.sizes.blocks : scaled(hash, shape_.sizes.blocks);
  }
  Place place_of(Key key) const {
    const std::uint64_t hash = mix64(key ^ seed_);
    return {hash, block_of(key, hash)};
  }
  struct Source;

  bool one_line() const { return shape_.sizes.block_bytes == kLineBytes; }
  template <class Kernel>
  void insert_lines(const Kernel& kernel, Keys keys);
  template <class Kernel>
  void query_lines(const Kernel& kernel, Keys keys, Matches& out) const;

  std::size_t block_words() const { return shape_.sizes.block_bytes / sizeof(Word); }
  Word* bits() { return arena_.at(0); }
  const Word* bits() const { return arena_.at(0); }
  Word* line(const Place& place) { return bits() + place.block * (kLineBytes / sizeof(Word)); }
  const Word* line(const Place& place) const { return bits() + place.block * (kLineBytes / sizeof(Word)); }

  Shape shape_;
  std::uint64_t seed_;
  bool atomic_;
  std::unique_ptr<Stripes> stripes_;  // for concurrent inserts into blocks of a line
  Arena arena_;  // one slot
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BLOCKED_BLOOM_H_
