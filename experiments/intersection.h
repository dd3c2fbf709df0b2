// Two sets, each in a filter, and what their filters' intersection says of keys that are not in both.
#ifndef BLOOMERY_EXPERIMENTS_INTERSECTION_H_
#define BLOOMERY_EXPERIMENTS_INTERSECTION_H_

#include <memory>
#include <string>

#include "experiments/phases.h"

namespace bloomery {

// The first `both` keys are of both sets, the next ones of one alone, then of the other alone.
struct TwoSets {
  std::vector<Key> keys;
  std::size_t both = 0, only_first = 0, only_second = 0;
  std::vector<Key> queries;  // in the intersection none of them is

  Keys shared() const { return Keys(keys).first(both); }
  Keys first_only() const { return Keys(keys).subspan(both, only_first); }
  Keys second_only() const { return Keys(keys).subspan(both + only_first, only_second); }
};

// Throws InputError if the trace is not what it takes.
TwoSets make_two_sets(const Unit& unit);

// Throws InputError for a trace that cannot be read, in full or at all.
void check_trace(const Unit& unit);

std::unique_ptr<Scenario> start_intersection(const Unit& unit, Inputs& inputs);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_INTERSECTION_H_
