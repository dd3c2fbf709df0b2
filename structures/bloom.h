// The standard Bloom filter: m bits, k hash functions, one set.
#ifndef BLOOMERY_STRUCTURES_BLOOM_H_
#define BLOOMERY_STRUCTURES_BLOOM_H_

#include "structures/arena.h"
#include "structures/filter_shape.h"

namespace bloomery {

// Thread safety: insert may run concurrently with insert and query (with `atomic`, the default).
class Bloom {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit Bloom(Params& params);
  Cost insert(SetId id, Keys keys);
  Cost insert_filter(SetId id, FilterBits bits);
  Cost replace(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;

  // The share of bits set, to the power k: the false positive probability of this very filter.
  double posterior_false_positive_rate() const;

 private:
  Word* bits() { return arena_.at(0); }
  const Word* bits() const { return arena_.at(0); }

  FilterShape shape_;
  Arena arena_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BLOOM_H_
