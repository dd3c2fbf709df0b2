#include "experiments/config_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "experiments/claim_reader.h"
#include "experiments/config_check.h"
#include "experiments/config_workload.h"
#include "experiments/metrics.h"
#include "experiments/numbers.h"
#include "experiments/plan.h"
#include "experiments/rows.h"
#include "experiments/theory_curves.h"
#include "experiments/yaml.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

using yaml::Names;
using Values = std::map<std::string, std::string>;

const Names kScenarios = {"index", "filter", "provenance", "window", "transfer", "levels", "intersection",
                           "optimize"};
const Names kMaintenance = {"insert", "update", "erase"};
const Names kScales = {"linear", "log"};
const Names kKinds = {"line", "bar", "points"};

bool contains(const Names& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

Setting setting_of(const YAML::Node& node, const std::string& name) {
  return {yaml::text(node, name), yaml::mark_of(node)};
}

std::vector<Setting> axis_values(const YAML::Node& node, const std::string& name) {
  yaml::expect_list(node, "sweep of " + name);
  if (node.size() == 0) yaml::fail(node, fmt::format("the sweep of {} is empty; give it at least one value", name));
  std::vector<Setting> values;
  for (const auto& item : node) {
    Setting value = setting_of(item, name);
    if (std::ranges::find(values, value.text, &Setting::text) != values.end()) {
      yaml::fail(item, fmt::format("{} is swept over {} twice; keep one of them", name, value.text));
    }
    values.push_back(std::move(value));
  }
  return values;
}

// `name` is the member that tells items apart, `node` where it was written.
template <class Item>
void add_unique(std::vector<Item>& all, Item item, std::string Item::*name, const YAML::Node& node,
                const std::string& what) {
  if (std::ranges::find(all, item.*name, name) != all.end()) {
    yaml::fail(node, fmt::format("there are two {} '{}'; rename one", what, item.*name));
  }
  all.push_back(std::move(item));
}

// {structure: sharded, inner: bloofi} is the structure sharded/bloofi.
std::string nested(const std::string& outer, const YAML::Node& inner) {
  if (outer != "sharded") yaml::fail(inner, fmt::format("{} takes no 'inner'; only sharded does", outer));
  const std::string name = yaml::one_of(inner, "inner", structure_names());
  try {
    return find_structure(outer + "/" + name).name;
  } catch (const ParamError& e) {
    yaml::fail(inner, e.what());
  }
}

Series read_series(const YAML::Node& node) {
  yaml::expect_map(node, "a series");
  Series series;
  series.mark = yaml::mark_of(node);
  series.name = yaml::text(yaml::required(node, "name", "the series"), "name");
  series.structure = yaml::one_of(yaml::required(node, "structure", "the series"), "structure", structure_names());
  if (node["inner"]) series.structure = nested(series.structure, node["inner"]);
  const Names known = setting_names({series.structure});
  for (const auto& item : node) {
    const std::string key = item.first.Scalar();
    if (key == "name" || key == "structure" || key == "inner") continue;
    if (!contains(known, key)) {
      yaml::fail(item.first, fmt::format("series '{}': {} takes no '{}'{}", series.name, series.structure, key,
                                         suggestion(key, known)));
    }
    series.settings[key] = setting_of(item.second, key);
  }
  return series;
}

class Reader {
 public:
  Reader(std::string profile, std::filesystem::path file) : file_(std::move(file)), profile_(std::move(profile)) {}

  Experiment read(const YAML::Node& root) {
    yaml::expect_keys(root, "an experiment",
                      {"experiment", "about", "notes", "scenario", "source", "workload", "defaults", "sweep", "series",
                       "measure", "figures", "published", "claims", "profiles"});
    read_head(root);
    if (root["workload"]) experiment_.data = read_workload(root["workload"], experiment_.scenario);
    read_all_series(yaml::required(root, "series", "the experiment"));  // first: they decide which settings there are
    if (root["defaults"]) read_defaults(root["defaults"]);
    if (root["sweep"]) read_sweep(root["sweep"]);
    if (root["measure"]) read_measure(root["measure"], false);
    set_phases();
    if (root["figures"]) read_figures(root["figures"]);
    if (root["published"]) read_published(root["published"]);
    if (root["claims"]) experiment_.claims = read_claims(root["claims"], experiment_, file_);
    if (root["profiles"]) read_profiles(root["profiles"]);
    return std::move(experiment_);
  }

 private:
  void read_head(const YAML::Node& root) {
    experiment_.id = yaml::file_name(yaml::required(root, "experiment", "the file"), "experiment");
    experiment_.about = yaml::text_or(root, "about");
    experiment_.notes = yaml::text_or(root, "notes");
    if (root["scenario"]) experiment_.scenario = yaml::one_of(root["scenario"], "scenario", kScenarios);
    if (root["source"]) read_source(root["source"]);
  }

  void read_source(const YAML::Node& node) {
    yaml::expect_keys(node, "source", {"paper", "section", "figures"});
    experiment_.source.paper = yaml::text_or(node, "paper");
    experiment_.source.section = yaml::text_or(node, "section");
    if (node["figures"]) experiment_.source.figures = yaml::texts(node["figures"], "figures");
  }

  void read_all_series(const YAML::Node& list) {
    yaml::expect_list(list, "series");
    if (list.size() == 0) yaml::fail(list, "series is empty; give it at least one {name, structure}");
    for (const auto& node : list) {
      add_unique(experiment_.series, read_series(node), &Series::name, node["name"], "series named");
    }
  }

  Names series_names() const {
    Names names;
    for (const Series& series : experiment_.series) names.push_back(series.name);
    return names;
  }

  Names known_settings() const { return setting_names(structures_of(experiment_)); }

  void read_defaults(const YAML::Node& node) {
    yaml::expect_map(node, "defaults");
    const Names known = known_settings();
    for (const auto& item : node) {
      const std::string name = yaml::one_of(item.first, "setting", known);
      experiment_.defaults[name] = setting_of(item.second, name);
    }
  }

  void read_sweep(const YAML::Node& node) {
    yaml::expect_map(node, "sweep");
    if (node.size() == 0) yaml::fail(node, "sweep is empty; give it a setting with values, or leave it out");
    const Names known = known_settings();
    for (const auto& item : node) {
      const std::string name = yaml::one_of(item.first, "setting", known);
      set_axis(experiment_, name, axis_values(item.second, name));
    }
  }

  // `overlay`: a profile may say again what the file said; the file itself may not say it twice.
  void read_measure(const YAML::Node& node, bool overlay) {
    yaml::expect_keys(node, "measure", {"search", "maintain", "repeats", "threads", "backend", "batch"});
    if (const YAML::Node search = node["search"]) {
      searches_ = true;
      yaml::expect_keys(search, "search", {"queries", "hit_rate"});
      for (const auto& item : search) set_from_measure(item.second, item.first.Scalar(), overlay);
    }
    if (node["maintain"]) read_maintain(node["maintain"]);
    if (node["repeats"]) experiment_.repeats = checked_repeats(setting_of(node["repeats"], "repeats"));
    for (const std::string name : {"threads", "backend", "batch"}) {
      if (node[name]) set_from_measure(node[name], name, overlay);
    }
  }

  void read_maintain(const YAML::Node& node) {
    if (experiment_.scenario != "index") {
      yaml::fail(node, fmt::format("scenario {} has no maintenance phases; leave it out", experiment_.scenario));
    }
    maintain_ = yaml::some_of(node, "phase", kMaintenance);
  }

  void set_from_measure(const YAML::Node& node, const std::string& name, bool overlay) {
    const bool swept = find_axis(experiment_, name) != nullptr;
    if (!overlay && (swept || experiment_.defaults.contains(name))) {
      yaml::fail(node, fmt::format("{} is given in measure and in defaults or sweep; keep one of them", name));
    }
    if (swept || (node.IsSequence() && node.size() != 1)) {
      set_axis(experiment_, name, node.IsSequence() ? axis_values(node, name) : std::vector{setting_of(node, name)});
    } else {
      experiment_.defaults[name] = setting_of(node.IsSequence() ? node[0] : node, name);
    }
  }

  void set_phases() {
    experiment_.phases = {"build"};
    static const Names unbuilt = {"window", "levels", "intersection", "optimize"};
    if (contains(unbuilt, experiment_.scenario))
      experiment_.phases.clear();  // its rows are days, the first of them the build's, or points, or settings
    if (experiment_.scenario == "optimize") experiment_.phases.push_back("setting");
    if (experiment_.scenario != "index" && experiment_.scenario != "filter") {
      const bool weighs = experiment_.scenario == "transfer" || experiment_.scenario == "intersection";
      experiment_.phases.push_back(weighs ? "worth" : experiment_.scenario);
      return;
    }
    if (searches_) experiment_.phases.push_back("search");
    for (const std::string& phase : kMaintenance) {
      if (contains(maintain_, phase)) experiment_.phases.push_back(phase);
    }
  }

  void expect_measured(const std::string& metric, const YAML::Node& node) const {
    const std::string phase = find_metric(metric).phase;
    if (contains(experiment_.phases, phase)) return;
    yaml::fail(node, fmt::format("{} needs the phase {}, which is not measured; measured here: {}", metric, phase,
                                 fmt::join(experiment_.phases, ", ")));
  }

  std::string read_metric(const YAML::Node& node) const {
    Names names;
    for (const Metric& metric : metrics()) names.push_back(metric.name);
    std::string name = yaml::one_of(node, "metric", names);
    expect_measured(name, node);
    return name;
  }

  // What an axis or a condition can name: a column of the rows or a setting of this experiment.
  Names row_names() const {
    Names names(kColumns.begin(), kColumns.end());
    for (const std::string& name : known_settings()) {
      if (!contains(names, name)) names.push_back(name);
    }
    // What the scenarios count along besides settings.
    if (experiment_.scenario == "window") names.push_back("day");
    if (experiment_.scenario == "levels")
      names.insert(names.end(), {"filter_keys", "filter_fill", "fill_error", "posterior"});
    if (experiment_.scenario == "intersection") names.push_back("skew");
    if (experiment_.scenario == "transfer") names.insert(names.end(), {"levels", "k_1", "k_2", "m_2", "load"});
    return names;
  }

  Values conditions(const YAML::Node& node, const std::string& what) const {
    yaml::expect_map(node, what);
    const Names known = row_names();
    Values result;
    for (const auto& item : node) result[yaml::one_of(item.first, "column", known)] = yaml::text(item.second, what);
    return result;
  }

  void read_figures(const YAML::Node& list) {
    yaml::expect_list(list, "figures");
    for (const auto& node : list) {
      add_unique(experiment_.figures, read_figure(node), &FigureSpec::id, node["id"], "figures with id");
    }
  }

  FigureSpec read_figure(const YAML::Node& node) const {
    yaml::expect_keys(node, "a figure",
                      {"id", "title", "x", "y", "xscale", "yscale", "kind", "series", "curves", "where",
                       "relative_to", "speedup_over"});
    FigureSpec figure;
    figure.id = yaml::file_name(yaml::required(node, "id", "the figure"), "id");
    figure.title = yaml::text_or(node, "title");
    figure.x = read_x(yaml::required(node, "x", "the figure"));
    for (const YAML::Node& y : yaml::items(yaml::required(node, "y", "the figure"), "y")) {
      figure.y.push_back(read_metric(y));
    }
    if (figure.y.empty()) yaml::fail(node["y"], "y is empty; give it at least one metric");
    if (node["xscale"]) figure.xscale = yaml::one_of(node["xscale"], "xscale", kScales);
    if (node["yscale"]) figure.yscale = yaml::one_of(node["yscale"], "yscale", kScales);
    if (node["kind"]) figure.kind = yaml::one_of(node["kind"], "kind", kKinds);
    if (node["series"]) figure.series = yaml::some_of(node["series"], "series", series_names());
    if (node["curves"]) figure.curves = yaml::some_of(node["curves"], "curve", theory_names());
    if (node["where"]) figure.where = conditions(node["where"], "where");
    read_base(node, figure);
    return figure;
  }

  std::string read_x(const YAML::Node& node) const {
    Names names = row_names();
    for (const Metric& metric : metrics()) {
      if (!contains(names, metric.name)) names.push_back(metric.name);
    }
    return yaml::one_of(node, "x", names);
  }

  void read_base(const YAML::Node& node, FigureSpec& figure) const {
    if (node["relative_to"] && node["speedup_over"]) {
      yaml::fail(node["speedup_over"], "a figure has relative_to or speedup_over; keep one of them");
    }
    figure.speedup = static_cast<bool>(node["speedup_over"]);
    const std::string key = figure.speedup ? "speedup_over" : "relative_to";
    if (node[key]) figure.base = yaml::one_of(node[key], key, series_names());
  }

  void read_published(const YAML::Node& list) {
    yaml::expect_list(list, "published");
    for (const auto& node : list) experiment_.published.push_back(read_one_published(node));
  }

  Published read_one_published(const YAML::Node& node) const {
    const std::string what = "the published value";
    yaml::expect_keys(node, what, {"series", "metric", "at", "value", "source"});
    Published published;
    published.series = yaml::one_of(yaml::required(node, "series", what), "series", series_names());
    published.metric = read_metric(yaml::required(node, "metric", what));
    if (node["at"]) published.at = conditions(node["at"], "at");
    const YAML::Node value = yaml::required(node, "value", what);
    const auto number = parse_real(yaml::text(value, "value"));
    if (!number) yaml::fail(value, fmt::format("value is '{}'; it must be a number", value.Scalar()));
    published.value = *number;
    published.source = yaml::text_or(node, "source", "paper");
    return published;
  }

  // Every profile is read, so that a mistake in one shows before it is first used; only the chosen one is kept.
  void read_profiles(const YAML::Node& node) {
    yaml::expect_map(node, "profiles");
    std::optional<Reader> chosen;
    for (const auto& item : node) {
      const std::string name = yaml::one_of(item.first, "profile", profile_names());
      Reader overlaid = *this;
      if (!item.second.IsNull()) overlaid.apply_profile(item.second);
      if (name == profile_) chosen = std::move(overlaid);
    }
    if (chosen) *this = std::move(*chosen);
  }

  void apply_profile(const YAML::Node& node) {
    yaml::expect_keys(node, "a profile", {"defaults", "sweep", "series", "repeats", "measure"});
    if (node["defaults"]) read_defaults(node["defaults"]);
    if (node["sweep"]) read_sweep(node["sweep"]);
    if (node["repeats"]) experiment_.repeats = checked_repeats(setting_of(node["repeats"], "repeats"));
    if (node["measure"]) read_measure(node["measure"], true);
    if (node["series"]) keep_series(node["series"]);
    if (node["defaults"]) expect_effect(node["defaults"]);
    set_phases();
    for (const FigureSpec& figure : experiment_.figures) {
      for (const std::string& metric : figure.y) expect_measured(metric, node);
    }
  }

  // A sweep of the file goes before a default of the profile, which would then do nothing.
  void expect_effect(const YAML::Node& defaults) {
    for (const auto& item : defaults) {
      const std::string name = item.first.Scalar();
      if (!find_axis(experiment_, name)) continue;
      yaml::fail(item.first,
                 fmt::format("{} is swept, so a default does nothing; give the profile a sweep of it", name));
    }
  }

  // Figures that only drew what is left out go too: with no series left they would draw all.
  void keep_series(const YAML::Node& node) {
    const Names kept = yaml::some_of(node, "series", series_names());
    if (kept.empty()) yaml::fail(node, "series is empty; name at least one to keep");
    std::erase_if(experiment_.series, [&](const Series& series) { return !contains(kept, series.name); });
    std::erase_if(experiment_.figures, [&](FigureSpec& figure) {
      const auto left_out =
          std::erase_if(figure.series, [&](const std::string& name) { return !contains(kept, name); });
      const bool base_gone = !figure.base.empty() && !contains(kept, figure.base);
      return base_gone || (left_out > 0 && figure.series.empty());
    });
    std::erase_if(experiment_.published, [&](const Published& item) { return !contains(kept, item.series); });
  }

  std::filesystem::path file_;
  std::string profile_;
  Experiment experiment_;
  bool searches_ = false;
  Names maintain_;
};

}  // namespace

Experiment read_experiment(const std::filesystem::path& file, const std::string& profile) {
  Experiment experiment = Reader(profile, file).read(yaml::load(file));
  experiment.file = file;
  return experiment;
}

}  // namespace bloomery
