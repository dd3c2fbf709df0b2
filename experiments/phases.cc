#include "experiments/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "experiments/environment.h"
#include "experiments/filter.h"
#include "experiments/intersection.h"
#include "experiments/levels.h"
#include "experiments/optimize.h"
#include "experiments/provenance.h"
#include "experiments/transfer.h"
#include "experiments/window.h"
#include "structures/ranks.h"

namespace bloomery {
namespace {

constexpr std::size_t kCountBatch = 256;
constexpr std::uint64_t kRechecks = 1000;

// Build, search and maintain: the papers' experiments.
class IndexScenario final : public Scenario {
 public:
  IndexScenario(const Unit& unit, Inputs& inputs)
      : unit_(unit),
        settings_(settings_of(unit)),
        entry_(find_structure(unit.structure)),
        data_(inputs.workload(settings_.data)),
        answers_(entry_.answers && fits() && searches() ? inputs.answers(settings_.data) : nullptr),
        executor_(settings_.backend, settings_.threads),
        searcher_(executor_, settings_.batch),
        alive_(data_->sets.size() + data_->new_sets.size()) {
    if (fits()) structure_ = make_structure_of(unit);
  }

  Row run(std::size_t step, const Timed& timed) override {
    const std::string& phase = unit_.phases.at(step);
    Row row = row_of(unit_, phase);
    if (!fits()) return unsupported(std::move(row));
    if (phase == "build") return build(std::move(row), timed);
    if (!built_) build_now();  // an experiment may measure searches alone
    if (!able_) return unsupported(std::move(row));
    if (phase == "search") return search(std::move(row), timed);
    if (phase == "insert") return insert(std::move(row), timed);
    if (phase == "update") return update(std::move(row), timed);
    if (phase == "erase") return erase(std::move(row), timed);
    throw std::invalid_argument("unknown phase '" + phase + "'");
  }

 private:
  bool searches() const { return std::ranges::find(unit_.phases, "search") != unit_.phases.end(); }
  bool fits() const { return entry_.many_sets || settings_.data.sets == 1; }

  // Keys that a set got, to be asked for later.
  struct Held {
    SetId set;
    Keys keys;
  };

  void hold(SetId set, Keys keys) {
    alive_[set] = 1;
    held_.push_back({set, keys});
  }

  Row build(Row row, const Timed& timed) {
    Cost cost;
    if (settings_.after_updates) {
      add_param(row, "after_updates", "true");
      const std::vector<Keys> halves = first_halves();
      timed([&] { cost = build_after_updates(halves); });
    } else {
      timed([&] { cost = structure_->build(data_->sets.view(), executor_); });
    }
    finish_build();
    if (!able_) return unsupported(std::move(row));
    add_maintenance(row, cost, static_cast<double>(data_->sets.size()));
    add_footprint(row, *structure_);
    add_traffic(row, std::nullopt, structure_->traffic());
    return row;
  }

  void build_now() {
    if (settings_.after_updates) {
      build_after_updates(first_halves());
    } else {
      structure_->build(data_->sets.view(), executor_);
    }
    finish_build();
  }

  void finish_build() {
    built_ = true;
    for (SetId set = 0; set < data_->sets.size(); ++set) hold(set, data_->sets[set]);
  }

  std::vector<Keys> first_halves() const {
    std::vector<Keys> halves;
    for (const Keys keys : data_->sets.view()) halves.push_back(keys.first(keys.size() / 2));
    return halves;
  }

  Cost build_after_updates(Sets halves) {
    Cost cost = structure_->build(halves, executor_);
    for (SetId set = 0; set < halves.size() && able_; ++set) {
      const auto added = structure_->insert(set, data_->sets[set].subspan(halves[set].size()));
      able_ = added.has_value();
      if (able_) cost += *added;
    }
    return cost;
  }

  Row search(Row row, const Timed& timed) {
    // The answers are those of the sets as built; after maintenance only survivors are asked for.
    measure_search(row, *structure_, data_->queries, judge_by(changed_ ? nullptr : answers_), searcher_, timed);
    add_footprint(row, *structure_);
    if (changed_) recheck(row);
    return row;
  }

  // `ops` operations timed together; op(i) gives the cost of one, or nothing if the structure lacks the power.
  template <class Op>
  Row maintain(Row row, std::uint64_t ops, const Timed& timed, Op op) {
    Cost cost;
    bool able = true;
    const std::optional<Traffic> before = structure_->traffic();
    timed([&] {
      for (std::uint64_t i = 0; i < ops && able; ++i) {
        const std::optional<Cost> one = op(i);
        able = one.has_value();
        if (able) cost += *one;
      }
    });
    if (!able) return unsupported(std::move(row));
    changed_ = true;
    add_traffic(row, before, structure_->traffic());
    add_maintenance(row, cost, static_cast<double>(ops));
    add_footprint(row, *structure_);
    return row;
  }

  Row insert(Row row, const Timed& timed) {
    if (!entry_.many_sets) return unsupported(std::move(row));
    const SetId first = static_cast<SetId>(data_->sets.size());
    row = maintain(std::move(row), data_->new_sets.size(), timed, [&](std::uint64_t i) {
      return structure_->insert(first + static_cast<SetId>(i), data_->new_sets[i]);
    });
    if (row["status"] != "ok") return row;
    for (SetId i = 0; i < data_->new_sets.size(); ++i) hold(first + i, data_->new_sets[i]);
    recheck(row);
    return row;
  }

  Row update(Row row, const Timed& timed) {
    const std::vector<SetId> sets = random_sets(1);
    if (sets.empty()) throw std::logic_error("no set is left to update");
    row = maintain(std::move(row), data_->updates.size(), timed, [&](std::uint64_t i) {
      return structure_->insert(sets[i % sets.size()], data_->updates[i]);
    });
    if (row["status"] != "ok") return row;
    for (std::size_t i = 0; i < data_->updates.size(); ++i) hold(sets[i % sets.size()], data_->updates[i]);
    recheck(row);
    return row;
  }

  Row erase(Row row, const Timed& timed) {
    std::vector<SetId> sets = random_sets(2);
    sets.resize(std::min<std::size_t>(sets.size(), settings_.maintain_ops));
    row = maintain(std::move(row), sets.size(), timed, [&](std::uint64_t i) { return structure_->erase(sets[i]); });
    if (row["status"] != "ok") return row;
    for (const SetId set : sets) alive_[set] = 0;
    recheck(row);
    return row;
  }

  // The sets of the build that still exist, in random order.
  std::vector<SetId> random_sets(std::uint64_t item) const {
    std::vector<SetId> sets;
    for (SetId set = 0; set < data_->sets.size(); ++set) {
      if (alive_[set]) sets.push_back(set);
    }
    Random random(settings_.data.seed, settings_.data.repeat, Random::kMaintenance, item);
    shuffle(sets, random);
    return sets;
  }

  // Maintenance must not lose a key: asks for a sample of those that every surviving set got.
  void recheck(Row& row) const {
    if (!entry_.answers) return;
    Random random(settings_.data.seed, settings_.data.repeat, Random::kRecheck);
    std::vector<Member> members;
    for (std::uint64_t i = 0; i < kRechecks && !held_.empty(); ++i) {
      const Held& held = held_[random.below(held_.size())];
      if (alive_[held.set] && !held.keys.empty()) members.push_back({held.keys[random.below(held.keys.size())], held.set});
    }
    const std::uint64_t denied = count_denied(*structure_, members);
    set_number(row, "false_negatives", static_cast<double>(denied));
    if (denied > 0) row["status"] = "false_negative";
  }

  const Unit& unit_;
  const RunSettings settings_;
  const RegistryEntry& entry_;
  const std::shared_ptr<const Workload> data_;
  // Worked out before the build: between build and search it would cool the caches, for the first series of a point only.
  const std::shared_ptr<const Answers> answers_;
  const Executor executor_;
  Searcher searcher_;
  std::unique_ptr<AnyStructure> structure_;
  std::vector<char> alive_;  // by set
  std::vector<Held> held_;
  bool built_ = false;
  bool able_ = true;      // to be built as the settings ask
  bool changed_ = false;  // by maintenance, so that the answers no longer hold
};

struct ScenarioKind {
  std::vector<std::string> (*steps)(const Unit&);
  std::unique_ptr<Scenario> (*start)(const Unit&, Inputs&);
};

const ScenarioKind& kind_of(const Unit& unit) {
  static const std::map<std::string, ScenarioKind> kinds = {
      {"index",
       {[](const Unit& u) { return u.phases; },
        [](const Unit& u, Inputs& inputs) -> std::unique_ptr<Scenario> {
          return std::make_unique<IndexScenario>(u, inputs);
        }}},
      {"filter", {[](const Unit& u) { return u.phases; }, start_filter}},
      {"provenance", {provenance_steps, start_provenance}},
      {"window", {window_steps, start_window}},
      {"intersection", {[](const Unit& u) { return u.phases; }, start_intersection}},
      {"levels", {levels_steps, start_levels}},
      {"transfer", {[](const Unit& u) { return u.phases; }, start_transfer}},
      {"optimize", {optimize_steps, start_optimize}},
  };
  const auto found = kinds.find(unit.scenario);
  if (found == kinds.end()) throw std::invalid_argument("unknown scenario '" + unit.scenario + "'");
  return found->second;
}

std::string number_text(double value) { return fmt::format("{}", value); }

// Costs that a structure does not have stay empty.
void set_cost(Row& row, std::string_view column, std::uint64_t total, double ops) {
  if (total > 0 && ops > 0) set_number(row, column, static_cast<double>(total) / ops);
}

// In the place of another value of that name, if there is one.
void set_param(Row& row, const std::string& name, const std::string& value) {
  std::string& params = row["params"];
  const std::string padded = ";" + params + ";";
  const std::size_t at = padded.find(";" + name + "=");
  if (at == std::string::npos) return add_param(row, name, value);
  const std::size_t end = padded.find(';', at + 1);
  const std::string replaced = padded.substr(0, at + 1) + name + "=" + value + padded.substr(end);
  params = replaced.substr(1, replaced.size() - 2);
}

}  // namespace

std::vector<std::string> steps_of(const Unit& unit) { return kind_of(unit).steps(unit); }

std::unique_ptr<Scenario> start(const Unit& unit, Inputs& inputs) { return kind_of(unit).start(unit, inputs); }

std::unique_ptr<AnyStructure> make_structure_of(const Unit& unit) {
  auto params = unit.structure_params;
  const auto specs = describe(find_structure(unit.structure));
  const bool seeded = std::any_of(specs.begin(), specs.end(), [](const auto& spec) { return spec.name == "seed"; });
  if (seeded) {
    const WorkloadSpec data = settings_of(unit).data;
    params["seed"] = std::to_string(data.seed + data.repeat);
  }
  return make_structure(unit.structure, Params(std::move(params)));
}

Row row_of(const Unit& unit, const std::string& phase) {
  Row row = row_for(unit);
  row["phase"] = phase;
  row["status"] = "ok";
  row["cores"] = std::to_string(available_cores());
  return row;
}

Row unsupported(Row row) {
  row["status"] = "unsupported";
  return row;
}

void set_number(Row& row, std::string_view column, double value) { row[column] = number_text(value); }

void add_param(Row& row, const std::string& name, const std::string& value) {
  if (row.get(name) == value) return;
  std::string text = value;
  // A separator or a line break inside a value would look like the next parameter.
  std::replace_if(text.begin(), text.end(), [](char c) { return c == ';' || c == '\n' || c == '\r'; }, ',');
  std::string& params = row["params"];
  if (!params.empty()) params += ';';
  params += name + "=" + text;
}

void add_param(Row& row, const std::string& name, double value) { add_param(row, name, number_text(value)); }

void add_footprint(Row& row, const AnyStructure& structure) {
  const Footprint footprint = structure.footprint();
  const auto set = [&](std::string_view column, std::uint64_t value) {
    if (value > 0) row[column] = std::to_string(value);
  };
  set("nodes", footprint.nodes);
  set("height", footprint.height);
  set("storage_bytes", footprint.storage_bytes);
  set("memory_bytes", footprint.memory_bytes);
}

void add_traffic(Row& row, const std::optional<Traffic>& before, const std::optional<Traffic>& now) {
  if (!now) return;
  set_param(row, "ranks", std::to_string(now->ranks));  // of those asked for, 0 is all
  add_param(row, "hosts", std::to_string(now->hosts));
  add_param(row, "bytes_sent", std::to_string(now->bytes - (before ? before->bytes : 0)));
  const auto cores = now->hosts * static_cast<std::uint64_t>(available_cores());
  const auto started = ranks_here() == nullptr ? 1 : static_cast<std::uint64_t>(ranks_here()->count());
  if (started > cores) add_param(row, "oversubscribed", "true");
}

void add_verdict(Row& row, const Verdict& verdict) {
  row["matches"] = std::to_string(verdict.matches);
  row["false_positives"] = std::to_string(verdict.false_positives);
  row["false_negatives"] = std::to_string(verdict.false_negatives);
  if (verdict.false_negatives > 0) row["status"] = "false_negative";
}

void add_maintenance(Row& row, const Cost& cost, double ops) {
  set_number(row, "ops", ops);
  set_cost(row, "filters_cost", cost.filters, ops);
  set_cost(row, "nodes_cost", cost.nodes, ops);
}

// Lanes are apart by more than a pair of cache lines, so that workers do not slow each other down.
struct alignas(256) Searcher::Lane {
  Matches matches;
};

Searcher::Searcher(Executor executor, std::size_t batch) : executor_(std::move(executor)), batch_(batch) {
  for (int i = 0; i < executor_.threads(); ++i) lanes_.push_back(std::make_shared<Lane>());
}

void Searcher::warm_up(const AnyStructure& structure, Keys queries) {
  search(structure, queries.first(std::min(queries.size(), queries.size() / 10 + batch_)));
}

void Searcher::search(const AnyStructure& structure, Keys queries) {
  executor_.for_chunks(queries.size(), batch_, [&](std::size_t begin, std::size_t end, int worker) {
    Matches& matches = lanes_[static_cast<std::size_t>(worker)]->matches;
    matches.clear();
    structure.query_timed(queries.subspan(begin, end - begin), matches);
  });
}

Judge judge_by(std::shared_ptr<const Answers> answers) {
  if (!answers) return nullptr;
  return [answers = std::move(answers)](std::size_t begin, std::size_t count, const Matches& matches) {
    return answers->judge(begin, count, matches);
  };
}

Counted count_search(const AnyStructure& structure, Keys queries, const Judge& judge) {
  struct alignas(256) Lane {
    Matches matches;
    Counted counted;
  };
  const Executor executor(Backend::kTbb, available_cores());
  std::vector<Lane> lanes(static_cast<std::size_t>(executor.threads()));
  executor.for_chunks(queries.size(), kCountBatch, [&](std::size_t begin, std::size_t end, int worker) {
    Lane& lane = lanes[static_cast<std::size_t>(worker)];
    lane.matches.clear();
    lane.counted.cost += structure.query(queries.subspan(begin, end - begin), lane.matches);
    lane.counted.verdict += judge ? judge(begin, end - begin, lane.matches) : Verdict{.matches = lane.matches.size()};
  });
  Counted total;
  for (const Lane& lane : lanes) {
    total.cost += lane.counted.cost;
    total.verdict += lane.counted.verdict;
  }
  return total;
}

void measure_search(Row& row, const AnyStructure& structure, Keys queries, const Judge& judge, Searcher& searcher,
                    const Timed& timed) {
  searcher.warm_up(structure, queries);
  const std::optional<Traffic> before = structure.traffic();
  timed([&] { searcher.search(structure, queries); });
  add_traffic(row, before, structure.traffic());
  const Counted counted = count_search(structure, queries, judge);
  const auto ops = static_cast<double>(queries.size());
  set_number(row, "ops", ops);
  set_cost(row, "bf_cost", counted.cost.bf_checks, ops);
  set_cost(row, "words", counted.cost.words, ops);
  set_cost(row, "lines", counted.cost.lines, ops);
  if (judge) {
    add_verdict(row, counted.verdict);
  } else {
    row["matches"] = std::to_string(counted.verdict.matches);
  }
}

}  // namespace bloomery
