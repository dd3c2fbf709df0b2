#include "experiments/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <system_error>

#include "experiments/claim_reader.h"
#include "experiments/config_check.h"
#include "experiments/config_reader.h"
#include "experiments/errors.h"
#include "experiments/plan.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

std::vector<Setting> comma_list(const std::string& text) {
  std::vector<Setting> values;
  std::stringstream in(text);
  for (std::string item; std::getline(in, item, ',');) values.push_back({item, {}});
  return values;
}

void expect_known_override(const std::string& name) {
  Names known = setting_names(structure_names());
  known.push_back("repeats");
  if (!contains(known, name))
    throw InputError(fmt::format("--set {}: unknown setting{}", name, suggestion(name, known)));
}

// One value replaces the default and the sweep, several (a,b,c) are a sweep. What a series sets itself stays: it is
// what the series is. A setting that none of this experiment's structures take is meant for another one.
void apply_override(Experiment& experiment, const std::string& name, const std::string& text) {
  expect_known_override(name);
  if (name == "repeats") experiment.repeats = checked_repeats({text, {}});
  if (!contains(setting_names(structures_of(experiment)), name)) return;
  const std::vector<Setting> values = comma_list(text);
  if (values.empty()) throw InputError(fmt::format("--set {}: it has no value; write {}=VALUE", name, name));
  if (values.size() > 1 || find_axis(experiment, name)) {
    set_axis(experiment, name, values);
  } else {
    experiment.defaults[name] = values.front();
  }
}

std::string place(const fs::path& file, Mark mark) {
  if (mark.line == 0) return file.string() + " with --set";
  return fmt::format("{}:{}:{}", file.string(), mark.line, mark.column);
}

}  // namespace

const std::vector<std::string>& profile_names() {
  static const Names names = {"quick", "default", "paper"};
  return names;
}

const Axis* find_axis(const Experiment& experiment, const std::string& name) {
  const auto found = std::ranges::find(experiment.sweep, name, &Axis::name);
  return found == experiment.sweep.end() ? nullptr : &*found;
}

void set_axis(Experiment& experiment, const std::string& name, std::vector<Setting> values) {
  const auto found = std::ranges::find(experiment.sweep, name, &Axis::name);
  Axis& axis = found == experiment.sweep.end() ? experiment.sweep.emplace_back() : *found;
  axis = {name, std::move(values)};
}

std::vector<std::string> structures_of(const Experiment& experiment) {
  Names names;
  for (const Series& series : experiment.series) names.push_back(series.structure);
  return names;
}

Experiment load_experiment(const fs::path& file, const std::string& profile, const Overrides& overrides) {
  if (!contains(profile_names(), profile)) {
    throw InputError(fmt::format("unknown profile '{}'{}", profile, suggestion(profile, profile_names())));
  }
  try {
    Experiment experiment = read_experiment(file, profile);
    finish_experiment(experiment, overrides);
    check_claims(experiment, profile, !overrides.empty());
    return experiment;
  } catch (const MarkedError& e) {
    throw InputError(fmt::format("{}: {}", place(file, e.mark), e.what()));
  }
}

void finish_experiment(Experiment& experiment, const Overrides& overrides) try {
  for (const auto& [name, value] : overrides) apply_override(experiment, name, value);
  check_experiment(experiment);
} catch (const MarkedError& e) {
  throw InputError(fmt::format("{}: {}", place(experiment.file, e.mark), e.what()));
}

// What the regression gate counts is neither drawn nor quoted: it is found only where it is asked for.
constexpr std::string_view kGateFolder = "gate";

std::vector<fs::path> find_configs(const fs::path& path) try {
  if (!fs::is_directory(path)) {
    if (!fs::exists(path)) throw InputError(path.string() + ": no such file or folder");
    return {path};
  }
  std::vector<fs::path> files;
  for (auto entry = fs::recursive_directory_iterator(path); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory() && entry->path().filename() == kGateFolder) entry.disable_recursion_pending();
    if (entry->is_regular_file() && entry->path().extension() == ".yaml") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
} catch (const fs::filesystem_error& e) {
  throw IoError(fmt::format("cannot read {}: {}", e.path1().string(), e.code().message()));
}

}  // namespace bloomery
