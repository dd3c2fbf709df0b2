#include "structures/block_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "structures/block_kernels.h"
#include "structures/block_theory.h"
#include "structures/filter_shape.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostBits = 1ULL << 40;
constexpr std::uint64_t kPageBytes = 4096;

}  // namespace

Wanted::Wanted(Params& params)
    : rho(params.real("rho", 0.01, 0, 1, "false positive rate wanted when n_exp keys are in")),
      n_exp(params.integer("n_exp", 10000, 1, 1ULL << 36, "keys expected in a filter")) {}

BlockSizes::BlockSizes(Params& params, const Wanted& wanted, std::uint64_t bytes_of_block,
                       const std::function<double(double)>& rate_of)
    : block_bytes(bytes_of_block) {
  const double by_theory = params.given("m") ? 0 : bits_for_rate(wanted, block_bytes, rate_of);
  const std::uint64_t m = params.integer("m", static_cast<std::uint64_t>(by_theory), 1, kMostBits,
                                         "bits of a filter, rounded up to whole blocks; by default from rho and n_exp");
  *this = BlockSizes(params.given("m") ? "m" : "n_exp", block_bytes, static_cast<double>(m));
}

BlockSizes::BlockSizes(const std::string& name, std::uint64_t bytes_of_block, double bits)
    : block_bytes(bytes_of_block),
      blocks(static_cast<std::uint64_t>(std::max(1.0, std::ceil(bits / static_cast<double>(block_bits()))))) {
  expect_fits_memory(name, static_cast<double>(blocks) * static_cast<double>(block_bits()));
}

double bits_for_rate(const Wanted& wanted, std::uint64_t block_bytes, const std::function<double(double)>& rate_of) {
  const auto bits = static_cast<double>(block_bytes * 8);
  // No filter at all can do with fewer than lg(1/rho) bits a key: the search starts there.
  const double start = std::max(1.0, static_cast<double>(wanted.n_exp) * -std::log2(wanted.rho) / bits);
  const double most = std::max(1.0, 2 * static_cast<double>(kMostBits) / bits / start);
  const double times = least_for_rate(wanted.rho, most, [&](double x) { return rate_of(std::ceil(x * start)); });
  return std::ceil(times * start) * bits;
}

std::uint64_t ask_block_bytes(Params& params, std::uint64_t least, std::uint64_t most) {
  const std::string block = params.choice("block", "line", {"line", "page"}, "a cache line, 64 bytes, or a page, 4096");
  const std::uint64_t usual = block == "line" ? kLineBytes : kPageBytes;
  const std::uint64_t bytes =
      params.integer("block_bytes", usual, least, most, "of a block, whole words; by default as block says");
  if (bytes % sizeof(Word) != 0) {
    throw ParamError("block_bytes", fmt::format("block_bytes is {}; it must be whole words of 8", bytes));
  }
  if (params.given("block") && bytes != usual) {
    throw ParamError("block_bytes", fmt::format("block_bytes is {}, but block is {}, which is {}; leave out one of the "
                                                "two",
                                                bytes, block, usual));
  }
  return bytes;
}

}  // namespace bloomery
