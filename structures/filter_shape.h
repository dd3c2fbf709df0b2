// The parameters that every filter here shares: how many bits, how many hash functions, which.
#ifndef BLOOMERY_STRUCTURES_FILTER_SHAPE_H_
#define BLOOMERY_STRUCTURES_FILTER_SHAPE_H_

#include <fmt/format.h>

#include <cmath>

#include "structures/bits.h"
#include "structures/hash.h"
#include "structures/structure.h"
#include "structures/theory.h"

namespace bloomery {

inline constexpr std::uint64_t kMostHashes = 64;  // positions of a key have room for as many

// m and k as given, or from the keys expected and the rate wanted.
struct FilterShape {
  explicit FilterShape(Params& params, const std::string& default_hash = "multiplicative")
      : FilterShape(Sizes(params), params, default_hash) {}

  std::size_t words() const { return words_for(hasher.m()); }

  Hasher hasher;
  bool atomic;  // set bits with fetch-or; false: plain load and store, for one thread

 private:
  struct Sizes {
    explicit Sizes(Params& params) {
      const double rho = params.real("rho", 0.01, 0, 1, "false positive rate wanted when n_exp keys are in");
      const std::uint64_t n_exp = params.integer("n_exp", 10000, 1, 1ULL << 36, "keys expected in a filter");
      const std::uint64_t wanted = hashes_for_rate(rho);
      k = params.integer("k", wanted, 1, kMostHashes, "hash functions; by default from rho");
      if (k > kMostHashes) {
        throw ParamError("rho", fmt::format("rho is {:g}, which needs {} hash functions; {} are the most, for a rho of {:.2g}",
                                            rho, k, kMostHashes, std::exp2(-static_cast<double>(kMostHashes))));
      }
      m = params.integer("m", bits_for(k, static_cast<double>(n_exp)), 1, 1ULL << 40,
                         "bits of a filter; by default from k and n_exp");
    }
    std::uint64_t m, k;
  };
  FilterShape(const Sizes& sizes, Params& params, const std::string& default_hash)
      : hasher(hash_kind(sizes, params, default_hash), sizes.m, sizes.k,
               params.integer("seed", 1, 0, ~0ULL >> 1, "of the hash functions")),
        atomic(params.flag("atomic", true, "set bits with atomic fetch-or")) {}

  static HashKind hash_kind(const Sizes& sizes, Params& params, const std::string& fallback) {
    const std::string name = params.choice("hash", fallback, {"multiplicative", "double", "modulo"},
                                           "a x mod 2^31 mod m, double hashing of a 64-bit mix, or x mod m");
    if (name == "multiplicative" && sizes.m >= 1ULL << 31) {
      throw ParamError("hash", "hash is multiplicative, which reaches 2^31 bits only; use double for a larger m");
    }
    return parse_hash(name);
  }
};

// Calls body with AtomicBits or SerialBits: the policy is chosen once a call, not once a bit.
template <class Body>
auto with_policy(bool atomic, Body&& body) {
  return atomic ? body(AtomicBits{}) : body(SerialBits{});
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_FILTER_SHAPE_H_
