// The parameters that every filter here shares: how many bits, how many hash functions, which.
#ifndef BLOOMERY_STRUCTURES_FILTER_SHAPE_H_
#define BLOOMERY_STRUCTURES_FILTER_SHAPE_H_

#include "structures/bits.h"
#include "structures/hash.h"
#include "structures/structure.h"
#include "structures/theory.h"

namespace bloomery {

inline constexpr std::uint64_t kMostHashes = 64;  // positions of a key have room for as many

// m and k: as given, or from the keys expected (n_exp) and either the rate wanted (rho) or the bits a key (c). A given m
// wins over what n_exp and rho say; values that contradict each other are refused.
struct FilterSizes {
  explicit FilterSizes(Params& params);
  std::uint64_t m, k;
};

struct FilterShape {
  explicit FilterShape(Params& params, const std::string& default_hash = "multiplicative")
      : FilterShape(FilterSizes(params), params, default_hash) {}

  std::size_t words() const { return words_for(hasher.m()); }

  Hasher hasher;
  bool atomic;  // set bits with fetch-or; false: plain load and store, for one thread

 private:
  FilterShape(const FilterSizes& sizes, Params& params, const std::string& default_hash);
};

// Throws a ParamError about `name` if so many bits are more than the machine's memory. Arenas reserve address space only,
// so that without it the error would come as a killed process, when the pages are touched.
void expect_fits_memory(const std::string& name, double bits);

// Parameters that filters ask for whether they have this shape or another.
std::uint64_t ask_seed(Params& params);
std::uint64_t ask_mixed_seed(Params& params);  // mixed, so that neighbouring seeds have nothing in common
bool ask_atomic(Params& params);

// Calls body with AtomicBits or SerialBits: the policy is chosen once a call, not once a bit.
template <class Body>
auto with_policy(bool atomic, Body&& body) {
  return atomic ? body(AtomicBits{}) : body(SerialBits{});
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_FILTER_SHAPE_H_
