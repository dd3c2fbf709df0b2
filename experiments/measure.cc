#include "experiments/measure.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "experiments/optimize.h"
#include "experiments/phases.h"
#include "structures/ranks.h"
#include "structures/theory.h"

namespace bloomery {
namespace {

using Done = std::function<void(const Unit&, const std::vector<Row>&)>;

// Runs steps inside of benchmarks and gathers their rows. Benchmarks run in the order of their registration, so that
// the row waiting for its time is always that of the last step.
class Engine {
 public:
  explicit Engine(const Done& done) : done_(done) {}

  // The body of a benchmark. Nothing may be thrown through Google Benchmark.
  void run(const Unit& unit, const std::vector<std::string>& steps, std::size_t step, benchmark::State& state) {
    bool timed = false;
    if (!stopped_) {
      const auto time = [&](const std::function<void()>& body) {
        timed = true;
        for ([[maybe_unused]] auto _ : state) body();
      };
      waiting_ = row_of_step(unit, steps[step], step, time);
      unit_ = &unit;
      last_ = step + 1 == steps.size();
    }
    // A benchmark must either loop or say why not.
    if (!timed || stopped_ || waiting_["status"] == "error") state.SkipWithError("not measured");
  }

  // The reporter's call: the time is in.
  void report(const benchmark::BenchmarkReporter::Run& run) {
    if (stopped_ || unit_ == nullptr) return;
    const std::string& status = waiting_["status"];
    if (!run.error_occurred && (status == "ok" || status == "false_negative")) add_time(run.real_accumulated_time);
    std::ranges::move(more_rows_, std::back_inserter(rows_));
    more_rows_.clear();
    rows_.push_back(std::move(waiting_));
    if (last_) finish_unit();
  }

  void rethrow() const {
    if (stopped_) std::rethrow_exception(stopped_);
  }

 private:
  Row row_of_step(const Unit& unit, const std::string& phase, std::size_t step, const Timed& timed) {
    if (failed_) return error_row(unit, phase, "skipped", "an earlier phase failed");
    try {
      if (!scenario_) scenario_ = start(unit, inputs_);
      Row row = scenario_->run(step, timed);
      more_rows_ = scenario_->more_rows();
      return row;
    } catch (const std::exception& error) {
      failed_ = true;  // what is left of the structure is anyone's guess
      return error_row(unit, phase, "error", error.what());
    } catch (...) {
      failed_ = true;
      return error_row(unit, phase, "error", "unknown exception");
    }
  }

  static Row error_row(const Unit& unit, const std::string& phase, const std::string& status, const std::string& why) {
    Row row = row_of(unit, phase);
    row["status"] = status;
    add_param(row, "error", why);
    return row;
  }

  void add_time(double seconds) {
    set_number(waiting_, "seconds", seconds);
    const auto ops = waiting_.number("ops");
    if (ops && *ops > 0) set_number(waiting_, "ns_per_op", seconds * 1e9 / *ops);
  }

  void finish_unit() {
    scenario_.reset();  // before the next unit begins: two structures never share the memory
    failed_ = false;
    try {
      done_(*unit_, rows_);
    } catch (...) {
      stopped_ = std::current_exception();
    }
    rows_.clear();
  }

  const Done& done_;
  Inputs inputs_;
  std::unique_ptr<Scenario> scenario_;
  bool failed_ = false;  // a step of this unit
  std::vector<Row> rows_;
  Row waiting_;
  std::vector<Row> more_rows_;  // of the same step
  const Unit* unit_ = nullptr;
  bool last_ = false;
  std::exception_ptr stopped_;
};

// Silent: no context, no warning about the library's own build.
class RowReporter final : public benchmark::BenchmarkReporter {
 public:
  explicit RowReporter(Engine& engine) : engine_(engine) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) engine_.report(run);
  }

 private:
  Engine& engine_;
};

void register_unit(const Unit& unit, Engine& engine) {
  const auto steps = std::make_shared<const std::vector<std::string>>(steps_of(unit));
  for (std::size_t step = 0; step < steps->size(); ++step) {
    const std::string name = unit.experiment + "/" + unit.series + "/" + (*steps)[step] + "/" + unit.run_id;
    benchmark::RegisterBenchmark(
        name.c_str(), [&unit, &engine, steps, step](benchmark::State& state) { engine.run(unit, *steps, step, state); })
        ->Iterations(1)
        ->Repetitions(1)
        ->UseRealTime();
  }
}

double setting(const Unit& unit, const std::string& name) {
  const auto found = unit.settings.find(name);
  return found == unit.settings.end() || found->second.empty() ? 0 : std::stod(found->second);
}

double filter_bits(const Unit& unit) {
  if (const double m = setting(unit, "m"); m > 0) return m;
  const double rho = setting(unit, "rho") > 0 ? setting(unit, "rho") : 0.01;
  const double k = setting(unit, "k") > 0 ? setting(unit, "k") : static_cast<double>(hashes_for_rate(rho));
  const double n_exp = setting(unit, "n_exp") > 0 ? setting(unit, "n_exp") : 10000;
  return static_cast<double>(bits_for(static_cast<std::uint64_t>(k), n_exp));
}

// Filters kept for each set: inner nodes come on top in a tree of order d.
double filters_per_set(const Unit& unit) {
  const std::string inner = unit.structure.substr(unit.structure.find('/') + 1);
  if (inner == "null" || inner == "exact") return 0;
  if (inner != "bloofi") return 1;
  const double d = setting(unit, "d") > 1 ? setting(unit, "d") : 2;
  return 1 + 0.6 / (d - 1);
}

}  // namespace

void measure(const std::vector<Unit>& units, const std::function<void(const Unit&, const std::vector<Row>&)>& done) {
  if (units.empty()) return;
  Engine engine(done);
  RowReporter reporter(engine);
  benchmark::ClearRegisteredBenchmarks();
  for (const Unit& unit : units) register_unit(unit, engine);
  benchmark::RunSpecifiedBenchmarks(&reporter, ".");
  benchmark::ClearRegisteredBenchmarks();
  engine.rethrow();
}

double estimated_bytes(const Unit& unit) {
  if (unit.scenario == "optimize") return optimize_bytes(unit);
  constexpr double kKeyBytes = 8;
  const double exact_bytes = unit.scenario == "filter" ? 0 : 32;  // a key in the hash table that answers are checked with
  const RunSettings settings = settings_of(unit);
  const WorkloadSpec& data = settings.data;
  const double live = static_cast<double>(data.sets + data.inserts);
  const double made = unit.scenario == "window" ? live + static_cast<double>(settings.days) : live;
  const double keys = made * static_cast<double>(data.keys_per_set) +
                      static_cast<double>(data.updates) * static_cast<double>(data.update_keys);
  const bool spread = unit.structure.starts_with("sharded") && ranks_here() != nullptr;
  const double hosts = spread ? ranks_here()->hosts(ranks_here()->count()) : 1;
  const double filters = live * filters_per_set(unit) * filter_bits(unit) / 8 / hosts;
  return filters + keys * (kKeyBytes + exact_bytes) + static_cast<double>(data.queries) * 3 * kKeyBytes;
}

}  // namespace bloomery
