#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "experiments/commands.h"
#include "experiments/errors.h"
#include "experiments/measure.h"
#include "experiments/plan.h"
#include "experiments/selection.h"
#include "experiments/shards.h"
#include "experiments/workload.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

// For bash, whatever is in it.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

struct Needs {
  std::size_t points = 0;
  int threads = 1;
  double bytes = 0;
};

Needs needs_of(const Options& options) {
  Needs needs;
  PointCounter points;
  for (const Experiment& experiment : load_selected(options)) {
    const std::vector<Unit> plan = make_plan(experiment);
    points.take(experiment, plan, {});
    for (const Unit& unit : plan) {
      needs.threads = std::max(needs.threads, settings_of(unit).threads);
      needs.bytes = std::max(needs.bytes, estimated_bytes(unit));
    }
  }
  needs.points = points.points();
  return needs;
}

std::string run_line(const Options& options, std::size_t parts) {
  std::string line = quoted(fs::read_symlink("/proc/self/exe").string()) + " run";
  for (const fs::path& path : options.paths) line += " " + quoted(path.string());
  line += " --profile " + options.profile;
  for (const std::string& set : options.set) line += " --set " + quoted(set);
  if (!options.only.empty()) line += " --only " + quoted(options.only);
  return line +
         fmt::format(" --results {} --shard \"$SLURM_ARRAY_TASK_ID/{}\"", quoted(options.results.string()), parts);
}

// Half as much again as the estimate, and room for the program itself.
std::uint64_t mebibytes(double bytes) { return static_cast<std::uint64_t>(std::ceil(bytes * 1.5 / 0x1p20)) + 256; }

}  // namespace

int slurm_command(const Options& options) {
  const Needs needs = needs_of(options);
  const std::size_t parts = std::min<std::size_t>(needs.points, options.tasks);
  const std::string folder = fs::current_path().string();
  if (folder.find_first_of("\n\r") != std::string::npos)
    throw InputError("the current folder has a line break in its name");
  fmt::print(
      "#!/bin/bash\n"
      "# {} points in {} parts, each on a machine of its own. Submit it with sbatch; when all are done:\n"
      "#   bloomery merge --results {}\n"
      "# A part that was ended goes on where it was when the same script is submitted again.\n"
      "#SBATCH --job-name=bloomery\n"
      "#SBATCH --array=1-{}\n"
      "#SBATCH --nodes=1\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --exclusive\n"
      "#SBATCH --cpus-per-task={}\n"
      "#SBATCH --mem={}M\n"
      "#SBATCH --output=bloomery-%A_%a.out\n"
      "{}set -euo pipefail\n"
      "cd {}\n"
      "exec {}\n",
      needs.points, parts, options.results.string(), parts, needs.threads, mebibytes(needs.bytes),
      options.time.empty() ? "" : "#SBATCH --time=" + options.time + "\n", quoted(folder), run_line(options, parts));
  return kOk;
}

void add_slurm_options(CLI::App& command, Options& options) {
  command.add_option("--tasks", options.tasks, "parts at most; a point is never split")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command.add_option("--time", options.time, "limit for each part, as sbatch takes it: minutes, HH:MM:SS or D-HH")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return !text.empty() && text.find_first_not_of("0123456789:-") == std::string::npos
                       ? std::string()
                       : "it must be minutes, HH:MM:SS or D-HH, not '" + text + "'";
          },
          "TIME"));
}

}  // namespace bloomery
