#include "experiments/commands.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/config.h"
#include "experiments/environment.h"
#include "experiments/errors.h"
#include "experiments/figures.h"
#include "experiments/measure.h"
#include "experiments/metrics.h"
#include "experiments/plan.h"
#include "experiments/report.h"
#include "experiments/rows.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

Overrides overrides_of(const std::vector<std::string>& texts) {
  Overrides overrides;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
      throw InputError(fmt::format("--set {}: write it as key=value", text));
    }
    overrides.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return overrides;
}

std::vector<fs::path> config_files(const Options& options) {
  std::vector<fs::path> files;
  for (const fs::path& path : options.paths) {
    for (fs::path& file : find_configs(path)) files.push_back(std::move(file));
  }
  if (files.empty()) throw InputError("no .yaml file in the folders given");
  return files;
}

bool has_figure(const Experiment& experiment, const std::string& id) {
  return std::any_of(experiment.figures.begin(), experiment.figures.end(),
                     [&](const FigureSpec& figure) { return figure.id == id; });
}

std::vector<Experiment> selected(std::vector<Experiment> all, const std::string& only) {
  if (only.empty()) return all;
  std::vector<std::string> names;
  for (const Experiment& experiment : all) {
    names.push_back(experiment.id);
    for (const FigureSpec& figure : experiment.figures) names.push_back(figure.id);
  }
  std::erase_if(all, [&](const Experiment& e) { return e.id != only && !has_figure(e, only); });
  if (all.empty()) {
    throw InputError(fmt::format("--only {}: no such experiment or figure{}", only, suggestion(only, names)));
  }
  return all;
}

// All of them are read, also with --only: one bad config stops everything before anything runs.
std::vector<Experiment> load_all(const Options& options, const std::string& profile) {
  const Overrides overrides = overrides_of(options.set);
  std::vector<Experiment> experiments;
  std::map<std::string, fs::path> files;
  for (const fs::path& file : config_files(options)) {
    experiments.push_back(load_experiment(file, profile, overrides));
    const auto [first, is_new] = files.insert({experiments.back().id, file});
    if (!is_new) {
      throw InputError(fmt::format("{}: experiment '{}' is already in {}; rename one", file.string(),
                                   experiments.back().id, first->second.string()));
    }
  }
  return experiments;
}

fs::path rows_file(const Options& options, const std::string& id) { return options.results / id / "rows.csv"; }

// Phases measured without an error, by run. An error may have been a passing one: it is tried again.
std::map<std::string, std::set<std::string>> phases_done(const std::vector<Row>& rows) {
  std::map<std::string, std::set<std::string>> done;
  for (const Row& row : rows) {
    if (row["status"] != "error") done[row["run_id"]].insert(row["phase"]);
  }
  return done;
}

std::vector<Unit> missing_units(const std::vector<Unit>& plan, const std::vector<Row>& rows) {
  const auto done = phases_done(rows);
  std::vector<Unit> missing;
  std::copy_if(plan.begin(), plan.end(), std::back_inserter(missing), [&](const Unit& unit) {
    const auto found = done.find(unit.run_id);
    return found == done.end() || !std::all_of(unit.phases.begin(), unit.phases.end(), [&](const std::string& phase) {
      return found->second.contains(phase);
    });
  });
  return missing;
}

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / 60), std::fmod(seconds, 60));
}

double setting(const Unit& unit, const std::string& name) {
  const auto found = unit.settings.find(name);
  return found == unit.settings.end() ? 0 : std::strtod(found->second.c_str(), nullptr);
}

// Good for "minutes or hours?" and for weighing units against each other, no more: the sets' keys, the memory that is
// written, and queries that look at a part of the filters.
double expected_seconds(const Unit& unit) {
  const double sets = setting(unit, "N");
  const double queries = setting(unit, "queries");
  return 0.005 + 2e-8 * sets * setting(unit, "n") + estimated_bytes(unit) * 5e-10 + queries * (2e-7 + sets * 1e-9);
}

double expected_seconds(const std::vector<Unit>& units) {
  double sum = 0;
  for (const Unit& unit : units) sum += expected_seconds(unit);
  return sum;
}

// done/total and the time left, rewritten in place on a terminal, else a line every few seconds.
class Progress {
 public:
  explicit Progress(const std::vector<Unit>& units)
      : total_(units.size()), expected_(expected_seconds(units)), terminal_(::isatty(STDOUT_FILENO) != 0) {}

  void done(const Unit& unit) {
    ++done_;
    weight_done_ += expected_seconds(unit);
    const Clock::time_point now = Clock::now();
    const bool last = done_ == total_;
    if (!last && now - shown_ < (terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(5))) return;
    shown_ = now;
    const double spent = std::chrono::duration<double>(now - start_).count();
    const double left = spent / weight_done_ * std::max(0.0, expected_ - weight_done_);
    const std::string line = fmt::format("{}/{}, ETA {}  {} {}", done_, total_, duration(left), unit.experiment,
                                         unit.series);
    fmt::print("{}{}{}", terminal_ ? "\r\x1b[K" : "", line, terminal_ && !last ? "" : "\n");
    std::fflush(stdout);
  }

 private:
  std::size_t total_;
  std::size_t done_ = 0;
  double expected_;
  double weight_done_ = 0;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_;
};

struct Job {
  Experiment experiment;
  std::vector<Unit> plan;
  std::vector<Unit> missing;
};

std::vector<Job> make_jobs(const Options& options) {
  std::vector<Job> jobs;
  for (Experiment& experiment : selected(load_all(options, options.profile), options.only)) {
    Job job{std::move(experiment), {}, {}};
    job.plan = make_plan(job.experiment);
    const RowsFile found = read_rows(rows_file(options, job.experiment.id));
    job.missing = options.force ? job.plan : missing_units(job.plan, found.rows);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

int print_plan(const std::vector<Job>& jobs) {
  double seconds = 0;
  double bytes = 0;
  std::size_t units = 0;
  for (const Job& job : jobs) {
    fmt::print("{:<32} {:>5} runs, {:>5} to measure: {} series, {} repetitions, phases {}\n", job.experiment.id,
               job.plan.size(), job.missing.size(), job.experiment.series.size(), job.experiment.repeats,
               fmt::join(job.experiment.phases, " "));
    seconds += expected_seconds(job.missing);
    units += job.missing.size();
    for (const Unit& unit : job.missing) bytes = std::max(bytes, estimated_bytes(unit));
  }
  fmt::print("{} runs to measure, roughly {}, up to {:.2f} GiB of memory\n", units, duration(seconds), bytes / 0x1p30);
  return kOk;
}

std::vector<std::string> ids_of(const std::vector<Unit>& units) {
  std::vector<std::string> ids;
  for (const Unit& unit : units) ids.push_back(unit.run_id);
  return ids;
}

// Rows of units that are measured again go first, or they would be there twice. Stale rows of other units stay until
// the new ones are complete.
void drop_rows_of(const std::vector<Unit>& units, RowWriter& writer) {
  std::set<std::string> kept;
  for (const Row& row : writer.existing()) kept.insert(row["run_id"]);
  for (const Unit& unit : units) kept.erase(unit.run_id);
  writer.keep_only({kept.begin(), kept.end()});
}

int verdict(const std::vector<Row>& rows, const std::string& experiment) {
  std::size_t wrong = 0;
  std::size_t failed = 0;
  for (const Row& row : rows) {
    wrong += row["status"] == "false_negative" || row.number("false_negatives").value_or(0) > 0;
    failed += row["status"] == "error";
  }
  if (wrong > 0) fmt::print(stderr, "bloomery: {}: {} rows with FALSE NEGATIVES\n", experiment, wrong);
  if (failed > 0) fmt::print(stderr, "bloomery: {}: {} rows with status error\n", experiment, failed);
  return wrong > 0 ? kWrongAnswer : failed > 0 || rows.empty() ? kNothingMeasured : kOk;
}

int run_job(const Job& job, const Options& options, Progress& progress) {
  const fs::path file = rows_file(options, job.experiment.id);
  RowWriter writer(file);
  if (!writer.note().empty()) fmt::print(stderr, "bloomery: {}\n", writer.note());
  if (!job.missing.empty()) {
    drop_rows_of(job.missing, writer);
    write_environment(file.parent_path() / "environment.json");
    measure(job.missing, [&](const Unit& unit, const std::vector<Row>& rows) {
      writer.append(rows);
      progress.done(unit);
    });
  }
  writer.keep_only(ids_of(job.plan));
  return verdict(writer.existing(), job.experiment.id);
}

void warn_unless_release() {
  if (is_release_build()) return;
  fmt::print(stderr,
             "*** bloomery: THIS IS NOT A RELEASE BUILD. Its times mean nothing; "
             "configure with -DCMAKE_BUILD_TYPE=Release and without sanitizers. ***\n");
}

// The worst of two results: a wrong answer outranks a missing one.
int worse(int a, int b) { return a == kOk ? b : b == kOk ? a : std::min(a, b); }

void list_structures() {
  for (const RegistryEntry& entry : registry()) fmt::print("{:<24} {}\n", entry.name, entry.about);
}

void list_metrics() {
  for (const Metric& m : metrics()) fmt::print("{:<24} {:<40} phase {}\n", m.name, m.label, m.phase);
}

std::string range_of(const HarnessSetting& setting) {
  if (setting.type == "flag") return "true, false";
  if (setting.type == "choice") return fmt::format("{}", fmt::join(setting.options, ", "));
  return fmt::format("{:.0f} to {:.0f}", setting.min, setting.max);
}

void print_parameter(const std::string& name, const std::string& type, const std::string& range,
                     const std::string& fallback, const std::string& about) {
  fmt::print("{:<16} {:<8} {:<28} default {:<12} {}\n", name, type, range, fallback, about);
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

int run_command(const Options& options) {
  const std::vector<Job> jobs = make_jobs(options);
  if (options.dry_run) return print_plan(jobs);
  warn_unless_release();
  std::vector<Unit> missing;
  std::size_t planned = 0;
  for (const Job& job : jobs) {
    missing.insert(missing.end(), job.missing.begin(), job.missing.end());
    planned += job.plan.size();
  }
  fmt::print("{} runs in {} experiments, {} to measure\n", planned, jobs.size(), missing.size());
  Progress progress(missing);
  int code = kOk;
  for (const Job& job : jobs) code = worse(code, run_job(job, options, progress));
  return code;
}

int plot_command(const Options& options) {
  int code = kOk;
  for (const Experiment& experiment : selected(load_all(options, options.profile), options.only)) {
    const fs::path file = rows_file(options, experiment.id);
    const RowsFile found = read_rows(file);
    if (!found.problem.empty()) fmt::print(stderr, "bloomery: {}: {}\n", file.string(), found.problem);
    if (found.rows.empty()) {
      fmt::print(stderr, "bloomery: no rows in {}; run the experiment first\n", file.string());
      code = kNothingMeasured;
      continue;
    }
    const std::string only = has_figure(experiment, options.only) ? options.only : "";
    for (const fs::path& path : draw_figures(experiment, found.rows, options.plots / experiment.id, only)) {
      fmt::print("{}\n", path.string());
    }
  }
  return code;
}

int report_command(const Options& options) {
  write_report(selected(load_all(options, options.profile), options.only), options.results, options.plots);
  fmt::print("{}\n", (options.plots / "report.html").string());
  return kOk;
}

int validate_command(const Options& options) {
  for (const std::string profile : {"quick", "default", "paper"}) {
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
  command.add_option("paths", options.paths, "experiment files or folders of them (configs)");
  command.add_option("--profile", options.profile, "quick, default or paper")->capture_default_str();
  command.add_option("--set", options.set, "key=value: overrides a setting (a,b,c sweeps it); repeatable")
      ->allow_extra_args(false);
  command.add_option("--only", options.only, "an experiment or a figure by its id");
  command.add_option("--results", options.results, "folder of the rows")->capture_default_str();
  command.add_option("--plots", options.plots, "folder of the figures")->capture_default_str();
}

void add_run_options(CLI::App& command, Options& options) {
  command.add_flag("--force", options.force, "measure again what is already there");
  const std::string about_resume = "measure only what is missing (the default)";
  command.add_flag("--resume", about_resume)->excludes("--force");
  command.add_flag("--dry-run", options.dry_run, "print the plan and an estimate, measure nothing");
}

std::string exit_codes() {
  return fmt::format(
      "Exit codes: {} success; {} a wrong answer (false negative or broken invariant); {} bad usage or config; "
      "{} rows missing or not measured; {} a file that cannot be read or written.",
      static_cast<int>(kOk), static_cast<int>(kWrongAnswer), static_cast<int>(kBadInput),
      static_cast<int>(kNothingMeasured), static_cast<int>(kIoError));
}

}  // namespace bloomery
