// The scalable Bloom filter (Almeida, Baquero, Preguica, Hutchison; Kaler section 3): a chain of standard filters.
//
// Keys go into the last link; when it has taken as many as it was made for, a larger and tighter one follows. A query
// asks every link, the newest first, since that one holds the most keys. Insertions are counted, not distinct keys.
#ifndef BLOOMERY_STRUCTURES_SCALABLE_BLOOM_H_
#define BLOOMERY_STRUCTURES_SCALABLE_BLOOM_H_

#include <mutex>
#include <string>
#include <vector>

#include "structures/arena.h"
#include "structures/chain_shape.h"

namespace bloomery {

// Thread safety: insert may run concurrently with insert and query (with `atomic`, the default).
//
// Invariants, for any interleaving:
//   1. links_[0, used_) are complete and never change but for their bits and their count of places taken. A link is
//      written in full, then used_ is stored with release; who loads used_ with acquire sees it whole, and its zeroes.
//   2. A key's bits are in a link in which it reserved a place, and that link was below used_ when it did.
//   3. Hence a query that begins after an insert returned loads a used_ that covers the key's link, and finds its bits.
//   4. Only the holder of growing_ adds a link, and only if the last one is still the one it found full.
class ScalableBloom {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit ScalableBloom(Params& params);
  Cost insert(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;
  std::string validate() const;

  // What the chain was made to stay below: p / (1 - ratio), for the real k and c of the first link.
  double rate_bound() const;
  // Of this very chain, from the bits that are set.
  double posterior_false_positive_rate() const;
  std::size_t links() const { return __atomic_load_n(&used_, __ATOMIC_ACQUIRE); }

 private:
  enum class Hashing { kIndependent, kScaled, kClassic };
  struct alignas(64) Link {
    LinkShape shape;
    Word* words = nullptr;
    std::uint64_t m = 0, capacity = 0;
    alignas(64) std::uint64_t taken = 0;  // places; runs past the capacity, never back
  };
  struct Places {
    std::size_t link, count;
  };
  struct Sizes {
    explicit Sizes(Params& params);
    std::uint64_t start;
    bool doubling;
    double fraction;
    std::uint64_t most_links;
    Hashing hashing;
  };

  std::uint64_t capacity_of(std::size_t link) const;
  void add_link();
  void grow(std::size_t full);
  template <class Policy>
  Places reserve(std::size_t wanted);
  template <class Probes, class Policy>
  void put(Policy policy, const Places& places, const Key* keys);
  template <class Probes, bool kCount>
  std::uint32_t ask(std::size_t link, const std::uint64_t* hashes, std::uint32_t pending, Cost& cost) const;
  template <class Probes, bool kCount>
  Cost query_with(Keys keys, Matches& out) const;
  template <class Body>
  auto with_probes(Body&& body) const;

  ChainShape shape_;
  Sizes sizes_;
  Arena arena_;
  std::vector<Link> links_;  // as long as the chain may get: links never move
  std::size_t used_ = 0;
  std::mutex growing_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_SCALABLE_BLOOM_H_
