#include "experiments/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "experiments/cache.h"

namespace bloomery {
namespace {

class FilterScenario final : public Scenario {
 public:
  FilterScenario(const Unit& unit, Inputs& inputs)
      : unit_(unit),
        settings_(settings_of(unit)),
        entry_(find_structure(unit.structure)),
        data_(inputs.workload(settings_.data)),
        executor_(settings_.backend, settings_.threads),
        searcher_(executor_, settings_.batch),
        structure_(make_structure_of(unit)) {}

  Row run(std::size_t step, const Timed& timed) override {
    const std::string& phase = unit_.phases.at(step);
    Row row = row_of(unit_, phase);
    if (settings_.threads > 1 && !structure_->concurrent_insert()) return unsupported(std::move(row));
    if (phase == "build") return fill(std::move(row), timed);
    if (phase == "search") return search(std::move(row), timed);
    throw std::invalid_argument("scenario filter has no phase '" + phase + "'");
  }

 private:
  Keys keys() const { return data_->sets[0]; }

  Row fill(Row row, const Timed& timed) {
    structure_->replace(0, {});  // touches the memory, where the structure can: page faults are not inserts
    timed([&] {
      executor_.for_chunks(keys().size(), settings_.batch, [&](std::size_t begin, std::size_t end, int) {
        structure_->insert(0, keys().subspan(begin, end - begin));
      });
    });
    set_number(row, "ops", static_cast<double>(keys().size()));
    add_footprint(row, *structure_);
    add_loads(row);
    if (entry_.answers) count_lost(row);
    return row;
  }

  void add_loads(Row& row) const {
    const std::optional<BlockLoads> loads = structure_->loads(keys());
    if (!loads) return;
    add_param(row, "least_load", std::to_string(loads->least));
    add_param(row, "mean_load", fmt::format("{}", loads->mean));
    add_param(row, "most_load", std::to_string(loads->most));
  }

  // Threads that write without atomic operations lose each other's bits: that is then the result, not an error.
  bool may_lose() const {
    const auto atomic = unit_.structure_params.find("atomic");
    return settings_.threads > 1 && atomic != unit_.structure_params.end() && atomic->second == "false";
  }

  void count_lost(Row& row) const {
    const Counted found = count_search(*structure_, keys(), nullptr);
    const std::uint64_t lost = keys().size() - found.verdict.matches;
    if (may_lose()) {
      add_param(row, "lost", std::to_string(lost));
    } else {
      add_verdict(row, {.matches = found.verdict.matches, .false_positives = 0, .false_negatives = lost});
    }
  }

  Row search(Row row, const Timed& timed) {
    CacheCounters counters;
    std::optional<CacheTraffic> traffic;
    const Timed with_counters = [&](const std::function<void()>& body) {
      timed([&] {
        counters.start();
        body();
        traffic = counters.stop();
      });
    };
    measure_search(row, *structure_, data_->queries, entry_.answers ? judge() : nullptr, searcher_, with_counters);
    add_footprint(row, *structure_);
    add_traffic(row, traffic);
    return row;
  }

  // Who is in needs no table: the keys of the set are below first_miss, all others are not.
  Judge judge() const {
    return [this](std::size_t begin, std::size_t count, const Matches& matches) {
      const auto queries = Keys(data_->queries).subspan(begin, count);
      const auto in = [&](Key key) { return key < data_->first_miss; };
      const auto wanted = static_cast<std::uint64_t>(std::ranges::count_if(queries, in));
      std::uint64_t right = 0;
      for (const Match& match : matches.view()) right += in(queries[match.index]);
      const std::uint64_t missed = may_lose() ? 0 : wanted - right;
      return Verdict{matches.size(), matches.size() - right, missed};
    };
  }

  void add_traffic(Row& row, std::optional<CacheTraffic> counted) const {
    const auto ops = static_cast<double>(data_->queries.size());
    add_param(row, "cache", counted ? "counters" : "model");
    if (!counted) {
      const auto lines = row.number("lines");
      const auto bytes = row.number("memory_bytes");
      if (!lines || !bytes) return;
      counted = modelled_traffic(*lines * ops, *bytes, last_level_cache_bytes());
    }
    set_number(row, "cache_references", counted->references / ops);
    set_number(row, "cache_misses", counted->misses / ops);
  }

  const Unit& unit_;
  const RunSettings settings_;
  const RegistryEntry& entry_;
  const std::shared_ptr<const Workload> data_;
  const Executor executor_;
  Searcher searcher_;
  const std::unique_ptr<AnyStructure> structure_;
};

}  // namespace

std::unique_ptr<Scenario> start_filter(const Unit& unit, Inputs& inputs) {
  return std::make_unique<FilterScenario>(unit, inputs);
}

}  // namespace bloomery
