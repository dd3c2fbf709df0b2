#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "experiments/commands.h"
#include "experiments/errors.h"
#include "experiments/rows.h"
#include "experiments/shards.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

struct Run {
  std::vector<Row> rows;
  fs::path file;
};
using Runs = std::map<std::string, Run>;  // by run_id

bool has_error(const Run& run) {
  return std::ranges::any_of(run.rows,
                             [](const Row& row) { return row["status"] == "error" || row["status"] == "skipped"; });
}

std::vector<std::pair<std::string, Run>> runs_of(const fs::path& file) {
  const RowsFile found = read_rows(file);
  if (!found.problem.empty()) {
    throw IoError(fmt::format("{}: {}; run that part again, which mends it, then merge", file.string(), found.problem));
  }
  std::vector<std::pair<std::string, Run>> runs;
  std::map<std::string, std::size_t> at;
  for (const Row& row : found.rows) {
    const auto [place, is_new] = at.try_emplace(row["run_id"], runs.size());
    if (is_new) runs.push_back({row["run_id"], {{}, file}});
    runs[place->second].second.rows.push_back(row);
  }
  return runs;
}

// What one experiment gets.
class Merger {
 public:
  explicit Merger(fs::path target) : target_(std::move(target)) {
    if (fs::exists(target_)) add(target_);
  }

  // The same run from two places is taken once; a failed one gives way to one that did not fail.
  void add(const fs::path& file) {
    for (auto& [id, run] : runs_of(file)) {
      const auto [there, is_new] = runs_.try_emplace(id, run);
      if (is_new) {
        order_.push_back(id);
      } else if (there->second.rows == run.rows || has_error(run)) {
        continue;
      } else if (has_error(there->second)) {
        there->second = run;
      } else {
        const Row& row = run.rows.front();
        throw InputError(fmt::format(
            "series '{}' of experiment '{}', repeat {} (run_id {}), was measured twice: {} and {} differ; delete its "
            "rows "
            "in one of them, then merge",
            row["series"], row["experiment"], row["repeat"], id, there->second.file.string(), file.string()));
      }
    }
  }

  // How many rows came to what was there.
  std::size_t write() const {
    RowWriter writer(target_);
    std::set<std::string> sound;
    std::size_t added = 0;
    std::vector<Row> fresh;
    for (const std::string& id : order_) {
      const Run& run = runs_.at(id);
      if (run.file == target_) {
        sound.insert(id);
      } else {
        fresh.insert(fresh.end(), run.rows.begin(), run.rows.end());
      }
    }
    writer.keep_only({sound.begin(), sound.end()});
    added = fresh.size();
    if (added > 0) writer.append(fresh);
    return added;
  }

 private:
  fs::path target_;
  Runs runs_;
  std::vector<std::string> order_;
};

std::vector<fs::path> sources(const Options& options) {
  if (!options.from.empty()) return options.from;
  std::vector<fs::path> folders;
  const fs::path shards = options.results / "shards";
  if (fs::is_directory(shards)) {
    for (const auto& entry : fs::directory_iterator(shards)) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  return folders;
}

// Each machine's own description stays beside the rows.
void copy_environment(const fs::path& from, const std::string& part, const fs::path& target) {
  const fs::path file = from / "environment.json";
  if (!fs::exists(file)) return;
  fs::copy_file(file, target / ("environment-" + part + ".json"), fs::copy_options::overwrite_existing);
  fs::copy_file(file, target / "environment.json", fs::copy_options::skip_existing);
}

}  // namespace

int merge_command(const Options& options) try {
  std::map<std::string, Merger> mergers;
  std::vector<std::pair<fs::path, std::string>> parts;  // folder of an experiment, name of the part
  std::size_t files = 0;
  for (const fs::path& folder : sources(options)) {
    if (!fs::is_directory(folder))
      throw InputError(folder.string() + ": no such folder; name folders that `run --results` wrote");
    for (const auto& entry : fs::directory_iterator(folder)) {
      const fs::path file = entry.path() / "rows.csv";
      if (!fs::exists(file)) continue;
      const std::string experiment = entry.path().filename().string();
      mergers.try_emplace(experiment, options.results / experiment / "rows.csv").first->second.add(file);
      parts.emplace_back(entry.path(), (folder / "").parent_path().filename().string());
      ++files;
    }
  }
  if (files == 0) {
    fmt::print(stderr, "bloomery: nothing to merge: no rows.csv in {}\n",
               options.from.empty() ? (options.results / "shards").string() : "the folders given");
    return kNothingMeasured;
  }
  // Only now: a conflict anywhere leaves every file as it was.
  for (const auto& [experiment, merger] : mergers) {
    const std::size_t added = merger.write();
    fmt::print("{}: {} rows added\n", (options.results / experiment / "rows.csv").string(), added);
  }
  for (const auto& [folder, part] : parts) copy_environment(folder, part, options.results / folder.filename());
  return kOk;
} catch (const fs::filesystem_error& e) {
  throw IoError(e.what());
}

void add_merge_options(CLI::App& command, Options& options) {
  command.add_option("from", options.from, "folders of results; <results>/shards/* if there are none");
  command.add_option("--results", options.results, "folder that gets all rows")->capture_default_str();
}

}  // namespace bloomery
