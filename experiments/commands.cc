#include "experiments/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "experiments/errors.h"
#include "experiments/exit_codes.h"
#include "experiments/figures.h"
#include "experiments/metrics.h"
#include "experiments/plan.h"
#include "experiments/report.h"
#include "experiments/rows.h"
#include "experiments/selection.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

// One figure that lacks its rows does not keep the others from being drawn.
bool has_rows(const FigureSpec& figure, const Experiment& experiment, const std::vector<Row>& rows) {
  try {
    curves_of(figure, experiment, rows);
    return true;
  } catch (const InputError& e) {
    fmt::print(stderr, "bloomery: {}\n", e.what());
    return false;
  }
}

int plot(const Experiment& experiment, const Options& options) {
  const fs::path file = rows_file(options, experiment);
  const RowsFile found = read_rows(file);
  if (!found.problem.empty()) fmt::print(stderr, "bloomery: {}: {}\n", file.string(), found.problem);
  if (found.rows.empty()) {
    fmt::print(stderr, "bloomery: no rows in {}; run the experiment first\n", file.string());
    return kNothingMeasured;
  }
  const bool one = has_figure(experiment, options.only);
  int code = kOk;
  for (const FigureSpec& figure : experiment.figures) {
    if (one && figure.id != options.only) continue;
    if (!has_rows(figure, experiment, found.rows)) {
      code = kNothingMeasured;
      continue;
    }
    for (const fs::path& drawn : draw_figures(experiment, found.rows, options.plots / experiment.id, figure.id)) {
      fmt::print("{}\n", drawn.string());
    }
  }
  return code;
}

void list_structures() {
  for (const RegistryEntry& entry : registry()) fmt::print("{:<24} {}\n", entry.name, entry.about);
}

void list_metrics() {
  for (const Metric& m : metrics()) fmt::print("{:<24} {:<40} phase {}\n", m.name, m.label, m.phase);
}

std::string range_of(const HarnessSetting& setting) {
  if (setting.type == "flag") return "true, false";
  if (setting.type == "text") return "text";
  if (setting.type == "choice") return fmt::format("{}", fmt::join(setting.options, ", "));
  return fmt::format("{:.0f} to {:.0f}", setting.min, setting.max);
}

void print_parameter(const std::string& name, const std::string& type, const std::string& range,
                     const std::string& fallback, const std::string& about) {
  fmt::print("{:<16} {:<8} {:<32} default {:<16} {}\n", name, type, range, fallback, about);
}

void list_settings() {
  for (const HarnessSetting& s : harness_settings()) {
    print_parameter(s.name, s.type, range_of(s), s.default_value, s.about);
  }
}

void list_experiments(const Options& options) {
  for (const Experiment& e : load_all(options, options.profile)) fmt::print("{:<32} {}\n", e.id, e.about);
}

void list_figures(const Options& options) {
  for (const Experiment& experiment : load_all(options, options.profile)) {
    for (const FigureSpec& figure : experiment.figures) {
      fmt::print("{:<16} {:<32} {}\n", figure.id, experiment.id, figure.title);
    }
  }
}

}  // namespace

int plot_command(const Options& options) {
  int code = kOk;
  for (const Experiment& experiment : load_selected(options)) code = std::max(code, plot(experiment, options));
  return code;
}

int report_command(const Options& options) {
  if (options.markdown) {
    fmt::print("{}", report_markdown(load_selected(options), options.results, options.plots));
    return kOk;
  }
  write_report(load_selected(options), options.results, options.plots);
  fmt::print("{}\n", (options.plots / "report.html").string());
  return kOk;
}

int validate_command(const Options& options) {
  for (const std::string& profile : profile_names()) {
    std::size_t units = 0;
    const std::vector<Experiment> experiments = load_all(options, profile);
    for (const Experiment& experiment : experiments) units += make_plan(experiment).size();
    fmt::print("{:<8} {} experiments, {} runs: valid\n", profile, experiments.size(), units);
  }
  return kOk;
}

int list_command(const Options& options) {
  if (options.what == "structures") {
    list_structures();
  } else if (options.what == "metrics") {
    list_metrics();
  } else if (options.what == "settings") {
    list_settings();
  } else if (options.what == "figures") {
    list_figures(options);
  } else {
    list_experiments(options);
  }
  return kOk;
}

int describe_command(const Options& options) {
  const std::vector<std::string> names = structure_names();
  if (std::find(names.begin(), names.end(), options.what) == names.end()) {
    throw InputError(fmt::format("unknown structure '{}'{}", options.what, suggestion(options.what, names)));
  }
  const RegistryEntry& entry = find_structure(options.what);
  fmt::print("{}: {}\n", entry.name, entry.about);
  for (const ParamSpec& spec : describe(entry)) {
    print_parameter(spec.name, spec.type, spec.range, spec.default_value, spec.about);
  }
  return kOk;
}

void add_config_options(CLI::App& command, Options& options) {
  command.add_option("paths", options.paths, "experiment files, or folders of them; configs if there are none");
  command.add_option("--profile", options.profile, "quick, default or paper")->capture_default_str();
  add_set_option(command, options);
  command.add_option("--only", options.only, "an experiment or a figure by its id");
  add_folder_options(command, options);
}

void add_set_option(CLI::App& command, Options& options) {
  command.add_option("--set", options.set, "key=value: overrides a setting (a,b,c sweeps it); repeatable")
      ->allow_extra_args(false);
}

void add_folder_options(CLI::App& command, Options& options) {
  command.add_option("--results", options.results, "folder of the rows")->capture_default_str();
  command.add_option("--plots", options.plots, "folder of the figures")->capture_default_str();
}

void add_run_options(CLI::App& command, Options& options) {
  command.add_flag("--force", options.force, "measure again what is already there");
  const std::string about_resume = "measure only what is missing (the default)";
  command.add_flag("--resume", about_resume)->excludes("--force");
  command.add_option("--shard", options.shard, "i/n: the i-th of n parts, into <results>/shards; see merge");
  command.add_flag("--share-host", options.share_host, "measure while another run measures on this host");
  command.add_flag("--dry-run", options.dry_run, "print the plan and an estimate, measure nothing");
}

void add_report_options(CLI::App& command, Options& options) {
  command.add_flag("--markdown", options.markdown, "print the summary as Markdown, for a pull request");
}

std::string exit_codes() {
  return fmt::format(
      "Exit codes: {} success; {} a wrong answer (false negative or broken invariant); {} bad usage or config; "
      "{} rows missing or not measured; {} too noisy to tell (gate); {} a file that cannot be read or written; {} at "
      "least one point is slower (compare).",
      static_cast<int>(kOk), static_cast<int>(kWrongAnswer), static_cast<int>(kBadInput),
      static_cast<int>(kNothingMeasured), static_cast<int>(kTooNoisy), static_cast<int>(kIoError),
      static_cast<int>(kGotSlower));
}

}  // namespace bloomery
