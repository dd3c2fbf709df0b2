#include "experiments/gate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>

#include "experiments/config.h"
#include "experiments/errors.h"
#include "experiments/exit_codes.h"
#include "experiments/gate_accepted.h"
#include "experiments/gate_build.h"
#include "experiments/gate_counts.h"
#include "experiments/gate_instructions.h"
#include "experiments/gate_kernels.h"
#include "experiments/gate_time.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using Accepted = std::map<std::string, double>;

constexpr std::size_t kMostLines = 40;

void print_lines(const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) fmt::print("  {}\n", lines[i]);
  if (lines.size() > kMostLines) fmt::print("  and {} more\n", lines.size() - kMostLines);
}

int nothing_measured(const std::string& why) {
  fmt::print(stderr, "bloomery: nothing measured: {}\n", why);
  return kNothingMeasured;
}

// ---- counts ----

std::vector<CountRow> counts_now(const GateOptions& options) {
  std::vector<Experiment> experiments;
  for (const fs::path& file : find_configs(options.configs))
    experiments.push_back(load_experiment(file, "default", {}));
  return measure_counts(experiments);
}

int invalid(const std::vector<std::string>& wrong) {
  fmt::print("INVALID: {} rows with wrong answers or errors\n", wrong.size());
  print_lines(wrong);
  return kWrongAnswer;
}

int check_counts(const GateOptions& options) {
  const fs::path file = options.reference / "gate.csv";
  fmt::print("== counts, against {}\n", file.string());
  const std::vector<CountRow> now = counts_now(options);
  if (now.empty()) return nothing_measured("no experiment in " + options.configs.string());
  if (const auto wrong = wrong_counts(now); !wrong.empty()) return invalid(wrong);
  const std::vector<std::string> changes = changed_counts(read_counts(file), now);
  if (changes.empty()) {
    fmt::print("{} rows, all as before\n", now.size());
    return kOk;
  }
  fmt::print("REGRESSED: {} counts are not as before\n", changes.size());
  print_lines(changes);
  fmt::print("If this is meant, run bloomery gate --update and commit the file with the change.\n");
  return kRegressed;
}

int update_counts(const GateOptions& options) {
  const fs::path file = options.reference / "gate.csv";
  const std::vector<CountRow> now = counts_now(options);
  if (now.empty()) return nothing_measured("no experiment in " + options.configs.string());
  if (const auto wrong = wrong_counts(now); !wrong.empty()) return invalid(wrong);
  const std::vector<std::string> changes = changed_counts(fs::exists(file) ? read_counts(file) : decltype(now){}, now);
  print_lines(changes);
  write_counts(file, now);
  fmt::print("{}: {} rows, {} changes\n", file.string(), now.size(), changes.size());
  return kOk;
}

// ---- kernels ----

std::vector<KernelSpec> chosen_kernels(const GateOptions& options) {
  std::vector<KernelSpec> kernels = gate_kernels();
  std::erase_if(kernels, [&](const KernelSpec& spec) { return spec.name.find(options.kernels) == std::string::npos; });
  return kernels;
}

double limit_of(const Accepted& accepted, const std::string& kernel, double usual) {
  const auto found = accepted.find(kernel);
  return found == accepted.end() ? usual : std::max(usual, found->second);
}

int print_instructions(const std::string& kernel, std::uint64_t head, std::uint64_t base, double limit) {
  const double ratio = static_cast<double>(head) / static_cast<double>(base);
  const bool more = ratio > limit;
  fmt::print("{:<28} {:>12} {:>12} {:>8.4f}  {}\n", kernel, head, base, ratio,
             more           ? "MORE"
             : ratio < 0.99 ? "fewer"
                            : "as before");
  return more ? kRegressed : kOk;
}

int check_instructions(const GateOptions& options, const BuildPair& builds, const Accepted& accepted) {
  fmt::print("== instructions, against {} (limit {})\n", builds.base_name, options.instruction_limit);
  const auto counts = count_instructions({builds.head, builds.base}, options.kernels, options.folder);
  fmt::print("{:<28} {:>12} {:>12} {:>8}\n", "kernel", "HEAD", "base", "ratio");
  int code = kOk;
  std::size_t compared = 0;
  for (const KernelSpec& spec : chosen_kernels(options)) {
    const auto head = counts[0].find(spec.name), base = counts[1].find(spec.name);
    if (head == counts[0].end()) return nothing_measured("no instructions of " + spec.name);
    if (base == counts[1].end()) {
      fmt::print("{:<28} {:>12} {:>12}\n", spec.name, head->second, "new");
      continue;
    }
    const double limit = limit_of(accepted, spec.name, options.instruction_limit);
    code = worse(code, print_instructions(spec.name, head->second, base->second, limit));
    ++compared;
  }
  return compared == 0 ? nothing_measured("the base has none of these kernels") : code;
}

std::string interval(const Summary& s) { return fmt::format("{:.3f} [{:.3f}, {:.3f}]", s.median, s.low, s.high); }

const char* word(TimeVerdict verdict) {
  switch (verdict) {
    case TimeVerdict::kEqual:
      return "as before";
    case TimeVerdict::kFaster:
      return "faster";
    case TimeVerdict::kSlower:
      return "SLOWER";
    case TimeVerdict::kUnclear:
      return "unclear";
    case TimeVerdict::kNoisy:
      return "TOO NOISY";
  }
  return "";
}

int code_of(TimeVerdict verdict) {
  if (verdict == TimeVerdict::kSlower) return kRegressed;
  return verdict == TimeVerdict::kNoisy ? kTooNoisy : kOk;
}

// Answers first: the time of a wrong answer is worth nothing.
int check_kernel(const Arms& arms, const KernelSpec& spec, const TimeRules& rules, double limit, bool& compared) {
  Kernel head(arms.head, spec);
  if (!head.missing().empty()) {
    fmt::print("{:<28} INVALID: {}\n", spec.name, head.missing());
    return kWrongAnswer;
  }
  if (const std::uint64_t denied = head.denied(); denied > 0) {
    fmt::print("{:<28} INVALID: {} keys that are in are not found\n", spec.name, denied);
    return kWrongAnswer;
  }
  if (!Kernel(arms.base, spec).missing().empty()) {
    fmt::print("{:<28} new\n", spec.name);
    return kOk;
  }
  compared = true;
  const TimeResult result = time_kernel(arms, spec, rules, limit);
  fmt::print("{:<28} {:<22} {:<22} {}\n", spec.name, interval(result.head), interval(result.control),
             word(result.verdict));
  std::fflush(stdout);
  return code_of(result.verdict);
}

int check_times(const GateOptions& options, const BuildPair& builds, const Accepted& accepted) {
  fmt::print("== time, against {} (limit {})\n", builds.base_name, options.limit);
  fmt::print("{:<28} {:<22} {:<22}\n", "kernel", "HEAD / base", "control / base");
  const Module head(builds.head), base(builds.base), control(builds.control);
  const TimeRules rules;
  int code = kOk;
  bool compared = false;
  for (const KernelSpec& spec : chosen_kernels(options)) {
    const double limit = limit_of(accepted, spec.name, options.limit);
    code = worse(code, check_kernel({head, base, control}, spec, rules, limit, compared));
  }
  return compared || code != kOk ? code : nothing_measured("the base has none of these kernels");
}

int check_kernels(const GateOptions& options, bool instructions, bool time) {
  if (chosen_kernels(options).empty()) return nothing_measured("no kernel has '" + options.kernels + "' in its name");
  fs::create_directories(options.folder);
  fmt::print("== builds in {}\n", options.folder.string());
  std::fflush(stdout);
  const fs::path recorded = options.reference / "commit";
  const BuildPair builds = options.head.empty() ? make_builds(options.base, recorded, options.folder)
                                             : given_builds(options.head, options.against, options.folder);
  for (const std::string& note : builds.notes) fmt::print("note: {}\n", note);
  const Accepted accepted = accepted_ratios(options.reference / "accepted.csv", recorded_base(recorded));
  int code = kOk;
  if (instructions) code = worse(code, check_instructions(options, builds, accepted));
  if (time) code = worse(code, check_times(options, builds, accepted));
  return code;
}

bool asks_for(const GateOptions& options, const std::string& part) {
  return std::ranges::find(options.parts, part) != options.parts.end();
}

int print_verdict(int code) {
  fmt::print("gate: {}\n", code == kOk                ? "ok"
                           : code == kRegressed       ? "FAILED"
                           : code == kNothingMeasured ? "nothing measured"
                                                      : "too noisy to tell");
  return code;
}

void add_options(CLI::App& command, GateOptions& options) {
  options.folder = BLOOMERY_BINARY_DIR "/gate/run";
  command.add_option("--only", options.parts, "of counts, instructions, time; all by default")
      ->delimiter(',')
      ->check(CLI::IsMember({"counts", "instructions", "time"}));
  command.add_option("--base", options.base, "commit to compare with; by default the one in <reference>/commit");
  command.add_option("--kernels", options.kernels, "only the kernels with this in their names");
  command.add_option("--reference", options.reference, "folder of gate.csv, commit, accepted.csv")
      ->capture_default_str();
  command.add_option("--configs", options.configs, "experiments whose counts are compared")->capture_default_str();
  command.add_option("--folder", options.folder, "where both builds and all logs go")->capture_default_str();
  command.add_option("--limit", options.limit, "a kernel regresses when its interval of time ratios is above")
      ->check(CLI::Range(1.001, 100.0))
      ->capture_default_str();
  auto* head = command.add_option("--head", options.head, "a build of the kernels to judge, instead of making one");
  auto* against = command.add_option("--against", options.against, "a build to compare it with")->needs(head);
  head->needs(against);
  auto* update = command.add_flag("--update", options.update, "write gate.csv anew and print what changed");
  command.add_flag("--record-base", options.record_base, "make HEAD the base of later comparisons")->excludes(update);
}

}  // namespace

int gate_command(const GateOptions& options) {
  if (options.update) return update_counts(options);
  if (options.record_base) {
    const fs::path file = options.reference / "commit";
    fmt::print("{}: {}\n", file.string(), record_base(file));
    return kOk;
  }
  int code = kOk;
  if (asks_for(options, "counts")) code = worse(code, check_counts(options));
  const bool instructions = asks_for(options, "instructions"), time = asks_for(options, "time");
  if (instructions || time) code = worse(code, check_kernels(options, instructions, time));
  return print_verdict(code);
}

void add_gate_commands(CLI::App& app, Chosen& chosen) {
  const auto kept = std::make_shared<GateOptions>();
  GateOptions& options = *kept;
  CLI::App& command = *app.add_subcommand("gate", "compare with the reference and a base commit");
  command.parse_complete_callback([&chosen, kept] { chosen = [kept] { return gate_command(*kept); }; });
  add_options(command, options);
  CLI::App& kernels =
      *app.add_subcommand("gate-kernels", "run one build under callgrind")->group("");  // not for people
  kernels.parse_complete_callback(
      [&chosen, kept] { chosen = [kept] { return run_kernels_for_callgrind(kept->head, kept->kernels); }; });
  kernels.add_option("module", options.head, "a build of the kernels")->required();
  kernels.add_option("--kernels", options.kernels, "only the kernels with this in their names");
}

}  // namespace bloomery
