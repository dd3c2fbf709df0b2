// The parameters of filters that come in chains, each link tighter than the one before.
//
// Link i has k_i = k + extra + i lg(1/ratio) and c_i = c + (k_i - k) / ln 2 bits a key, so its false positive rate is
// ratio times that of link i - 1 and all of them together stay below p / (1 - ratio), where p is the first link's. Both
// numbers stay real all along the chain; only the count of hash functions is rounded, as `rounding` says:
//   nearest  to the nearest integer (the default);
//   floor    down;
//   none     not at all: a share of the keys, by their hash, takes one hash function more than the others, so that the
//            mean is k_i.
#ifndef BLOOMERY_STRUCTURES_CHAIN_SHAPE_H_
#define BLOOMERY_STRUCTURES_CHAIN_SHAPE_H_

#include <cstdint>
#include <string>

#include "structures/structure.h"

namespace bloomery {

struct LinkShape {
  double k = 0, c = 0;       // real: hash functions and bits a key
  std::uint32_t hashes = 0;  // that every key takes
  std::uint64_t share = 0;   // of 2^64: of the keys that take one more

  // The low half of the hash decides; the high half may have chosen the block.
  std::uint32_t hashes_of(std::uint64_t hash) const { return hashes + (hash << 32 < share ? 1 : 0); }
};

struct ChainShape {
  ChainShape(Params& params, std::uint64_t default_extra);

  LinkShape link(std::uint64_t i) const;

  double k, c;  // of the standard filter that is to be matched
  double ratio;
  std::uint64_t extra;
  std::string rounding;
  std::uint64_t seed;
  bool atomic;  // reserve places and set bits with atomic operations; false: plain load and store, for one thread
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_CHAIN_SHAPE_H_
