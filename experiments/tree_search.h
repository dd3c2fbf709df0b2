// Looks for the best settings of a BloomTree: all of them, or NSGA-II.
#ifndef BLOOMERY_EXPERIMENTS_TREE_SEARCH_H_
#define BLOOMERY_EXPERIMENTS_TREE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "experiments/tree_space.h"
#include "structures/parallel.h"

namespace bloomery {

// What is to be small, and within which bounds.
struct Goal {
  // The paper's three objectives: geometric mean rate, bits sent, and bits sent over those of a plain filter of that
  // rate. Measured: the rate that a user sees, and bits sent.
  bool measured = false;
  double max_rate = 1;  // of the geometric mean; of the upper end of the measured rate's interval
  double max_bits = std::numeric_limits<double>::infinity();  // sent a key

  std::vector<double> objectives(const Trial& trial) const;
  bool admits(const Trial& trial) const;
};

// For each, whether it is within the bounds and no other one there is better in one objective and no worse in the rest.
std::vector<bool> pareto_front(const std::vector<Trial>& trials, const Goal& goal);

// Of the front, what takes the fewest bits; nothing if the front is empty.
std::optional<std::size_t> smallest_of(const std::vector<Trial>& trials, const std::vector<bool>& front);

struct Search {
  std::vector<Trial> trials;  // each setting once, in the order of their numbers
  std::uint64_t asked = 0;    // how often the search wanted to know what a setting is worth
  std::uint64_t rounds = 0;
};

// The same whatever the executor.
Search search_all(const TreeSpace& space, const TreeTrials& trials, const Executor& executor);

// The paper's genetic algorithm: ends after `rounds`, or when over the last `stall_rounds` the best value of each
// objective changed by no more than `stall_change`, relative, a round on average.
struct GeneticSpec {
  std::uint64_t population = 16;  // a multiple of four, at least 8, which NSGA-II needs; the paper's is 15
  std::uint64_t rounds = 100;
  std::uint64_t stall_rounds = 50;
  double stall_change = 1e-4;
  std::uint64_t seed = 1;
};
void check_genetic(const GeneticSpec& spec);  // throws a ParamError
Search search_genetic(const TreeSpace& space, const TreeTrials& trials, const Goal& goal, const GeneticSpec& spec,
                      const Executor& executor);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_TREE_SEARCH_H_
