#include "experiments/config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/environment.h"
#include "experiments/errors.h"
#include "experiments/measure.h"
#include "experiments/metrics.h"
#include "experiments/plan.h"
#include "experiments/rows.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

const Names kProfiles = {"quick", "default", "paper"};
const Names kScenarios = {"index", "provenance", "window"};
const Names kMaintenance = {"insert", "update", "erase"};
const Names kCurves = {"ideal_full", "ideal_min"};
constexpr double kMaxRepeats = 1000;
constexpr double kMaxUnits = 1e6;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<double> parse_real(const std::string& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Exact integers, also written as 1e5.
std::optional<std::uint64_t> parse_integer(const std::string& text) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && stop == text.data() + text.size()) return value;
  const auto real = parse_real(text);
  if (!real || *real < 0 || *real >= 0x1p63 || *real != std::floor(*real)) return std::nullopt;
  return static_cast<std::uint64_t>(*real);
}

Mark mark_of(const YAML::Node& node) { return {node.Mark().line + 1, node.Mark().column + 1}; }

[[noreturn]] void fail(const fs::path& file, Mark mark, const std::string& what) {
  if (mark.line == 0) throw InputError(fmt::format("{} with --set: {}", file.string(), what));
  throw InputError(fmt::format("{}:{}:{}: {}", file.string(), mark.line, mark.column, what));
}

std::string kind_of(const YAML::Node& node) {
  if (node.IsScalar()) return fmt::format("'{}'", node.Scalar());
  return node.IsSequence() ? "a list" : node.IsMap() ? "a map" : "empty";
}

// "d is 1; it must be ..." for a value that the harness itself takes.
std::string problem_with(const HarnessSetting& setting, const std::string& text) {
  if (setting.type == "choice" || setting.type == "flag") {
    const Names options = setting.type == "flag" ? Names{"true", "false"} : setting.options;
    return contains(options, text) ? "" : fmt::format("{} is '{}'{}", setting.name, text, suggestion(text, options));
  }
  const bool whole = setting.type == "integer";
  std::optional<double> value = parse_real(text);
  if (whole && !parse_integer(text)) value.reset();
  if (value && *value >= setting.min && *value <= setting.max) return "";
  return fmt::format("{} is '{}'; it must be {} from {:.0f} to {:.0f}", setting.name, text,
                     whole ? "an integer" : "a number", setting.min, setting.max);
}

const HarnessSetting* find_harness_setting(const std::string& name) {
  for (const HarnessSetting& setting : harness_settings()) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

Names harness_names() {
  Names names;
  for (const HarnessSetting& setting : harness_settings()) names.push_back(setting.name);
  return names;
}

Axis* find_axis(Experiment& experiment, const std::string& name) {
  for (Axis& axis : experiment.sweep) {
    if (axis.name == name) return &axis;
  }
  return nullptr;
}

// YAML into the description: shapes, keys and types. What values mean is the Checker's business.
class Reader {
 public:
  Reader(fs::path file, std::string profile) : file_(std::move(file)), profile_(std::move(profile)) {}

  Experiment read() {
    const YAML::Node root = parse();
    expect_unique_keys(root);
    expect_keys(root, "an experiment",
                {"experiment", "about", "notes", "scenario", "source", "defaults", "sweep", "series", "measure",
                 "figures", "published", "profiles"});
    read_head(root);
    read_series(required(root, "series", "the experiment"));  // first: they decide which settings there are
    if (root["defaults"]) read_defaults(root["defaults"]);
    if (root["sweep"]) read_sweep(root["sweep"]);
    if (root["measure"]) read_measure(root["measure"], false);
    set_phases();
    if (root["figures"]) read_figures(root["figures"]);
    if (root["published"]) read_published(root["published"]);
    if (root["profiles"]) read_profiles(root["profiles"]);
    set_phases();
    return std::move(experiment_);
  }

 private:
  [[noreturn]] void fail_at(const YAML::Node& node, const std::string& what) const { fail(file_, mark_of(node), what); }

  YAML::Node parse() const {
    std::error_code error;
    if (!fs::is_regular_file(file_, error)) throw InputError(file_.string() + ": no such file; give a .yaml file");
    std::ifstream in(file_, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (!in) throw InputError(file_.string() + ": cannot be read; check its permissions");
    try {
      const std::vector<YAML::Node> documents = YAML::LoadAll(text.str());
      if (documents.size() != 1) fail(file_, {1, 1}, "the file must hold exactly one YAML document");
      return documents.front();
    } catch (const YAML::Exception& e) {
      fail(file_, {e.mark.line + 1, e.mark.column + 1}, "this is not valid YAML: " + e.msg);
    }
  }

  // yaml-cpp keeps both of two equal keys and answers with the first: one of them would be ignored without a word.
  void expect_unique_keys(const YAML::Node& node) const {
    std::set<std::string> seen;
    for (const auto& item : node) {
      if (node.IsMap()) {
        if (!item.first.IsScalar()) fail_at(item.first, "a key is " + kind_of(item.first) + "; it must be a name");
        if (!seen.insert(item.first.Scalar()).second) {
          fail_at(item.first, fmt::format("'{}' is given twice; keep one of them", item.first.Scalar()));
        }
        if (item.second.IsMap() || item.second.IsSequence()) expect_unique_keys(item.second);
      } else if (item.IsMap() || item.IsSequence()) {
        expect_unique_keys(item);
      }
    }
  }

  void expect_map(const YAML::Node& node, const std::string& what) const {
    if (!node.IsMap()) fail_at(node, fmt::format("{} is {}; it must be a map of keys to values", what, kind_of(node)));
  }

  void expect_list(const YAML::Node& node, const std::string& what) const {
    if (!node.IsSequence()) fail_at(node, fmt::format("{} is {}; it must be a list", what, kind_of(node)));
  }

  void expect_keys(const YAML::Node& node, const std::string& what, const Names& known) const {
    expect_map(node, what);
    for (const auto& item : node) {
      const std::string key = item.first.Scalar();
      if (!contains(known, key)) {
        fail_at(item.first, fmt::format("unknown key '{}' of {}{}", key, what, suggestion(key, known)));
      }
    }
  }

  YAML::Node required(const YAML::Node& parent, const std::string& key, const std::string& what) const {
    const YAML::Node node = parent[key];
    if (!node) fail_at(parent, fmt::format("{} has no '{}'; add one", what, key));
    return node;
  }

  std::string text(const YAML::Node& node, const std::string& what) const {
    if (!node.IsScalar()) fail_at(node, fmt::format("{} is {}; it must be a single value", what, kind_of(node)));
    return node.Scalar();
  }

  std::string text_of(const YAML::Node& parent, const std::string& key, const std::string& fallback = "") const {
    return parent[key] ? text(parent[key], key) : fallback;
  }

  std::string one_of(const YAML::Node& node, const std::string& what, const Names& options) const {
    const std::string value = text(node, what);
    if (!contains(options, value)) {
      fail_at(node, fmt::format("unknown {} '{}'{}", what, value, suggestion(value, options)));
    }
    return value;
  }

  // A single value counts as a list of one.
  std::vector<YAML::Node> items(const YAML::Node& node, const std::string& what) const {
    if (node.IsScalar()) return {node};
    expect_list(node, what);
    std::vector<YAML::Node> result;
    for (const auto& item : node) result.push_back(item);
    return result;
  }

  Names names_of(const YAML::Node& node, const std::string& what, const Names* options = nullptr) const {
    Names names;
    for (const YAML::Node& item : items(node, what)) {
      names.push_back(options ? one_of(item, what, *options) : text(item, what));
    }
    return names;
  }

  std::string id_of(const YAML::Node& node, const std::string& what) const {
    const std::string id = text(node, what);
    const bool plain = !id.empty() && std::all_of(id.begin(), id.end(), [](unsigned char c) {
      return std::isalnum(c) || c == '_' || c == '-';
    });
    if (!plain) fail_at(node, fmt::format("{} is '{}'; it names files: use letters, digits, _ and -", what, id));
    return id;
  }

  int read_repeats(const YAML::Node& node) const {
    const auto value = parse_integer(text(node, "repeats"));
    if (!value || *value < 1 || static_cast<double>(*value) > kMaxRepeats) {
      fail_at(node, fmt::format("repeats is '{}'; it must be an integer from 1 to {}", node.Scalar(), kMaxRepeats));
    }
    return static_cast<int>(*value);
  }

  void read_head(const YAML::Node& root) {
    experiment_.file = file_;
    experiment_.id = id_of(required(root, "experiment", "the file"), "experiment");
    experiment_.about = text_of(root, "about");
    experiment_.notes = text_of(root, "notes");
    if (root["scenario"]) experiment_.scenario = one_of(root["scenario"], "scenario", kScenarios);
    if (const YAML::Node source = root["source"]) {
      expect_keys(source, "source", {"paper", "section", "figures"});
      experiment_.source.paper = text_of(source, "paper");
      experiment_.source.section = text_of(source, "section");
      if (source["figures"]) experiment_.source.figures = names_of(source["figures"], "figures");
    }
  }

  Setting setting(const YAML::Node& node, const std::string& name) const { return {text(node, name), mark_of(node)}; }

  Names setting_names() const {
    Names names = harness_names();
    for (const Series& series : experiment_.series) {
      for (const ParamSpec& spec : describe(find_structure(series.structure))) {
        if (!contains(names, spec.name)) names.push_back(spec.name);
      }
    }
    return names;
  }

  void read_defaults(const YAML::Node& node) {
    expect_map(node, "defaults");
    const Names known = setting_names();
    for (const auto& item : node) {
      const std::string name = one_of(item.first, "setting", known);
      experiment_.defaults[name] = setting(item.second, name);
    }
  }

  std::vector<Setting> axis_values(const YAML::Node& node, const std::string& name) const {
    expect_list(node, "sweep of " + name);
    if (node.size() == 0) fail_at(node, fmt::format("the sweep of {} is empty; give it at least one value", name));
    std::vector<Setting> values;
    std::set<std::string> seen;
    for (const auto& item : node) {
      values.push_back(setting(item, name));
      if (!seen.insert(values.back().text).second) {
        fail_at(item, fmt::format("{} is swept over {} twice; keep one of them", name, values.back().text));
      }
    }
    return values;
  }

  void set_axis(const std::string& name, std::vector<Setting> values) {
    if (Axis* axis = find_axis(experiment_, name)) {
      axis->values = std::move(values);
    } else {
      experiment_.sweep.push_back({name, std::move(values)});
    }
  }

  void read_sweep(const YAML::Node& node) {
    expect_map(node, "sweep");
    if (node.size() == 0) fail_at(node, "sweep is empty; give it a setting with values, or leave it out");
    const Names known = setting_names();
    for (const auto& item : node) {
      const std::string name = one_of(item.first, "setting", known);
      set_axis(name, axis_values(item.second, name));
    }
  }

  void read_series(const YAML::Node& list) {
    expect_list(list, "series");
    if (list.size() == 0) fail_at(list, "series is empty; give it at least one {name, structure}");
    for (const auto& node : list) {
      Series series = one_series(node);
      for (const Series& other : experiment_.series) {
        if (other.name == series.name) {
          fail_at(node["name"], fmt::format("there are two series named '{}'; rename one", series.name));
        }
      }
      experiment_.series.push_back(std::move(series));
    }
  }

  Series one_series(const YAML::Node& node) const {
    expect_map(node, "a series");
    Series series;
    series.mark = mark_of(node);
    series.name = text(required(node, "name", "the series"), "name");
    series.structure = one_of(required(node, "structure", "the series"), "structure", structure_names());
    Names known = harness_names();
    for (const ParamSpec& spec : describe(find_structure(series.structure))) known.push_back(spec.name);
    for (const auto& item : node) {
      const std::string key = item.first.Scalar();
      if (key == "name" || key == "structure") continue;
      if (!contains(known, key)) {
        fail_at(item.first, fmt::format("series '{}': {} takes no '{}'{}", series.name, series.structure, key,
                                        suggestion(key, known)));
      }
      series.settings[key] = setting(item.second, key);
    }
    return series;
  }

  // `overlay`: a profile may say again what the file said; the file itself may not say it twice.
  void set_from_measure(const YAML::Node& node, const std::string& name, bool overlay) {
    if (!overlay && (experiment_.defaults.contains(name) || find_axis(experiment_, name))) {
      fail_at(node, fmt::format("{} is given in measure and in defaults or sweep; keep one of them", name));
    }
    if (node.IsSequence() && node.size() != 1) {
      set_axis(name, axis_values(node, name));
      return;
    }
    const Setting value = setting(node.IsSequence() ? node[0] : node, name);
    if (overlay && find_axis(experiment_, name)) {
      set_axis(name, {value});
    } else {
      experiment_.defaults[name] = value;
    }
  }

  void read_measure(const YAML::Node& node, bool overlay) {
    expect_keys(node, "measure", {"search", "maintain", "repeats", "threads", "backend", "batch"});
    if (const YAML::Node search = node["search"]) {
      searches_ = true;
      expect_keys(search, "search", {"queries", "hit_rate"});
      for (const auto& item : search) set_from_measure(item.second, item.first.Scalar(), overlay);
    }
    if (const YAML::Node maintain = node["maintain"]) {
      if (experiment_.scenario != "index") {
        fail_at(maintain, fmt::format("scenario {} has no maintenance phases; leave it out", experiment_.scenario));
      }
      maintain_ = names_of(maintain, "phase", &kMaintenance);
    }
    if (node["repeats"]) experiment_.repeats = read_repeats(node["repeats"]);
    for (const std::string name : {"threads", "backend", "batch"}) {
      if (node[name]) set_from_measure(node[name], name, overlay);
    }
  }

  void set_phases() {
    experiment_.phases = {"build"};
    if (experiment_.scenario != "index") {
      experiment_.phases.push_back(experiment_.scenario);
      return;
    }
    if (searches_) experiment_.phases.push_back("search");
    for (const std::string& phase : kMaintenance) {
      if (contains(maintain_, phase)) experiment_.phases.push_back(phase);
    }
  }

  Names series_names() const {
    Names names;
    for (const Series& series : experiment_.series) names.push_back(series.name);
    return names;
  }

  // What an axis or a condition can name: a column of the rows or a setting of this experiment.
  Names row_names() const {
    Names names(kColumns.begin(), kColumns.end());
    for (const std::string& name : setting_names()) {
      if (!contains(names, name)) names.push_back(name);
    }
    // What the scenarios count along besides settings.
    if (experiment_.scenario == "window") names.push_back("day");
    return names;
  }

  std::map<std::string, std::string> conditions(const YAML::Node& node, const std::string& what) const {
    expect_map(node, what);
    const Names known = row_names();
    std::map<std::string, std::string> result;
    for (const auto& item : node) result[one_of(item.first, "column", known)] = text(item.second, what);
    return result;
  }

  std::string read_metric(const YAML::Node& node) const {
    Names names;
    for (const Metric& metric : metrics()) names.push_back(metric.name);
    const std::string name = one_of(node, "metric", names);
    const std::string phase = find_metric(name).phase;
    if (!phase.empty() && !contains(experiment_.phases, phase)) {
      fail_at(node, fmt::format("{} needs the phase {}, which is not measured; measured here: {}", name, phase,
                                fmt::join(experiment_.phases, ", ")));
    }
    return name;
  }

  void read_figures(const YAML::Node& list) {
    expect_list(list, "figures");
    for (const auto& node : list) {
      FigureSpec figure = one_figure(node);
      for (const FigureSpec& other : experiment_.figures) {
        if (other.id == figure.id) {
          fail_at(node["id"], fmt::format("there are two figures with id '{}'; rename one", figure.id));
        }
      }
      experiment_.figures.push_back(std::move(figure));
    }
  }

  FigureSpec one_figure(const YAML::Node& node) const {
    expect_keys(node, "a figure",
                {"id", "title", "x", "y", "xscale", "yscale", "kind", "series", "curves", "where"});
    const Names scales = {"linear", "log"};
    const Names kinds = {"line", "bar"};
    const Names known_series = series_names();
    FigureSpec figure;
    figure.id = id_of(required(node, "id", "the figure"), "id");
    figure.title = text_of(node, "title");
    figure.x = one_of(required(node, "x", "the figure"), "x", row_names());
    for (const YAML::Node& y : items(required(node, "y", "the figure"), "y")) figure.y.push_back(read_metric(y));
    if (figure.y.empty()) fail_at(node["y"], "y is empty; give it at least one metric");
    if (node["xscale"]) figure.xscale = one_of(node["xscale"], "xscale", scales);
    if (node["yscale"]) figure.yscale = one_of(node["yscale"], "yscale", scales);
    if (node["kind"]) figure.kind = one_of(node["kind"], "kind", kinds);
    if (node["series"]) figure.series = names_of(node["series"], "series", &known_series);
    if (node["curves"]) figure.curves = names_of(node["curves"], "curve", &kCurves);
    if (node["where"]) figure.where = conditions(node["where"], "where");
    return figure;
  }

  void read_published(const YAML::Node& list) {
    expect_list(list, "published");
    for (const auto& node : list) {
      expect_keys(node, "a published value", {"series", "metric", "at", "value", "source"});
      Published published;
      published.series = one_of(required(node, "series", "the published value"), "series", series_names());
      published.metric = read_metric(required(node, "metric", "the published value"));
      if (node["at"]) published.at = conditions(node["at"], "at");
      const YAML::Node value = required(node, "value", "the published value");
      const auto number = parse_real(text(value, "value"));
      if (!number) fail_at(value, fmt::format("value is '{}'; it must be a number", value.Scalar()));
      published.value = *number;
      published.source = text_of(node, "source", "paper");
      experiment_.published.push_back(std::move(published));
    }
  }

  // Every profile is read, so that a mistake in one shows before it is first used; only the chosen one is kept.
  void read_profiles(const YAML::Node& node) {
    expect_map(node, "profiles");
    std::optional<Reader> chosen;
    for (const auto& item : node) {
      const std::string name = one_of(item.first, "profile", kProfiles);
      Reader overlaid = *this;
      if (!item.second.IsNull()) overlaid.apply_profile(item.second);
      if (name == profile_) chosen = std::move(overlaid);
    }
    if (chosen) *this = std::move(*chosen);
  }

  void apply_profile(const YAML::Node& node) {
    expect_keys(node, "a profile", {"defaults", "sweep", "series", "repeats", "measure"});
    if (node["defaults"]) read_defaults(node["defaults"]);
    if (node["sweep"]) read_sweep(node["sweep"]);
    if (node["repeats"]) experiment_.repeats = read_repeats(node["repeats"]);
    if (node["measure"]) read_measure(node["measure"], true);
    if (node["series"]) keep_series(node["series"]);
  }

  void keep_series(const YAML::Node& node) {
    const Names known = series_names();
    const Names kept = names_of(node, "series", &known);
    if (kept.empty()) fail_at(node, "series is empty; name at least one to keep");
    std::erase_if(experiment_.series, [&](const Series& series) { return !contains(kept, series.name); });
    for (FigureSpec& figure : experiment_.figures) {
      std::erase_if(figure.series, [&](const std::string& name) { return !contains(kept, name); });
    }
    std::erase_if(experiment_.published, [&](const Published& item) { return !contains(kept, item.series); });
  }

  fs::path file_;
  std::string profile_;
  Experiment experiment_;
  bool searches_ = false;
  Names maintain_;
};

// What the values mean: types, ranges, names and memory, each complaint at the place where the value was written.
class Checker {
 public:
  explicit Checker(Experiment& experiment) : experiment_(experiment) {
    for (const Series& series : experiment.series) {
      if (entries_.contains(series.structure)) continue;
      const RegistryEntry& entry = find_structure(series.structure);
      entries_[series.structure] = &entry;
      for (const ParamSpec& spec : describe(entry)) {
        if (spec.type == "integer") integers_.insert(spec.name);
      }
    }
  }

  void check() {
    for_each_setting([this](const std::string& name, Setting& setting) { check_value(name, setting); });
    expect_small_plan();
    for (const Unit& unit : make_plan(experiment_)) {
      if (unit.repeat == 0) check_unit(unit);
    }
  }

 private:
  template <class Body>
  void for_each_setting(Body body) {
    for (auto& [name, setting] : experiment_.defaults) body(name, setting);
    for (Axis& axis : experiment_.sweep) {
      for (Setting& setting : axis.values) body(axis.name, setting);
    }
    for (Series& series : experiment_.series) {
      for (auto& [name, setting] : series.settings) body(name, setting);
    }
  }

  void check_value(const std::string& name, Setting& setting) {
    const HarnessSetting* known = find_harness_setting(name);
    if (known) {
      const std::string problem = problem_with(*known, setting.text);
      if (!problem.empty()) fail(experiment_.file, setting.mark, problem);
    }
    // One spelling of a number, so that 1e4 and 10000 are the same run.
    const auto value = parse_integer(setting.text);
    if (value && ((known && known->type == "integer") || integers_.contains(name))) {
      setting.text = std::to_string(*value);
    }
  }

  void expect_small_plan() const {
    double units = experiment_.repeats * static_cast<double>(experiment_.series.size());
    for (const Axis& axis : experiment_.sweep) units *= static_cast<double>(axis.values.size());
    if (units > kMaxUnits) {
      fail(experiment_.file, experiment_.sweep.front().values.front().mark,
           fmt::format("the sweep asks for {:.0f} runs; keep it under {:.0f}", units, kMaxUnits));
    }
  }

  const Series& series_of(const Unit& unit) const {
    return *std::find_if(experiment_.series.begin(), experiment_.series.end(),
                         [&](const Series& series) { return series.name == unit.series; });
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

  // The first of these names that was written, else the series itself.
  Mark place_of(const Unit& unit, const Names& names) const {
    for (const std::string& name : names) {
      if (const auto mark = written_at(unit, name)) return *mark;
    }
    return series_of(unit).mark;
  }

  void check_unit(const Unit& unit) {
    const RegistryEntry& entry = *entries_.at(unit.structure);
    if (!entry.many_sets && unit.settings.at("N") != "1") {
      fail(experiment_.file, place_of(unit, {"N"}),
           fmt::format("N is {} but {} holds one set; it must be 1", unit.settings.at("N"), unit.structure));
    }
    std::map<std::string, std::string> params = unit.structure_params;
    params.erase("seed");  // the harness draws it
    if (checked_.insert({unit.structure, params}).second) check_structure(unit);
    check_memory(unit);
  }

  void check_structure(const Unit& unit) const {
    try {
      make_structure(unit.structure, Params(unit.structure_params));
    } catch (const ParamError& e) {
      // m and k may come from n_exp and rho.
      const Names names = e.name() == "m" ? Names{"m", "n_exp"} : e.name() == "k" ? Names{"k", "rho"} : Names{e.name()};
      fail(experiment_.file, place_of(unit, names), fmt::format("series '{}': {}", unit.series, e.what()));
    } catch (const std::bad_alloc&) {
      fail(experiment_.file, place_of(unit, {"m", "n_exp", "N"}),
           fmt::format("series '{}' does not fit in memory; make m, n_exp or N smaller", unit.series));
    }
  }

  void check_memory(const Unit& unit) const {
    const double needed = estimated_bytes(unit);
    const auto available = static_cast<double>(physical_memory());
    if (needed <= available) return;
    fail(experiment_.file, place_of(unit, {"m", "n_exp", "N", "n"}),
         fmt::format("series '{}' needs about {:.1f} GiB and this machine has {:.1f}; make m, n_exp, N or n smaller",
                     unit.series, needed / 0x1p30, available / 0x1p30));
  }

  Experiment& experiment_;
  std::map<std::string, const RegistryEntry*> entries_;
  std::set<std::string> integers_;
  std::set<std::pair<std::string, std::map<std::string, std::string>>> checked_;
};

std::vector<Setting> comma_list(const std::string& text) {
  std::vector<Setting> values;
  std::stringstream in(text);
  for (std::string item; std::getline(in, item, ',');) values.push_back({item, {}});
  return values;
}

bool taken_by_a_series(const Experiment& experiment, const std::string& name) {
  for (const Series& series : experiment.series) {
    for (const ParamSpec& spec : describe(find_structure(series.structure))) {
      if (spec.name == name) return true;
    }
  }
  return false;
}

void expect_known_override(const std::string& name) {
  Names known = harness_names();
  known.push_back("repeats");
  for (const RegistryEntry& entry : registry()) {
    for (const ParamSpec& spec : describe(entry)) known.push_back(spec.name);
  }
  if (contains(known, name)) return;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  throw InputError(fmt::format("--set {}: unknown setting{}", name, suggestion(name, known)));
}

void set_repeats(Experiment& experiment, const std::string& text) {
  const auto value = parse_integer(text);
  if (!value || *value < 1 || static_cast<double>(*value) > kMaxRepeats) {
    throw InputError(fmt::format("--set repeats: it is '{}'; it must be an integer from 1 to {}", text, kMaxRepeats));
  }
  experiment.repeats = static_cast<int>(*value);
}

// One value replaces the default and the sweep, several (a,b,c) are a sweep. What a series sets itself stays: it is
// what the series is. A setting that none of this experiment's structures take is meant for another one.
void apply_override(Experiment& experiment, const std::string& name, const std::string& text) {
  expect_known_override(name);
  if (name == "repeats") return set_repeats(experiment, text);
  if (!find_harness_setting(name) && !taken_by_a_series(experiment, name)) return;
  const std::vector<Setting> values = comma_list(text);
  if (values.empty()) throw InputError(fmt::format("--set {}: it has no value; write {}=VALUE", name, name));
  if (Axis* axis = find_axis(experiment, name)) {
    axis->values = values;
  } else if (values.size() == 1) {
    experiment.defaults[name] = values.front();
  } else {
    experiment.sweep.push_back({name, values});
  }
}

}  // namespace

Experiment load_experiment(const fs::path& file, const std::string& profile, const Overrides& overrides) {
  if (!contains(kProfiles, profile)) {
    throw InputError(fmt::format("unknown profile '{}'{}", profile, suggestion(profile, kProfiles)));
  }
  Experiment experiment;
  try {
    experiment = Reader(file, profile).read();
  } catch (const YAML::Exception& e) {
    fail(file, {e.mark.line + 1, e.mark.column + 1}, "this cannot be read: " + e.msg);
  }
  for (const auto& [name, value] : overrides) apply_override(experiment, name, value);
  Checker(experiment).check();
  return experiment;
}

std::vector<fs::path> find_configs(const fs::path& path) {
  if (!fs::is_directory(path)) {
    if (!fs::exists(path)) throw InputError(path.string() + ": no such file or folder");
    return {path};
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file() && entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace bloomery
