// The compressed Bloom filter (Mitzenmacher): few hash functions and a large, nearly empty array, which an arithmetic
// coder makes small. In memory it is a plain filter; what counts is its size when it is sent.
#ifndef BLOOMERY_STRUCTURES_COMPRESSED_BLOOM_H_
#define BLOOMERY_STRUCTURES_COMPRESSED_BLOOM_H_

#include <string>

#include "structures/bloom.h"
#include "structures/packed_filter.h"

namespace bloomery {

// The plain filter that it is in memory. m as given, or such that n_exp keys take c bits a key once compressed, or such
// that they have the rate rho.
struct CompressedShape {
  explicit CompressedShape(Params& params);
  Params plain() const;
  PackedShape packed() const;

  std::uint64_t m, k;
  std::string hash;
  std::uint64_t seed;
  bool atomic;
};

// Thread safety: that of Bloom. Loading needs the filter to itself.
class CompressedBloom {
 public:
  static constexpr bool kConcurrentInsert = Bloom::kConcurrentInsert;

  explicit CompressedBloom(Params& params);
  Cost insert(SetId id, Keys keys) { return bloom_.insert(id, keys); }
  Cost insert_filter(SetId id, FilterBits bits) { return bloom_.insert_filter(id, bits); }
  Cost replace(SetId id, Keys keys) { return bloom_.replace(id, keys); }
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const {
    return bloom_.query<kCount>(keys, out);
  }
  Footprint footprint() const { return bloom_.footprint(); }
  std::string validate() const { return bloom_.validate(); }

  void union_with(const CompressedBloom& other) { bloom_.union_with(other.bloom_); }
  void intersect_with(const CompressedBloom& other) { bloom_.intersect_with(other.bloom_); }
  double posterior_false_positive_rate() const { return bloom_.posterior_false_positive_rate(); }
  Worth worth(Keys sample) const { return bloom_.worth(sample); }
  std::uint64_t size_in_bits() const { return bloom_.size_in_bits(); }
  std::uint64_t compressed_bits() const;  // by the coder
  std::uint64_t zstd_bits() const;        // by zstd

  Bytes save() const;
  void load(ByteView bytes);  // replaces what is in; throws a PackedFilterError and changes nothing

 private:
  explicit CompressedBloom(const CompressedShape& shape);

  PackedShape packed_;  // what sender and receiver must agree on
  Bloom bloom_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_COMPRESSED_BLOOM_H_
