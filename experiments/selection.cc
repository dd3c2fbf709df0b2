#include "experiments/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "experiments/errors.h"
#include "structures/params.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> config_files(const Options& options) {
  std::vector<fs::path> files;
  for (const fs::path& path : options.paths) {
    for (fs::path& file : find_configs(path)) files.push_back(std::move(file));
  }
  if (files.empty()) throw InputError("no .yaml file in the folders given");
  return files;
}

}  // namespace

Overrides overrides_of(const Options& options) {
  Overrides overrides;
  for (const std::string& text : options.set) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
      throw InputError(fmt::format("--set {}: write it as key=value", text));
    }
    overrides.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return overrides;
}

std::vector<Experiment> load_all(const Options& options, const std::string& profile) {
  const Overrides overrides = overrides_of(options);
  std::vector<Experiment> experiments;
  std::map<std::string, fs::path> files;
  for (const fs::path& file : config_files(options)) {
    experiments.push_back(load_experiment(file, profile, overrides));
    const auto [first, is_new] = files.insert({experiments.back().id, file});
    if (is_new) continue;
    throw InputError(fmt::format("{}: experiment '{}' is already in {}; rename one", file.string(), first->first,
                                 first->second.string()));
  }
  return experiments;
}

std::vector<Experiment> load_selected(const Options& options) {
  std::vector<Experiment> all = load_all(options, options.profile);
  if (options.only.empty()) return all;
  std::vector<std::string> names;
  for (const Experiment& experiment : all) {
    names.push_back(experiment.id);
    for (const FigureSpec& figure : experiment.figures) names.push_back(figure.id);
  }
  std::erase_if(all, [&](const Experiment& e) { return e.id != options.only && !has_figure(e, options.only); });
  if (!all.empty()) return all;
  throw InputError(
      fmt::format("--only {}: no such experiment or figure{}", options.only, suggestion(options.only, names)));
}

bool has_figure(const Experiment& experiment, const std::string& id) {
  return std::ranges::find(experiment.figures, id, &FigureSpec::id) != experiment.figures.end();
}

fs::path rows_file(const Options& options, const Experiment& experiment) {
  return options.results / experiment.id / "rows.csv";
}

}  // namespace bloomery
