// A filter to compare a structure with, made equal to it in one respect.
#ifndef BLOOMERY_EXPERIMENTS_RIVAL_H_
#define BLOOMERY_EXPERIMENTS_RIVAL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "experiments/plan.h"
#include "structures/worth.h"

namespace bloomery {

// What the rival has in common with the structure, of which exactly one counts.
struct Equal {
  enum class By { kGeometric, kMeasured, kSent, kMemory } by = By::kGeometric;
  double rate = 0;         // by geometric mean or as measured
  std::uint64_t bits = 0;  // sent or in memory
};

// A rival with more bits than so many times those of the structure is not built.
inline constexpr double kMostArrays = 16;

struct RivalFilter {
  std::string structure;
  std::map<std::string, std::string> params;
  double array_bits = 0;
  double expected_sent_bits = 0;
};

bool has_rival(const Unit& unit);
bool holds_many(const Unit& unit);  // the rival is an index, to which the keys are dealt as `groups` sets
Equal::By rival_by(const Unit& unit);

// The unit's rival, for `keys` keys; nothing if none is equal, for a rate of 0 or 1.
std::optional<RivalFilter> rival_of(const Unit& unit, const Equal& equal, std::uint64_t keys);
// The unit's rival that holds many sets, in so many bits of memory. `filters` is how many a bloofi has for these sets.
RivalFilter index_rival(const Unit& unit, std::uint64_t bits, std::uint64_t keys, std::uint64_t filters);
// A standard filter of this rate.
std::optional<RivalFilter> standard_filter(double rate, std::uint64_t keys, const std::string& seed);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_RIVAL_H_
