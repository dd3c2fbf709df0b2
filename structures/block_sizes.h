// How large a filter of blocks is, and how its keys fall into them.
#ifndef BLOOMERY_STRUCTURES_BLOCK_SIZES_H_
#define BLOOMERY_STRUCTURES_BLOCK_SIZES_H_

#include <cstdint>
#include <functional>
#include <string>

#include "structures/params.h"

namespace bloomery {

// Keys expected and the rate wanted: what a filter is sized from.
struct Wanted {
  explicit Wanted(Params& params);
  Wanted(double rate, std::uint64_t keys) : rho(rate), n_exp(keys) {}
  double rho;
  std::uint64_t n_exp;
};

// So many blocks of so many bytes.
struct BlockSizes {
  BlockSizes() = default;
  // From m, or as many as it takes for rate_of(blocks) to come down to the rate wanted.
  BlockSizes(Params& params, const Wanted& wanted, std::uint64_t block_bytes,
             const std::function<double(double blocks)>& rate_of);
  // Enough for so many bits; if that does not fit into memory, a ParamError about `name`.
  BlockSizes(const std::string& name, std::uint64_t block_bytes, double bits);

  std::uint64_t block_bits() const { return block_bytes * 8; }
  std::uint64_t bytes() const { return blocks * block_bytes; }

  std::uint64_t block_bytes = 0;
  std::uint64_t blocks = 0;
};

// The bits of as few blocks as it takes for rate_of(blocks) to come down to the rate wanted. A rate that no size
// reaches gives more bits than any memory has.
double bits_for_rate(const Wanted& wanted, std::uint64_t block_bytes, const std::function<double(double)>& rate_of);

// Bytes of a block: a cache line, a page, or any whole number of words from `least` to `most` bytes.
std::uint64_t ask_block_bytes(Params& params, std::uint64_t least, std::uint64_t most);

// Keys in a block.
struct BlockLoads {
  std::uint64_t least = 0, most = 0;
  double mean = 0;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BLOCK_SIZES_H_
