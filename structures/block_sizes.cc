#include "structures/block_sizes.h"

#include <algorithm>
#include <cmath>

#include "structures/block_theory.h"
#include "structures/filter_shape.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostBits = 1ULL << 40;

// By theory. A rate that no size reaches ends at more bits than any memory has, and is refused as that.
std::uint64_t bits_wanted(const Wanted& wanted, double block_bits, const std::function<double(double)>& rate_of) {
  const double most = 2 * static_cast<double>(kMostBits) / block_bits;
  return static_cast<std::uint64_t>(std::ceil(least_for_rate(wanted.rho, most, rate_of)) * block_bits);
}

}  // namespace

Wanted::Wanted(Params& params)
    : rho(params.real("rho", 0.01, 0, 1, "false positive rate wanted when n_exp keys are in")),
      n_exp(params.integer("n_exp", 10000, 1, 1ULL << 36, "keys expected in a filter")) {}

BlockSizes::BlockSizes(Params& params, const Wanted& wanted, std::uint64_t bytes_of_block,
                       const std::function<double(double)>& rate_of)
    : block_bytes(bytes_of_block) {
  const auto bits = static_cast<double>(block_bits());
  const std::uint64_t by_theory = params.given("m") ? 0 : bits_wanted(wanted, bits, rate_of);
  const std::uint64_t m = params.integer("m", by_theory, 1, kMostBits,
                                         "bits of a filter, rounded up to whole blocks; by default from rho and n_exp");
  blocks = (m + block_bits() - 1) / block_bits();
  expect_fits_memory(params.given("m") ? "m" : "n_exp", static_cast<double>(blocks) * bits);
}

}  // namespace bloomery
