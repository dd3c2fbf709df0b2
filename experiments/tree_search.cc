#include "experiments/tree_search.h"

#include <algorithm>

namespace bloomery {
namespace {

bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

}  // namespace

std::vector<double> Goal::objectives(const Trial& trial) const {
  if (measured) return {trial.measured_rate().median, trial.bits_sent};
  // A tree that says yes to all is no better than no filter: infinitely many times its size.
  const double rate = std::min(trial.geometric_rate, 1 - 1e-9);
  return {trial.geometric_rate, trial.bits_sent, share_of_standard(trial.bits_sent, rate)};
}

bool Goal::admits(const Trial& trial) const {
  // Where every sampled query meets an empty filter there is no geometric mean.
  if (!measured && trial.geometric_rate == 0) return false;
  const double rate = measured ? trial.measured_rate().high : trial.geometric_rate;
  return rate <= max_rate && trial.bits_sent <= max_bits;
}

std::vector<bool> pareto_front(const std::vector<Trial>& trials, const Goal& goal) {
  std::vector<std::vector<double>> points(trials.size());  // empty: out of bounds
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (goal.admits(trials[i])) points[i] = goal.objectives(trials[i]);
  }
  std::vector<bool> front(trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    front[i] = !points[i].empty() && std::ranges::none_of(points, [&](const auto& other) {
      return !other.empty() && dominates(other, points[i]);
    });
  }
  return front;
}

std::optional<std::size_t> smallest_of(const std::vector<Trial>& trials, const std::vector<bool>& front) {
  std::optional<std::size_t> smallest;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (front[i] && (!smallest || trials[i].bits_sent < trials[*smallest].bits_sent)) smallest = i;
  }
  return smallest;
}

Search search_all(const TreeSpace& space, const TreeTrials& trials, const Executor& executor) {
  Search search;
  search.asked = space.size();
  search.trials.resize(space.size());
  executor.for_chunks(search.trials.size(), 1, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) search.trials[i] = trials.run(space.at(i));
  });
  return search;
}

}  // namespace bloomery
