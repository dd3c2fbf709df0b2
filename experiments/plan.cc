#include "experiments/plan.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "experiments/data_load.h"
#include "experiments/environment.h"
#include "experiments/errors.h"
#include "experiments/numbers.h"
#include "structures/filter_shape.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

using Values = std::map<std::string, std::string>;

HarnessSetting integer(std::string name, double min, double max, std::string fallback, std::string about) {
  return {std::move(name), "integer", min, max, {}, std::move(fallback), std::move(about)};
}

HarnessSetting choice(std::string name, std::vector<std::string> options, std::string about) {
  std::string fallback = options.front();
  return {std::move(name), "choice", 0, 0, std::move(options), std::move(fallback), std::move(about)};
}

std::vector<HarnessSetting> make_settings() {
  return {
      integer("N", 1, 1e8, "1000", "sets held (provenance: sites; window: days that are kept)"),
      integer("n", 1, 1e9, "100", "keys in each set"),
      choice("distribution", {"nonrandom", "random"},
             "keys of a set: consecutive, or drawn from a random range of its own"),
      integer("queries", 1, 1e9, "50000", "keys searched for in a repetition"),
      {"hit_rate", "real", 0, 1, {}, "1", "share of the searched keys that some set holds"},
      integer("threads", 1, 1024, "1", "threads that search and build"),
      choice("backend", {"serial", "openmp", "tbb"}, "what runs the threads"),
      integer("batch", 1, 1e6, "64", "keys handed to the structure in one call"),
      integer("seed", 0, 9007199254740992.0, "1", "base of every random draw; each repetition derives its own"),
      {"after_updates", "flag", 0, 1, {}, "false", "build half of the keys, then update every set with the rest"},
      integer("update_keys", 0, 1e9, "0", "keys that an update adds; 0 means n"),
      integer("maintain_ops", 0, 1e9, "0", "maintenance operations timed; 0 means N / 10, at least 10, at most 1000"),
      integer("documents", 1, 1e9, "10000", "provenance: documents made in all"),
      integer("bundle", 1, 1e6, "3", "provenance: documents bundled into one, and parts that one is split into"),
      integer("days", 1, 1e6, "365", "window: days that pass"),
      integer("sample_every", 0, 1e6, "0", "window: days between measurements; 0 means a tenth of the days"),
      {"rebuild", "flag", 0, 1, {}, "false", "window: build anew before each measurement"},
      integer("samples", 1, 1e8, "5000", "transfer, intersection: absent keys whose posterior is computed"),
      choice("rival", {"none", "bloom", "compressed_bloom", "yoon_tree", "bloofi"},
             "transfer, intersection: measure this filter instead, made equal to the series' structure"),
      choice(
          "rival_by", {"geometric", "measured", "sent", "memory"},
          "what the rival has in common: geometric mean of the posterior, measured rate, or size, sent or in memory"),
      integer("groups", 1, 1e6, "256", "transfer: sets that the keys are dealt to if the rival holds many"),
      choice("of", {"keys", "fill", "rate", "error", "coding"},
             "levels: of the filters of a level their keys, fills, or errors of the fill that is expected; of queries "
             "their posteriors in the level; or the size of the tree when coded"),
      {"shared", "real", 0, 1, {}, "0.5", "intersection: share of the smaller set that is in both"},
      integer("n_other", 0, 1e9, "0", "intersection: keys of the second set; 0 means n"),
      {"trace",
       "text",
       0,
       0,
       {},
       "none",
       "intersection: the keys are packets of this capture file (pcap); synthetic: of a made-up one; none: numbers"},
      choice("trace_key", {"packet", "flow"}, "what makes two packets the same key: all bytes, or addresses and ports"),
      integer("level", 1, 8, "2", "levels: counted from 1"),
      {"time_standard",
       "flag",
       0,
       1,
       {},
       "false",
       "transfer: time queries against a standard filter of the same geometric mean, in turns"},
      choice("method", {"auto", "exhaustive", "genetic"}, "optimize: every setting, NSGA-II, or the former up to d = 2"),
      choice("goal", {"paper", "measured"},
             "optimize: its three objectives, or the measured rate and the size; also which rate max_rate is of"),
      integer("instances", 1, 1e6, "3", "optimize: trees that a setting is tried with"),
      {"max_rate", "real", 0, 1, {}, "1", "optimize: largest rate wanted; of measured ones the end of the interval"},
      {"max_bits", "real", 0, 1e6, {}, "0", "optimize: most bits a key to be sent; 0 means any number"},
      integer("population", 8, 10000, "16", "optimize: settings of a genetic round, a multiple of four"),
      integer("rounds", 1, 1e6, "100", "optimize: most genetic rounds"),
      integer("stall_rounds", 1, 1e6, "50", "optimize: rounds after which no more than stall_change is the end"),
      {"stall_change", "real", 0, 1, {}, "1e-4", "optimize: relative change of the best objectives a round"},
  };
}

bool is_of_optimize(const std::string& name) {
  static const std::set<std::string> names = {"method",     "goal",   "instances",    "max_rate",    "max_bits",
                                              "population", "rounds", "stall_rounds", "stall_change"};
  return names.contains(name);
}

// Settings of one scenario only would be noise in the rows of the others.
bool has_default_in(const std::string& name, const std::string& scenario) {
  static const std::map<std::string, std::set<std::string>> only = {{"documents", {"provenance"}},
                                                                    {"bundle", {"provenance"}},
                                                                    {"days", {"window"}},
                                                                    {"sample_every", {"window"}},
                                                                    {"rebuild", {"window"}},
                                                                    {"samples", {"transfer", "levels", "intersection"}},
                                                                    {"shared", {"intersection"}},
                                                                    {"n_other", {"intersection"}},
                                                                    {"trace", {"intersection"}},
                                                                    {"trace_key", {"intersection"}},
                                                                    {"of", {"levels"}},
                                                                    {"level", {"levels"}},
                                                                    {"groups", {"transfer"}},
                                                                    {"rival", {"transfer", "intersection"}},
                                                                    {"rival_by", {"transfer", "intersection"}},
                                                                    {"time_standard", {"transfer"}}};
  if (is_of_optimize(name)) return scenario == "optimize";
  const auto found = only.find(name);
  return found == only.end() || found->second.contains(scenario);
}

// What these measure is one filter, whatever it is.
bool has_one_set(const std::string& scenario) {
  return scenario == "filter" || scenario == "transfer" || scenario == "levels" || scenario == "intersection" ||
         scenario == "optimize";
}

std::uint64_t hash_of(const std::string& text) { return XXH3_64bits(text.data(), text.size()); }

// Several draws of the hash functions, the same ones for every structure that is compared.
std::string structure_seed(const std::string& seed, int repeat) {
  return std::to_string(hash_of(fmt::format("structure {} {}", seed, repeat)) >> 11);
}

std::string id_of(const Unit& unit) {
  std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", source_hash(), unit.experiment, unit.scenario, unit.series,
                                 unit.structure, unit.repeat);
  for (const std::string& phase : unit.phases) text += phase + "\n";
  for (const auto& [name, value] : unit.settings) text += fmt::format("{}={}\n", name, value);
  for (const auto& [name, value] : unit.structure_params) text += fmt::format(".{}={}\n", name, value);
  return fmt::format("{:016x}", hash_of(text));
}

// m and k as the structure itself derives them, so that rows always show them. Values that cannot be are left for the
// structure to refuse.
void derive_filter_size(Unit& unit, const std::set<std::string>& taken) {
  if (!taken.contains("k") || !taken.contains("m") || !taken.contains("rho")) return;
  try {
    Params params(unit.structure_params);
    const FilterSizes sizes(params);
    unit.settings.try_emplace("k", std::to_string(sizes.k));
    unit.settings.try_emplace("m", std::to_string(sizes.m));
  } catch (const ParamError&) {
  }
}

// Sizes that follow from each other: the default of one means nothing once another is given.
bool is_derived(const std::string& name) { return name == "m" || name == "k" || name == "c"; }

class Planner {
 public:
  explicit Planner(const Experiment& experiment) : experiment_(experiment) {
    for (const Series& series : experiment.series) {
      if (!specs_.contains(series.structure)) {
        specs_[series.structure] = describe(find_structure(series.structure));
      }
    }
  }

  std::vector<Unit> plan() {
    std::vector<std::size_t> at(experiment_.sweep.size(), 0);
    do {
      add_point(at);
    } while (advance(at));
    return std::move(units_);
  }

 private:
  // The last axis turns fastest, as the YAML reads.
  bool advance(std::vector<std::size_t>& at) const {
    for (std::size_t i = at.size(); i-- > 0;) {
      if (++at[i] < experiment_.sweep[i].values.size()) return true;
      at[i] = 0;
    }
    return false;
  }

  void add_point(const std::vector<std::size_t>& at) {
    Values point;
    for (const auto& [name, setting] : experiment_.defaults) point[name] = setting.text;
    for (std::size_t i = 0; i < at.size(); ++i) {
      point[experiment_.sweep[i].name] = experiment_.sweep[i].values[at[i]].text;
    }
    for (int repeat = 0; repeat < experiment_.repeats; ++repeat) {
      for (const Series& series : experiment_.series) add_unit(series, point, repeat);
    }
  }

  void add_unit(const Series& series, const Values& point, int repeat) {
    Unit unit{.run_id = {},
              .experiment = experiment_.id,
              .scenario = experiment_.scenario,
              .series = series.name,
              .structure = series.structure,
              .phases = experiment_.phases,
              .repeat = repeat,
              .settings = point,
              .structure_params = {},
              .data = experiment_.data};
    for (const auto& [name, setting] : series.settings) unit.settings[name] = setting.text;
    fill(unit);
    unit.run_id = id_of(unit);
    // A series that fixes a swept setting is the same at every value of it: once is enough.
    if (seen_.insert(unit.run_id).second) units_.push_back(std::move(unit));
  }

  void fill(Unit& unit) const {
    const std::vector<ParamSpec>& specs = specs_.at(unit.structure);
    std::set<std::string> taken;
    for (const ParamSpec& spec : specs) taken.insert(spec.name);
    std::erase_if(unit.settings, [&](const auto& item) { return !applies(item.first, taken); });
    if (unit.data.given()) describe_data(unit, taken.contains("n_exp"));
    for (const HarnessSetting& setting : harness_settings()) {
      if (has_default_in(setting.name, unit.scenario)) {
        const bool one = setting.name == "N" && has_one_set(unit.scenario);
        unit.settings.try_emplace(setting.name, one ? "1" : setting.default_value);
      }
    }
    // A filter is sized for the keys that it gets, unless it is told otherwise.
    if (has_one_set(unit.scenario) && taken.contains("n_exp")) unit.settings.try_emplace("n_exp", unit.settings["n"]);
    for (const std::string& name : taken) {
      if (unit.settings.contains(name)) unit.structure_params[name] = unit.settings[name];
    }
    if (taken.contains("seed")) unit.structure_params["seed"] = structure_seed(unit.settings["seed"], unit.repeat);
    for (const ParamSpec& spec : specs) {
      if (!is_derived(spec.name) && !spec.default_value.empty()) {
        unit.settings.try_emplace(spec.name, spec.default_value);
      }
    }
    if (unit.scenario != "optimize") derive_filter_size(unit, taken);  // which looks for them
  }

  // What the data decide. Which files they came from is for people; what was in them is in the fingerprint.
  static void describe_data(Unit& unit, bool takes_n_exp) {
    const auto data = load_data(unit.data);
    const std::size_t all = data->sets.size();
    const std::string wanted = unit.settings.try_emplace("N", std::to_string(all)).first->second;
    const auto sets = static_cast<std::uint64_t>(parse_integer(wanted).value_or(0));
    if (sets < 1 || sets > all) throw InputError(fmt::format("N is {}, but the data have {} sets; leave it out", wanted, all));
    unit.settings["n"] = std::to_string(static_cast<std::uint64_t>(std::max(1.0, std::round(data->mean(sets)))));
    unit.settings["distribution"] = "";
    if (takes_n_exp) {
      unit.settings.try_emplace("n_exp", std::to_string(std::max<std::uint64_t>(1, data->largest(sets))));
    }
    if (!data->queries.empty()) {
      unit.settings["queries"] = std::to_string(data->queries.size());
      unit.settings["hit_rate"] = "";
    }
    std::string path = unit.data.paths.front();
    std::ranges::replace_if(path, [](char c) { return c == ';' || c == '\n' || c == '\r'; }, ',');
    unit.settings["data"] = path;
    unit.settings["data_fingerprint"] = data->fingerprint;
  }

  // A swept setting stays even where the structure does not take it: it is where the point stands on the axis.
  bool applies(const std::string& name, const std::set<std::string>& taken) const {
    return taken.contains(name) || find_harness_setting(name) || find_axis(experiment_, name);
  }

  const Experiment& experiment_;
  std::map<std::string, std::vector<ParamSpec>> specs_;
  std::vector<Unit> units_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<Unit> make_plan(const Experiment& experiment) { return Planner(experiment).plan(); }

const std::vector<HarnessSetting>& harness_settings() {
  static const std::vector<HarnessSetting> settings = make_settings();
  return settings;
}

const HarnessSetting* find_harness_setting(const std::string& name) {
  const auto& all = harness_settings();
  const auto found = std::ranges::find(all, name, &HarnessSetting::name);
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> setting_names(const std::vector<std::string>& structures) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const HarnessSetting& setting : harness_settings()) add(setting.name);
  for (const std::string& structure : structures) {
    for (const ParamSpec& spec : describe(find_structure(structure))) add(spec.name);
  }
  return names;
}

}  // namespace bloomery
