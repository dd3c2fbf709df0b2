#include "experiments/config_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include "experiments/environment.h"
#include "experiments/errors.h"
#include "experiments/intersection.h"
#include "experiments/measure.h"
#include "experiments/numbers.h"
#include "experiments/optimize.h"
#include "experiments/plan.h"
#include "experiments/rival.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

using Names = std::vector<std::string>;

constexpr std::uint64_t kMaxRepeats = 1000;
constexpr double kMaxUnits = 1e6;

// "N is '0'; it must be ..." for a value that the harness itself takes, "" if it is fine.
std::string problem_with(const HarnessSetting& setting, const std::string& text) {
  if (setting.type == "choice" || setting.type == "flag") {
    const Names options = setting.type == "flag" ? Names{"true", "false"} : setting.options;
    const bool known = std::ranges::find(options, text) != options.end();
    return known ? "" : fmt::format("{} is '{}'{}", setting.name, text, suggestion(text, options));
  }
  if (setting.type == "text") return "";
  const bool whole = setting.type == "integer";
  const double value = parse_real(text).value_or(std::nan(""));  // which no range holds
  if (value >= setting.min && value <= setting.max && (!whole || parse_integer(text))) return "";
  return fmt::format("{} is '{}'; it must be {} from {:.0f} to {:.0f}", setting.name, text,
                     whole ? "an integer" : "a number", setting.min, setting.max);
}

class Checker {
 public:
  explicit Checker(Experiment& experiment) : experiment_(experiment) {
    for (const HarnessSetting& setting : harness_settings()) {
      if (setting.type == "integer") integers_.insert(setting.name);
    }
    for (const Series& series : experiment.series) {
      for (const ParamSpec& spec : describe(find_structure(series.structure))) {
        if (spec.type == "integer") integers_.insert(spec.name);
      }
    }
  }

  void check() {
    for (auto& [name, setting] : experiment_.defaults) check_value(name, setting);
    for (Axis& axis : experiment_.sweep) {
      for (Setting& setting : axis.values) check_value(axis.name, setting);
    }
    for (Series& series : experiment_.series) {
      for (auto& [name, setting] : series.settings) check_value(name, setting);
    }
    expect_small_plan();
    std::vector<Unit> plan = make_plan(experiment_);
    std::erase_if(plan, [](const Unit& unit) { return unit.repeat > 0; });
    for (const Unit& unit : plan) check_unit(unit);
    // Last: what a series needs is computed from values that another one may have refused above.
    for (const Unit& unit : plan) check_memory(unit);
  }

 private:
  void check_value(const std::string& name, Setting& setting) const {
    if (const HarnessSetting* known = find_harness_setting(name)) {
      const std::string problem = problem_with(*known, setting.text);
      if (!problem.empty()) throw MarkedError(setting.mark, problem);
    }
    const auto value = parse_integer(setting.text);
    if (value && integers_.contains(name)) setting.text = std::to_string(*value);
  }

  void expect_small_plan() const {
    double units = experiment_.repeats * static_cast<double>(experiment_.series.size());
    for (const Axis& axis : experiment_.sweep) units *= static_cast<double>(axis.values.size());
    if (units <= kMaxUnits) return;
    throw MarkedError(
        experiment_.series.front().mark,
        fmt::format("series, sweep and repeats ask for {:.0f} runs; keep them under {:.0f}", units, kMaxUnits));
  }

  const Series& series_of(const Unit& unit) const {
    return *std::ranges::find(experiment_.series, unit.series, &Series::name);
  }

  std::optional<Mark> written_at(const Unit& unit, const std::string& name) const {
    const Series& series = series_of(unit);
    if (const auto own = series.settings.find(name); own != series.settings.end()) return own->second.mark;
    for (const Axis& axis : experiment_.sweep) {
      for (const Setting& setting : axis.values) {
        if (axis.name == name && setting.text == unit.settings.at(name)) return setting.mark;
      }
    }
    const auto found = experiment_.defaults.find(name);
    return found == experiment_.defaults.end() ? std::nullopt : std::optional(found->second.mark);
  }

  // At the first of these names that was written, else at the series itself.
  [[noreturn]] void fail(const Unit& unit, const Names& names, const std::string& what) const {
    Mark mark = series_of(unit).mark;
    for (auto name = names.rbegin(); name != names.rend(); ++name) mark = written_at(unit, *name).value_or(mark);
    throw MarkedError(mark, fmt::format("series '{}': {}", unit.series, what));
  }

  void check_unit(const Unit& unit) {
    const std::string& sets = unit.settings.at("N");
    if (!find_structure(unit.structure).many_sets && sets != "1") {
      fail(unit, {"N"}, fmt::format("N is {} but {} holds one set; it must be 1", sets, unit.structure));
    }
    const bool many = unit.scenario == "index" || unit.scenario == "provenance" || unit.scenario == "window";
    if (!many && sets != "1") {
      fail(unit, {"N"}, fmt::format("N is {}; scenario {} has one set", sets, unit.scenario));
    }
    if (unit.scenario == "optimize") check_search(unit);
    const std::string& threads = unit.settings.at("threads");
    if (unit.settings.at("backend") == "serial" && threads != "1") {
      fail(
          unit, {"threads", "backend"},
          fmt::format("threads is {} but the backend is serial, which has one; set backend to openmp or tbb", threads));
    }
    if (unit.scenario == "transfer" && has_rival(unit) && holds_many(unit) != (rival_by(unit) == Equal::By::kMemory)) {
      fail(unit, {"rival_by", "rival"},
           fmt::format("rival_by is {}; yoon_tree and bloofi are made equal by memory, and only they",
                       unit.settings.at("rival_by")));
    }
    if (unit.scenario == "intersection") check_intersection(unit);
    std::map<std::string, std::string> params = unit.structure_params;
    params.erase("seed");  // the harness draws it
    if (checked_.insert({unit.structure, std::move(params)}).second) check_structure(unit);
  }

  void check_intersection(const Unit& unit) {
    if (has_rival(unit) && (rival_by(unit) != Equal::By::kSent || holds_many(unit))) {
      fail(unit, {"rival_by", "rival"},
           fmt::format(
               "rival is {} by {}; in an intersection it is bloom or compressed_bloom, with rival_by set to sent",
               unit.settings.at("rival"), unit.settings.at("rival_by")));
    }
    std::string drawn;
    for (const char* name : {"trace", "trace_key", "n", "n_other", "shared"}) drawn += unit.settings.at(name) + "\n";
    if (!traces_.insert(drawn).second) return;
    try {
      check_trace(unit);
    } catch (const InputError& e) {
      fail(unit, {"trace"}, e.what());
    }
  }

  void check_search(const Unit& unit) const {
    try {
      check_optimize(unit);
    } catch (const ParamError& e) {
      fail(unit, {e.name()}, e.what());
    }
  }

  void check_structure(const Unit& unit) const {
    try {
      make_structure(unit.structure, Params(unit.structure_params));
    } catch (const ParamError& e) {
      // m and k may come from n_exp and rho.
      fail(unit,
           e.name() == "m"   ? Names{"m", "n_exp"}
           : e.name() == "k" ? Names{"k", "rho"}
                             : Names{e.name()},
           e.what());
    } catch (const std::bad_alloc&) {
      fail(unit, {"m", "n_exp", "N"}, "it does not fit in memory; make m, n_exp or N smaller");
    }
  }

  void check_memory(const Unit& unit) const {
    const double needed = estimated_bytes(unit);
    const auto available = static_cast<double>(physical_memory());
    if (needed <= available) return;
    fail(unit, {"m", "n_exp", "N", "n"},
         fmt::format("it needs about {:.1f} GiB and this machine has {:.1f}; make m, n_exp, N or n smaller",
                     needed / 0x1p30, available / 0x1p30));
  }

  Experiment& experiment_;
  std::set<std::string> integers_;
  std::set<std::pair<std::string, std::map<std::string, std::string>>> checked_;
  std::set<std::string> traces_;  // that have been read, and what for
};

}  // namespace

void check_experiment(Experiment& experiment) { Checker(experiment).check(); }

int checked_repeats(const Setting& setting) {
  const auto value = parse_integer(setting.text);
  if (value && *value >= 1 && *value <= kMaxRepeats) return static_cast<int>(*value);
  throw MarkedError(setting.mark,
                    fmt::format("repeats is '{}'; it must be an integer from 1 to {}", setting.text, kMaxRepeats));
}

}  // namespace bloomery
