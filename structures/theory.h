// What the papers' formulas predict, to be drawn beside what is measured.
#ifndef BLOOMERY_STRUCTURES_THEORY_H_
#define BLOOMERY_STRUCTURES_THEORY_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bloomery {

// Bloofi 7.1.2: hash functions for a desired false positive rate.
inline std::uint64_t hashes_for_rate(double rho) {
  return static_cast<std::uint64_t>(std::ceil(-std::log(rho) / std::log(2.0)));
}

// Rounded up to whole 64-bit words, at least one.
inline std::uint64_t whole_words(double bits) {
  return std::max<std::uint64_t>(64, (static_cast<std::uint64_t>(std::ceil(bits)) + 63) / 64 * 64);
}

// Bloofi 7.1.2: bits for n_exp keys, in whole words as the paper's Table 1 has it (100 992).
inline std::uint64_t bits_for(std::uint64_t k, double n_exp) {
  return whole_words(static_cast<double>(k) / std::log(2.0) * n_exp);
}

// Tutorial 2: the number of hash functions that makes the rate smallest at c bits a key is c ln 2, here in whole ones.
inline std::uint64_t best_hashes(double c) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(c * std::log(2.0))));
}

// False positive probability of a filter with n keys.
inline double false_positive_rate(double m, double k, double n) { return std::pow(1 - std::exp(-k * n / m), k); }

// Tutorial, Fig. 2: bits a key for a rate with k hash functions.
inline double bits_for_rate(double k, double rate) { return -k / std::log1p(-std::exp(std::log(rate) / k)); }

// With k hash functions and `bits` bits of array a key, what a key takes when the array is arithmetic-coded. It grows
// with the array, without bound, from where the array is half full.
inline double coded_bits_a_key(double k, double bits) {
  const double empty = std::exp(-k / bits);
  return -bits * (empty * std::log2(empty) + (1 - empty) * std::log2(-std::expm1(-k / bits)));
}

// Bits a key for a rate: that no structure can go below, and of a standard filter with the best number of hash
// functions (Fu and Biersack, Eq. 14), which arithmetic coding cannot make smaller.
inline double least_bits_for_rate(double rate) { return -std::log2(rate); }
inline double standard_bits_for_rate(double rate) { return -std::log2(rate) / std::log(2.0); }

// Bloofi 7.2.1: filters checked when exactly one path is followed and every inner node has l children.
inline double ideal_search_cost(double l, double sets) { return l * std::log(sets) / std::log(l) + 1; }

// Kaler 3: what a chain whose first link has rate p, each next one `ratio` times the last, stays below.
inline double scalable_rate_bound(double p, double ratio) { return p / (1 - ratio); }

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_THEORY_H_
