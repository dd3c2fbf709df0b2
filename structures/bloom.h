// The standard Bloom filter: m bits, k hash functions, one set.
#ifndef BLOOMERY_STRUCTURES_BLOOM_H_
#define BLOOMERY_STRUCTURES_BLOOM_H_

#include "structures/arena.h"
#include "structures/filter_shape.h"
#include "structures/worth.h"

namespace bloomery {

// Thread safety: insert may run concurrently with insert and query (with `atomic`, the default). Union, intersection and
// halving need the filter to themselves.
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
  std::string validate() const;  // no bit past the last

  // With a filter of the same m, k, hash and seed; anything else is a ParamError and changes nothing. The union is the
  // filter of the union of the sets. The intersection has every key of both, and more false positives than the filter of
  // the sets' intersection.
  void union_with(const Bloom& other);
  void intersect_with(const Bloom& other);

  // Half the bits, every key kept: the very filter that the same keys would have given at m/2 (see Hasher::halved), so
  // that it goes on as one. An odd m is a ParamError and changes nothing.
  void halve();

  // The share of bits set, to the power k: the false positive probability of this very filter.
  double posterior_false_positive_rate() const;
  Worth worth(Keys sample) const;  // the same for every key
  std::uint64_t size_in_bits() const { return shape_.hasher.m(); }
  FilterBits view() const { return {bits(), shape_.words()}; }

 private:
  Word* bits() { return arena_.at(0); }
  const Word* bits() const { return arena_.at(0); }
  void expect_same_shape(const Bloom& other) const;

  FilterShape shape_;
  Arena arena_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BLOOM_H_
