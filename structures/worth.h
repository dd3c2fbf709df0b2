// What a filter is worth to someone who is sent it: how often it errs, by the definitions in use, and how large it is.
#ifndef BLOOMERY_STRUCTURES_WORTH_H_
#define BLOOMERY_STRUCTURES_WORTH_H_

#include <concepts>
#include <cstdint>

#include "structures/structure.h"

namespace bloomery {

// The posterior of a key is the chance that the filters that it visits all say yes, by the share of bits set in each.
struct Worth {
  double geometric_rate = 0;     // geometric mean of the posteriors of a sample of keys; those of zero are left out
  double zero_share = 0;         // how many of the sample those are
  double expected_rate = 0;      // mean chance that a key of the sample is wrongly found: what a user would measure
  std::uint64_t array_bits = 0;  // in memory
  std::uint64_t sent_bits = 0;   // arithmetic-coded
  double hashes = 0;             // hash functions that a query answered with yes evaluates
};

template <class T>
concept Weighs = requires(const T& c, Keys sample) {
  { c.worth(sample) } -> std::same_as<Worth>;
};

// Keeps what is in both; throws a ParamError and changes nothing if the two are not of one shape.
template <class T>
concept Intersects = requires(T t, const T& other) {
  t.intersect_with(other);
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_WORTH_H_
