#include "experiments/window.h"

#include <algorithm>
#include <utility>

namespace bloomery {
namespace {

std::vector<std::uint64_t> sampled_days(const RunSettings& settings) {
  std::vector<std::uint64_t> days;
  for (std::uint64_t day = 0; day < settings.days; day += settings.sample_every) days.push_back(day);
  days.push_back(settings.days);
  return days;
}

// The sets of all days, of which day t searches [t, t + N).
WorkloadSpec all_days(const RunSettings& settings) {
  WorkloadSpec spec = settings.data;
  spec.sets = settings.data.sets + settings.days;
  spec.inserts = spec.updates = 0;
  spec.queries = 0;  // drawn for each day from the keys that are then alive
  return spec;
}

class WindowScenario final : public Scenario {
 public:
  WindowScenario(const Unit& unit, Inputs& inputs)
      : unit_(unit),
        settings_(settings_of(unit)),
        days_(sampled_days(settings_)),
        entry_(find_structure(unit.structure)),
        data_(inputs.workload(all_days(settings_))),
        executor_(settings_.backend, settings_.threads),
        searcher_(executor_, settings_.batch) {
    if (!entry_.many_sets && kept() > 1) return;
    able_ = true;
    build();
  }

  Row run(std::size_t step, const Timed& timed) override {
    Row row = row_of(unit_, "window");
    add_param(row, "day", std::to_string(days_.at(step)));
    const std::uint64_t moves = days_[step] - day_;
    Cost cost;
    while (able_ && day_ < days_[step]) cost += move_on();
    if (!able_) return unsupported(std::move(row));
    if (settings_.rebuild) rebuild(row);
    add_maintenance(row, cost, static_cast<double>(std::max<std::uint64_t>(moves, 1)));
    search(row, timed);
    add_footprint(row, *structure_);
    return row;
  }

 private:
  std::uint64_t kept() const { return settings_.data.sets; }
  Sets alive() const { return data_->sets.view().subspan(day_, kept()); }

  // Ids grow with the days; those of a new structure start at 0 again.
  void build() {
    structure_.reset();
    structure_ = make_structure_of(unit_);
    structure_->build(alive(), executor_);
    oldest_ = 0;
  }

  void rebuild(Row& row) {
    add_param(row, "rebuilt", "true");
    if (day_ > 0) build();
  }

  Cost move_on() {
    const auto erased = structure_->erase(oldest_);
    const auto inserted = structure_->insert(oldest_ + static_cast<SetId>(kept()), data_->sets[day_ + kept()]);
    able_ = erased && inserted;
    if (!able_) return {};
    ++day_;
    ++oldest_;
    Cost cost = *erased;
    return cost += *inserted;
  }

  // The keys alive are one stretch of all keys, as all sets are equally large.
  Keys alive_keys() const {
    const std::uint64_t n = settings_.data.keys_per_set;
    return data_->sets.all().subspan(day_ * n, kept() * n);
  }

  void search(Row& row, const Timed& timed) {
    const WorkloadSpec& data = settings_.data;
    const std::vector<Key> queries = make_queries(alive_keys(), data_->first_miss, data.queries, data.hit_rate,
                                                  Random(data.seed, data.repeat, Random::kQueries, day_));
    std::shared_ptr<const Answers> answers;
    if (entry_.answers) answers = std::make_shared<const Answers>(alive(), queries, oldest_);
    measure_search(row, *structure_, queries, judge_by(std::move(answers)), searcher_, timed);
  }

  const Unit& unit_;
  const RunSettings settings_;
  const std::vector<std::uint64_t> days_;
  const RegistryEntry& entry_;
  const std::shared_ptr<const Workload> data_;
  const Executor executor_;
  Searcher searcher_;
  std::unique_ptr<AnyStructure> structure_;
  bool able_ = false;
  std::uint64_t day_ = 0;
  SetId oldest_ = 0;  // the id of the oldest set alive
};

}  // namespace

std::vector<std::uint64_t> window_days(const Unit& unit) { return sampled_days(settings_of(unit)); }

std::vector<std::string> window_steps(const Unit& unit) {
  return std::vector<std::string>(window_days(unit).size(), "window");
}

std::unique_ptr<Scenario> start_window(const Unit& unit, Inputs& inputs) {
  return std::make_unique<WindowScenario>(unit, inputs);
}

}  // namespace bloomery
