#include "experiments/optimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/numbers.h"
#include "experiments/tree_search.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostLevelsExhaustive = 4;  // 153 664 settings; one more level, and there are four millions

double real_of(const Unit& unit, const std::string& name) { return parse_real(unit.settings.at(name)).value_or(0); }

std::uint64_t integer_of(const Unit& unit, const std::string& name) {
  return parse_integer(unit.settings.at(name)).value_or(0);
}

// A seed of its own for each repetition and purpose.
std::uint64_t derived_seed(const WorkloadSpec& data, Random::Purpose purpose) {
  return Random(data.seed, data.repeat, purpose).next() >> 32;
}

bool is_exhaustive(const Unit& unit) {
  const std::string& method = unit.settings.at("method");
  return method == "exhaustive" || (method == "auto" && integer_of(unit, "d") <= 2);
}

TrialSpec trial_spec(const Unit& unit) {
  const WorkloadSpec data = settings_of(unit).data;
  return {.n = data.keys_per_set,
          .rho_1 = real_of(unit, "rho_1"),
          .hashing = unit.settings.at("hashing"),
          .queries = data.queries,
          .instances = integer_of(unit, "instances"),
          .seed = derived_seed(data, Random::kSets)};
}

Goal goal_of(const Unit& unit, bool measured) {
  Goal goal{.measured = measured, .max_rate = real_of(unit, "max_rate")};
  if (const double bits = real_of(unit, "max_bits"); bits > 0) goal.max_bits = bits;
  return goal;
}

bool wants_measured(const Unit& unit) { return unit.settings.at("goal") == "measured"; }

GeneticSpec genetic_spec(const Unit& unit) {
  return {.population = integer_of(unit, "population"),
          .rounds = integer_of(unit, "rounds"),
          .stall_rounds = integer_of(unit, "stall_rounds"),
          .stall_change = real_of(unit, "stall_change"),
          .seed = derived_seed(settings_of(unit).data, Random::kMaintenance)};
}

std::string truth(bool value) { return value ? "true" : "false"; }

std::string text_of(double value) { return fmt::format("{}", value); }

class OptimizeScenario final : public Scenario {
 public:
  explicit OptimizeScenario(const Unit& unit)
      : unit_(unit), space_(integer_of(unit, "d")), trials_(trial_spec(unit)), executor_(executor_of(unit)) {}

  Row run(std::size_t, const Timed& timed) override {
    timed([&] { search_ = search(); });
    paper_front_ = pareto_front(search_.trials, goal_of(unit_, false));
    measured_front_ = pareto_front(search_.trials, goal_of(unit_, true));
    Row row = row_of(unit_, "optimize");
    set_number(row, "ops", static_cast<double>(search_.trials.size()));
    add_param(row, "settings", std::to_string(space_.size()));
    add_param(row, "asked", std::to_string(search_.asked));
    add_param(row, "ran", std::to_string(search_.rounds));
    add_front_size(row, "front_size", paper_front_);
    add_front_size(row, "measured_front_size", measured_front_);
    add_smallest(row);
    return row;
  }

  std::vector<Row> more_rows() override {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < search_.trials.size(); ++i) rows.push_back(setting_row(i));
    return rows;
  }

 private:
  static Executor executor_of(const Unit& unit) {
    const RunSettings settings = settings_of(unit);
    return Executor(settings.backend, settings.threads);
  }

  Search search() const {
    if (is_exhaustive(unit_)) return search_all(space_, trials_, executor_);
    return search_genetic(space_, trials_, goal_of(unit_, wants_measured(unit_)), genetic_spec(unit_), executor_);
  }

  static void add_front_size(Row& row, const std::string& name, const std::vector<bool>& front) {
    add_param(row, name, std::to_string(std::ranges::count(front, true)));
  }

  // The answer to the user's question: what takes the fewest bits within the bounds. Being the best of many it was
  // lucky with its keys, too; so its rate is measured once more, with others.
  void add_smallest(Row& row) const {
    const std::vector<bool>& front = wants_measured(unit_) ? measured_front_ : paper_front_;
    const std::optional<std::size_t> smallest = smallest_of(search_.trials, front);
    if (!smallest) return;
    TrialSpec fresh = trial_spec(unit_);
    fresh.seed = derived_seed(settings_of(unit_).data, Random::kRecheck);
    const Trial again = TreeTrials(fresh).run(search_.trials[*smallest].setting);
    add_param(row, "smallest_k", again.setting.k_text());
    add_param(row, "smallest_m_levels", again.setting.m_text());
    add_param(row, "smallest_bits_sent", text_of(again.bits_sent));
    add_param(row, "smallest_geometric_rate", text_of(again.geometric_rate));
    const Summary rate = again.measured_rate();
    add_param(row, "smallest_rate", text_of(rate.median));
    add_param(row, "smallest_low", text_of(rate.low));
    add_param(row, "smallest_high", text_of(rate.high));
  }

  Row setting_row(std::size_t index) const {
    const Trial& trial = search_.trials[index];
    Unit unit = unit_;
    unit.settings["k"] = trial.setting.k_text();
    unit.settings["m_levels"] = trial.setting.m_text();
    unit.settings["m"] = text_of(std::ceil(real_of(unit_, "rho_1") * real_of(unit_, "n")));
    Row row = row_of(unit, "setting");
    set_number(row, "ops", static_cast<double>(trial.queries));
    row["matches"] = row["false_positives"] = std::to_string(trial.false_positives);
    set_number(row, "storage_bytes", std::ceil(trial.bits_stored * real_of(unit_, "n") / 8));
    const Summary rate = trial.measured_rate();
    add_param(row, "setting", std::to_string(space_.number_of(trial.setting)));
    add_param(row, "geometric_rate", text_of(trial.geometric_rate));
    add_param(row, "zeros", text_of(trial.zeros));
    add_param(row, "bits_sent", text_of(trial.bits_sent));
    add_param(row, "measured_low", text_of(rate.low));
    add_param(row, "measured_high", text_of(rate.high));
    add_param(row, "paper_front", truth(paper_front_[index]));
    add_param(row, "measured_front", truth(measured_front_[index]));
    return row;
  }

  const Unit& unit_;
  const TreeSpace space_;
  const TreeTrials trials_;
  const Executor executor_;
  Search search_;
  std::vector<bool> paper_front_, measured_front_;
};

}  // namespace

std::vector<std::string> optimize_steps(const Unit&) { return {"optimize"}; }

std::unique_ptr<Scenario> start_optimize(const Unit& unit, Inputs&) {
  check_optimize(unit);
  return std::make_unique<OptimizeScenario>(unit);
}

void check_optimize(const Unit& unit) {
  if (unit.structure != "bloom_tree") {
    throw ParamError("structure", "scenario optimize is for bloom_tree, not " + unit.structure);
  }
  for (const std::string name : {"k", "m_levels", "m"}) {
    if (unit.structure_params.contains(name)) {
      throw ParamError(name, name + " is given, but the search is for it; level 1 gets rho_1 bits a key");
    }
  }
  const std::uint64_t levels = integer_of(unit, "d");
  const TreeSpace space(levels);
  if (is_exhaustive(unit) && levels > kMostLevelsExhaustive) {
    throw ParamError("d", fmt::format("d is {}, which has {} settings; trees of more than {} levels are for method "
                                      "genetic",
                                      levels, space.size(), kMostLevelsExhaustive));
  }
  if (!is_exhaustive(unit)) check_genetic(genetic_spec(unit));
  if (real_of(unit, "max_rate") == 0) throw ParamError("max_rate", "max_rate is 0; no filter has that rate");
}

double optimize_bytes(const Unit& unit) {
  const TrialSpec spec = trial_spec(unit);
  const TreeSpace space(integer_of(unit, "d"));
  const double keys = static_cast<double>((spec.n + spec.queries) * spec.instances);
  double level = spec.rho_1 * static_cast<double>(spec.n), bits = level;
  for (std::uint64_t i = 1; i < integer_of(unit, "d"); ++i) {
    bits += level *= static_cast<double>(space.variables().front().high);
  }
  // A tree's bits, and while they are coded at most as many again.
  return keys * sizeof(Key) + static_cast<double>(settings_of(unit).threads) * 2 * bits / 8;
}

}  // namespace bloomery
