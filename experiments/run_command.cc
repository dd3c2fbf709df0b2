#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/commands.h"
#include "experiments/environment.h"
#include "experiments/errors.h"
#include "experiments/exit_codes.h"
#include "experiments/host_lock.h"
#include "experiments/launched.h"
#include "experiments/measure.h"
#include "experiments/phases.h"
#include "experiments/plan.h"
#include "experiments/progress.h"
#include "experiments/rows.h"
#include "experiments/selection.h"
#include "experiments/shards.h"
#include "experiments/start_ranks.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using Phases = std::multiset<std::string>;

struct Job {
  Experiment experiment;
  std::vector<Unit> plan;
  std::vector<Unit> missing;
};

// What was measured without an error, by run. An error may have been a passing one: it is tried again.
std::map<std::string, Phases> phases_done(const std::vector<Row>& rows) {
  std::map<std::string, Phases> done;
  for (const Row& row : rows) {
    if (row["status"] != "error") done[row["run_id"]].insert(row["phase"]);
  }
  return done;
}

// A unit of which a row is missing or there twice is measured again as a whole.
std::vector<Unit> missing_units(const std::vector<Unit>& plan, const std::vector<Row>& rows) {
  std::map<std::string, Phases> done = phases_done(rows);
  std::vector<Unit> missing;
  std::ranges::copy_if(plan, std::back_inserter(missing), [&](const Unit& unit) {
    const std::vector<std::string> steps = steps_of(unit);
    const Phases wanted(steps.begin(), steps.end());
    Phases& found = done[unit.run_id];
    std::erase_if(found, [&](const std::string& phase) { return !wanted.contains(phase); });  // more rows of a step
    return found != wanted;
  });
  return missing;
}

fs::path part_file(const Options& options, const Experiment& experiment) {
  Options part = options;
  part.results = shard_folder(options.results, parse_shard(options.shard));
  return rows_file(part, experiment);
}

std::vector<Job> make_jobs(const Options& options) {
  std::vector<Job> jobs;
  const Shard shard = parse_shard(options.shard);
  PointCounter points;
  for (Experiment& experiment : load_selected(options)) {
    Job job{std::move(experiment), {}, {}};
    job.plan = points.take(job.experiment, make_plan(job.experiment), shard);
    if (job.plan.empty()) continue;
    job.missing =
        options.force ? job.plan : missing_units(job.plan, read_rows(part_file(options, job.experiment)).rows);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
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
  fmt::print("{} to measure, roughly {}, up to {:.2f} GiB of memory\n", counted(units, "run"), duration(seconds),
             bytes / 0x1p30);
  return kOk;
}

// Rows of units that are measured again go first, or they would be there twice. Stale rows of other units stay until
// the new ones are complete.
void drop_rows_of(const std::vector<Unit>& units, RowWriter& writer) {
  std::set<std::string> kept;
  for (const Row& row : writer.existing()) kept.insert(row["run_id"]);
  for (const Unit& unit : units) kept.erase(unit.run_id);
  writer.keep_only({kept.begin(), kept.end()});
}

void drop_rows_of_others(const std::vector<Unit>& plan, RowWriter& writer, const fs::path& file) {
  std::vector<std::string> ids;
  for (const Unit& unit : plan) ids.push_back(unit.run_id);
  const std::size_t before = writer.existing().size();
  writer.keep_only(ids);
  const std::size_t dropped = before - writer.existing().size();
  if (dropped == 0) return;
  fmt::print(stderr, "bloomery: {}: {} of other settings or an older program dropped; they are in {}.previous\n",
             file.string(), counted(dropped, "row"), file.filename().string());
}

// The rows for which a condition holds, told of by the first of them.
template <class Condition>
bool any_row(const std::vector<Row>& rows, const fs::path& file, const std::string& what, Condition condition) {
  const auto count = static_cast<std::size_t>(std::ranges::count_if(rows, condition));
  if (count == 0) return false;
  const Row& first = *std::ranges::find_if(rows, condition);
  const std::string why = first.get("error");
  fmt::print(stderr, "bloomery: {}: {} with {}, the first in phase {} of series '{}'{}\n", file.string(),
             counted(count, "row"), what, first["phase"], first["series"], why.empty() ? "" : ": " + why);
  return true;
}

int verdict(const std::vector<Row>& rows, const fs::path& file) {
  const bool wrong = any_row(rows, file, "FALSE NEGATIVES", [](const Row& row) {
    return row["status"] == "false_negative" || row.number("false_negatives").value_or(0) > 0;
  });
  const bool failed = any_row(rows, file, "errors", [](const Row& row) { return row["status"] == "error"; });
  return wrong ? kWrongAnswer : failed || rows.empty() ? kNothingMeasured : kOk;
}

int run_job(const Job& job, const Options& options, Progress& progress) {
  const fs::path file = part_file(options, job.experiment);
  RowWriter writer(file);
  if (!writer.note().empty()) fmt::print(stderr, "bloomery: {}\n", writer.note());
  if (!job.missing.empty()) {
    drop_rows_of(job.missing, writer);
    write_environment(file.parent_path() / "environment.json", options.profile);
    measure(job.missing, [&](const Unit& unit, const std::vector<Row>& rows) {
      writer.append(rows);
      progress.done(unit);
    });
  }
  drop_rows_of_others(job.plan, writer, file);
  return verdict(writer.existing(), file);
}

void warn_unless_release() {
  if (is_release_build()) return;
  fmt::print(stderr,
             "*** bloomery: THIS IS NOT A RELEASE BUILD. Its times mean nothing; "
             "configure with -DCMAKE_BUILD_TYPE=Release and without sanitizers. ***\n");
}

int measure_jobs(const std::vector<Job>& jobs, const Options& options) {
  std::vector<Unit> missing;
  std::size_t planned = 0;
  for (const Job& job : jobs) {
    missing.insert(missing.end(), job.missing.begin(), job.missing.end());
    planned += job.plan.size();
  }
  fmt::print("{} in {}, {} to measure\n", counted(planned, "run"), counted(jobs.size(), "experiment"), missing.size());
  const HostLock lock(options.share_host || missing.empty());
  Progress progress(missing);
  int code = kOk;
  for (const Job& job : jobs) code = worse(code, run_job(job, options, progress));
  return code;
}

// One of the processes on each other host keeps it from measuring anything else.
int serve(Launched& launched, const Options& options) {
  const char* local = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  const HostLock lock(options.share_host || local == nullptr || std::string_view(local) != "0");
  launched.serve();
  return kOk;
}

}  // namespace

int run_command(const Options& options) {
  Launched launched;
  if (launched.serves()) return serve(launched, options);
  std::vector<Job> jobs = make_jobs(options);
  if (options.dry_run) return print_plan(jobs);
  warn_unless_release();
  const auto asks_for_others = [](const Job& job) { return ranks_to_start(job.missing) > 1; };
  const auto own = std::stable_partition(jobs.begin(), jobs.end(), std::not_fn(asks_for_others));
  int code = measure_jobs({jobs.begin(), own}, options);
  for (auto job = own; job != jobs.end(); ++job) {
    code = worse(code, run_with_ranks(options, job->experiment.id, ranks_to_start(job->missing)));
  }
  return code;
}

}  // namespace bloomery
