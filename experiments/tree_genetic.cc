// NSGA-II of pagmo over the settings of a BloomTree.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/bfe.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <utility>

#include "experiments/tree_search.h"
#include "experiments/workload.h"

namespace bloomery {
namespace {

using pagmo::vector_double;

// What each setting is worth, asked for once. Shared by the copies that pagmo makes of a problem; only ever called from
// one thread, which spreads a batch over others.
class Memory {
 public:
  Memory(const TreeSpace& space, const TreeTrials& trials, const Goal& goal, const Executor& executor)
      : space_(space), trials_(trials), goal_(goal), executor_(executor) {}

  // The settings of `batch` lie one after the other.
  void try_out(const vector_double& batch) {
    const std::size_t width = space_.variables().size();
    std::vector<std::uint64_t> numbers;  // new ones, each once
    for (std::size_t at = 0; at < batch.size(); at += width) {
      const std::uint64_t number = number_of(batch, at);
      if (known_.try_emplace(number).second) numbers.push_back(number);
      ++asked_;
    }
    executor_.for_chunks(numbers.size(), 1, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) known_.at(numbers[i]) = trials_.run(space_.at(numbers[i]));
    });
  }

  // Of settings that were tried out. One that breaks a bound is worse than all that keep it, and the more so the
  // further it is off.
  vector_double fitness(const vector_double& batch) const {
    vector_double all;
    for (std::size_t at = 0; at < batch.size(); at += space_.variables().size()) {
      const Trial& trial = known_.at(number_of(batch, at));
      const double penalty = penalty_of(trial);
      for (double objective : goal_.objectives(trial)) all.push_back(objective + penalty);
    }
    return all;
  }

  const TreeSpace& space() const { return space_; }
  std::size_t objectives() const { return goal_.measured ? 2 : 3; }

  Search result(std::uint64_t rounds) && {
    Search search;
    search.asked = asked_;
    search.rounds = rounds;
    for (auto& [number, trial] : known_) search.trials.push_back(std::move(trial));
    return search;
  }

 private:
  std::uint64_t number_of(const vector_double& batch, std::size_t at) const {
    const auto first = batch.begin() + static_cast<std::ptrdiff_t>(at);
    const auto width = static_cast<std::ptrdiff_t>(space_.variables().size());
    return space_.number_of(space_.from_variables({first, first + width}));
  }

  double penalty_of(const Trial& trial) const {
    constexpr double kPenalty = 1e6;  // more than any objective of a setting within the bounds
    if (goal_.admits(trial)) return 0;
    const double rate = goal_.measured ? trial.measured_rate().high : trial.geometric_rate;
    return kPenalty * (1 + std::max(0.0, rate - goal_.max_rate) + std::max(0.0, trial.bits_sent - goal_.max_bits));
  }

  const TreeSpace& space_;
  const TreeTrials& trials_;
  const Goal& goal_;
  const Executor& executor_;
  std::map<std::uint64_t, Trial> known_;
  std::uint64_t asked_ = 0;
};

struct TreeProblem {
  std::shared_ptr<Memory> memory;

  vector_double fitness(const vector_double& values) const { return memory->fitness(values); }
  vector_double::size_type get_nobj() const { return memory->objectives(); }
  vector_double::size_type get_nix() const { return memory->space().variables().size(); }
  std::pair<vector_double, vector_double> get_bounds() const {
    std::pair<vector_double, vector_double> bounds;
    for (const Range& range : memory->space().variables()) {
      bounds.first.push_back(static_cast<double>(range.low));
      bounds.second.push_back(static_cast<double>(range.high));
    }
    return bounds;
  }
};

// A round's settings at once. Used with one thread too: pagmo draws in another order without it.
struct TryOut {
  vector_double operator()(const pagmo::problem& problem, const vector_double& batch) const {
    const std::shared_ptr<Memory>& memory = problem.extract<TreeProblem>()->memory;
    memory->try_out(batch);
    return memory->fitness(batch);
  }
};

pagmo::population first_population(const std::shared_ptr<Memory>& memory, const GeneticSpec& spec) {
  Random random(spec.seed, 0, Random::kMaintenance);
  std::vector<vector_double> settings(spec.population);
  vector_double batch;
  for (vector_double& setting : settings) {
    for (const Range& range : memory->space().variables())
      setting.push_back(static_cast<double>(range.low + random.below(range.size())));
    batch.insert(batch.end(), setting.begin(), setting.end());
  }
  memory->try_out(batch);
  pagmo::population population(pagmo::problem(TreeProblem{memory}), 0, static_cast<unsigned>(spec.seed));
  for (const vector_double& setting : settings) population.push_back(setting);
  return population;
}

vector_double best_of(const pagmo::population& population) {
  vector_double best = population.get_f().front();
  for (const vector_double& values : population.get_f()) {
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::min(best[i], values[i]);
  }
  return best;
}

// The relative change a round, over the last rounds and all objectives on average.
double change_over(const std::vector<vector_double>& best, std::uint64_t rounds) {
  double change = 0;
  const vector_double &now = best.back(), &before = best[best.size() - 1 - rounds];
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (before[i] != now[i]) change += std::abs(before[i] - now[i]) / std::max(std::abs(before[i]), 1e-300);
  }
  return change / static_cast<double>(rounds) / static_cast<double>(now.size());
}

}  // namespace

void check_genetic(const GeneticSpec& spec) {
  if (spec.population % 4 == 0 && spec.population >= 8) return;
  throw ParamError("population",
                   fmt::format("population is {}; it must be a multiple of four, from 8 on", spec.population));
}

Search search_genetic(const TreeSpace& space, const TreeTrials& trials, const Goal& goal, const GeneticSpec& spec,
                      const Executor& executor) {
  check_genetic(spec);
  const auto memory = std::make_shared<Memory>(space, trials, goal, executor);
  constexpr double kCrossover = 0.95, kCrossoverIndex = 10, kMutationIndex = 50;  // pagmo's own
  const double mutation = 1 / static_cast<double>(space.variables().size());
  pagmo::nsga2 nsga2(1, kCrossover, kCrossoverIndex, mutation, kMutationIndex, static_cast<unsigned>(spec.seed));
  nsga2.set_bfe(pagmo::bfe(TryOut{}));
  const pagmo::algorithm algorithm(std::move(nsga2));
  pagmo::population population = first_population(memory, spec);
  std::vector<vector_double> best = {best_of(population)};
  std::uint64_t rounds = 0;
  while (rounds < spec.rounds) {
    population = algorithm.evolve(population);
    best.push_back(best_of(population));
    if (++rounds >= spec.stall_rounds && change_over(best, spec.stall_rounds) <= spec.stall_change) break;
  }
  return std::move(*memory).result(rounds);
}

}  // namespace bloomery
