#include "structures/chain_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "structures/filter_shape.h"

namespace bloomery {
namespace {

// Real where it comes from rho, as given where it is given.
double wanted_hashes(Params& params) {
  const double rho = params.real("rho", 0.01, 0, 1, "false positive rate wanted");
  const std::uint64_t k = params.integer("k", hashes_for_rate(rho), 1, kMostHashes,
                                         "hash functions of the standard filter to match; by default lg(1/rho), not rounded");
  if (params.given("k")) return static_cast<double>(k);
  if (k > kMostHashes) {
    throw ParamError("rho", fmt::format("rho is {:g}, which needs {} hash functions; {} are the most", rho, k, kMostHashes));
  }
  return -std::log2(rho);
}

}  // namespace

ChainShape::ChainShape(Params& params, std::uint64_t default_extra)
    : k(wanted_hashes(params)),
      c(params.real("c", k / std::numbers::ln2, 0, 1e4, "bits a key of the standard filter to match; by default k / ln 2")),
      ratio(params.real("ratio", 0.5, 0, 1, "false positive rate of a link over that of the link before")),
      extra(params.integer("extra", default_extra, 0, 32, "hash functions added from the first link on")),
      rounding(params.choice("rounding", "nearest", {"nearest", "floor", "none"}, "of the hash functions of a link")),
      seed(ask_mixed_seed(params)),
      atomic(ask_atomic(params)) {}

LinkShape ChainShape::link(std::uint64_t i) const {
  const double more = static_cast<double>(extra) + static_cast<double>(i) * std::log2(1 / ratio);
  LinkShape shape;
  shape.k = std::clamp(k + more, 1.0, static_cast<double>(kMostHashes));
  shape.c = c + (shape.k - k) / std::numbers::ln2;
  shape.hashes = static_cast<std::uint32_t>(rounding == "nearest" ? std::round(shape.k) : std::floor(shape.k));
  if (rounding == "none") shape.share = static_cast<std::uint64_t>((shape.k - std::floor(shape.k)) * 0x1p64);
  return shape;
}

}  // namespace bloomery
