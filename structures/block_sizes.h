// How large a filter of blocks is.
#ifndef BLOOMERY_STRUCTURES_BLOCK_SIZES_H_
#define BLOOMERY_STRUCTURES_BLOCK_SIZES_H_

#include <cstdint>
#include <functional>

#include "structures/params.h"

namespace bloomery {

// Keys expected and the rate wanted: what a filter is sized from.
struct Wanted {
  explicit Wanted(Params& params);
  double rho;
  std::uint64_t n_exp;
};

// So many blocks of so many bytes: from m, or as many as it takes for rate_of(blocks) to come down to the rate wanted.
struct BlockSizes {
  BlockSizes(Params& params, const Wanted& wanted, std::uint64_t block_bytes,
             const std::function<double(double blocks)>& rate_of);

  std::uint64_t block_bits() const { return block_bytes * 8; }
  std::uint64_t bytes() const { return blocks * block_bytes; }

  std::uint64_t block_bytes;
  std::uint64_t blocks;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BLOCK_SIZES_H_
