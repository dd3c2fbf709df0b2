#include "structures/filter_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "structures/arena.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostBits = 1ULL << 40, kMostKeys = 1ULL << 36;
constexpr double kMostBitsAKey = 1 << 20;

void expect_few_hashes(std::uint64_t k, double rho) {
  if (k <= kMostHashes) return;
  throw ParamError("rho",
                   fmt::format("rho is {:g}, which needs {} hash functions; {} are the most, for a rho of {:.2g}", rho,
                               k, kMostHashes, std::exp2(-static_cast<double>(kMostHashes))));
}

// With c bits a key and no k of their own choice, the user has said twice what the rate is.
void expect_reachable(double c, std::uint64_t k, double rho) {
  const double rate = false_positive_rate(c, static_cast<double>(k), 1);
  if (rate <= rho * 1.01) return;
  throw ParamError("c", fmt::format("c is {:g} bits a key, which with {} hash functions gives a rate of {:.2g}, not the "
                                    "{:g} of rho; leave out one of the two",
                                    c, k, rate, rho));
}

void expect_same(double c, std::uint64_t n_exp, std::uint64_t derived, std::uint64_t m) {
  if (m <= derived + 64 && derived <= m + 64) return;  // both are rounded to whole words
  throw ParamError("c", fmt::format("c is {:g} bits a key, which for n_exp {} is {} bits, but m is {}; leave out one of "
                                    "the two",
                                    c, n_exp, derived, m));
}

// The parameter that says how large the filter is.
std::string size_name(const Params& params) { return params.given("m") ? "m" : params.given("c") ? "c" : "n_exp"; }

void expect_few_bits(const Params& params, std::uint64_t m) {
  if (m <= kMostBits) return;
  throw ParamError(size_name(params), fmt::format("n_exp keys need {} bits; {} are the most", m, kMostBits));
}

HashKind ask_hash(const FilterSizes& sizes, Params& params, const std::string& fallback) {
  const std::string name = params.choice("hash", fallback, {"multiplicative", "double", "modulo"},
                                         "a x mod 2^31 mod m, double hashing of a 64-bit mix, or x mod m");
  if (name == "multiplicative" && sizes.m >= 1ULL << 31) {
    throw ParamError("hash", "hash is multiplicative, which reaches 2^31 bits only; use double for a larger m");
  }
  return parse_hash(name);
}

}  // namespace

FilterSizes::FilterSizes(Params& params) {
  const double rho = params.real("rho", 0.01, 0, 1, "false positive rate wanted when n_exp keys are in");
  const std::uint64_t n_exp = params.integer("n_exp", 10000, 1, kMostKeys, "keys expected in a filter");
  const auto keys = static_cast<double>(n_exp);
  const bool by_rate = params.given("rho") || !params.given("c");
  const double usual_c = static_cast<double>(bits_for(hashes_for_rate(rho), keys)) / keys;
  const double c = params.real("c", usual_c, 0, kMostBitsAKey, "bits a key; by default from k, with n_exp keys");
  const std::uint64_t usual_k = by_rate ? hashes_for_rate(rho) : std::min(kMostHashes, best_hashes(c));
  k = params.integer("k", usual_k, 1, kMostHashes, "hash functions; by default from rho, or the best for c");
  expect_few_hashes(k, rho);
  const std::uint64_t usual_m = params.given("c") ? whole_words(c * keys) : bits_for(k, keys);
  m = params.integer("m", usual_m, 1, kMostBits, "bits of a filter; by default from n_exp and c or k");
  expect_few_bits(params, m);
  if (!params.given("c")) return;
  if (params.given("m")) {
    expect_same(c, n_exp, usual_m, m);
  } else if (params.given("rho") && !params.given("k")) {
    expect_reachable(c, k, rho);
  }
}

FilterShape::FilterShape(const FilterSizes& sizes, Params& params, const std::string& default_hash)
    : hasher(ask_hash(sizes, params, default_hash), sizes.m, sizes.k, ask_seed(params)), atomic(ask_atomic(params)) {
  expect_fits_memory(size_name(params), static_cast<double>(sizes.m));
}

void expect_fits_memory(const std::string& name, double bits) {
  const double bytes = bits / 8, memory = static_cast<double>(machine_memory());
  if (bytes <= memory) return;
  throw ParamError(name, fmt::format("{}: {:.0f} bits are {:.1f} GiB and this machine has {:.1f} GiB", name, bits,
                                     bytes / 0x1p30, memory / 0x1p30));
}

std::uint64_t ask_seed(Params& params) { return params.integer("seed", 1, 0, ~0ULL >> 1, "of the hash functions"); }

std::uint64_t ask_mixed_seed(Params& params) { return mix64(ask_seed(params) + 0x9e3779b97f4a7c15U); }

bool ask_atomic(Params& params) { return params.flag("atomic", true, "set bits with atomic fetch-or"); }

}  // namespace bloomery
