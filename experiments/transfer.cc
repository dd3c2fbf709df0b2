#include "experiments/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>

#include "experiments/numbers.h"
#include "experiments/rival.h"
#include "experiments/stats.h"

namespace bloomery {
namespace {

constexpr int kTurns = 7;  // of the structure and a standard filter, one after the other

RunSettings settings_for(const Unit& unit) {
  RunSettings settings = settings_of(unit);
  settings.data.hit_rate = 0;
  return settings;
}

std::string setting(const Unit& unit, const std::string& name) {
  const auto found = unit.settings.find(name);
  return found == unit.settings.end() ? "" : found->second;
}

// The first number of a list, and the next; a shorter list goes on with its last.
std::pair<std::string, std::string> first_two(const std::string& list) {
  const std::size_t comma = list.find(',');
  if (comma == std::string::npos) return {list, list};
  const std::string rest = list.substr(comma + 1);
  return {list.substr(0, comma), rest.substr(0, rest.find(','))};
}

class TransferScenario final : public Scenario {
 public:
  TransferScenario(const Unit& unit, Inputs& inputs)
      : unit_(unit),
        settings_(settings_for(unit)),
        data_(inputs.workload(settings_.data)),
        sample_(absent_sample(settings_, data_->first_miss)),
        executor_(settings_.backend, settings_.threads),
        searcher_(executor_, settings_.batch),
        structure_(make_structure_of(unit)) {
    if (has_rival(unit)) turn_into_rival();
  }

  Row run(std::size_t step, const Timed& timed) override {
    Row row = row_of(unit_, unit_.phases.at(step));
    set_number(row, "hit_rate", 0);  // every query misses
    if (!structure_) return rival_ ? computed(std::move(row)) : without_equal(std::move(row));
    if (settings_.threads > 1 && !structure_->concurrent_insert()) return unsupported(std::move(row));
    return row["phase"] == "build" ? build(std::move(row), timed) : weigh(std::move(row), timed);
  }

 private:
  Keys keys() const { return data_->sets[0]; }

  void fill() {
    if (!dealt_.empty()) {
      structure_->build(dealt_, executor_);
      return;
    }
    executor_.for_chunks(keys().size(), settings_.batch, [&](std::size_t begin, std::size_t end, int) {
      structure_->insert(0, keys().subspan(begin, end - begin));
    });
  }

  // From here on it is the rival that is measured, in the place of the structure that it was made equal to.
  void turn_into_rival() {
    fill();
    const std::optional<Worth> worth = structure_->worth(sample_);
    if (!worth) throw std::runtime_error("only a structure that can be weighed has a rival");
    Equal equal{.by = rival_by(unit_), .rate = worth->geometric_rate, .bits = worth->sent_bits};
    if (equal.by == Equal::By::kMemory) return turn_into_index(worth->array_bits);
    if (equal.by == Equal::By::kMeasured) {
      const Verdict verdict = count_search(*structure_, data_->queries, judge_absent()).verdict;
      equal.rate = static_cast<double>(verdict.false_positives) / static_cast<double>(data_->queries.size());
    }
    structure_.reset();
    rival_ = rival_of(unit_, equal, keys().size());
    rate_ = equal.rate;
    if (!rival_ || rival_->array_bits > kMostArrays * static_cast<double>(worth->array_bits)) return;
    structure_ = make_structure(rival_->structure, Params(rival_->params));
  }

  // How many filters a Bloofi has is known when it is built: once with a guess, and then with the right size.
  void turn_into_index(std::uint64_t bits) {
    const std::uint64_t groups = std::stoull(unit_.settings.at("groups"));
    for (std::uint64_t i = 0; i < groups; ++i) {
      const std::uint64_t begin = keys().size() * i / groups, end = keys().size() * (i + 1) / groups;
      dealt_.push_back(keys().subspan(begin, end - begin));
    }
    rival_ = index_rival(unit_, bits, keys().size(), groups + groups / 2);
    structure_.reset();
    structure_ = make_structure(rival_->structure, Params(rival_->params));
    fill();
    rival_ = index_rival(unit_, bits, keys().size(), structure_->footprint().nodes);
    structure_.reset();
    structure_ = make_structure(rival_->structure, Params(rival_->params));
  }

  // No filter errs never, or always.
  Row without_equal(Row row) const {
    add_param(row, "why", fmt::format("no filter has a rate of {}", rate_));
    return unsupported(std::move(row));
  }

  // Too large to be built: its size by the formula is all that there is.
  Row computed(Row row) const {
    add_param(row, "computed", "true");
    if (row["phase"] != "worth") return row;
    add_worth(row, unit_,
              {.geometric_rate = rate_,
               .expected_rate = rate_,
               .array_bits = static_cast<std::uint64_t>(rival_->array_bits),
               .sent_bits = static_cast<std::uint64_t>(rival_->expected_sent_bits)});
    return row;
  }

  Row build(Row row, const Timed& timed) {
    if (dealt_.empty()) structure_->replace(0, {});  // touches the memory: page faults are not inserts
    timed([&] { fill(); });
    set_number(row, "ops", static_cast<double>(keys().size()));
    add_footprint(row, *structure_);
    // All absent: each key that is found is "wrong" to that judge, and each that is not is lost.
    const std::uint64_t found = count_search(*structure_, keys(), judge_absent()).verdict.false_positives;
    add_verdict(row, {.matches = found, .false_positives = 0, .false_negatives = keys().size() - found});
    return row;
  }

  Row weigh(Row row, const Timed& timed) {
    const std::optional<Worth> worth = structure_->worth(sample_);
    if (!worth) return unsupported(std::move(row));
    measure_search(row, *structure_, data_->queries, judge_absent(), searcher_, timed);
    add_footprint(row, *structure_);
    add_worth(row, unit_, *worth);
    if (setting(unit_, "time_standard") == "true") time_against_standard(row, *worth);
    return row;
  }

  // In turns, so that what slows one down slows the other one too.
  void time_against_standard(Row& row, const Worth& worth) {
    const std::optional<RivalFilter> filter = standard_filter(worth.geometric_rate, keys().size(), "1");
    if (!filter) return;
    const std::unique_ptr<AnyStructure> standard = make_structure(filter->structure, Params(filter->params));
    standard->insert(0, keys());
    std::vector<double> ratios;
    for (int turn = 0; turn < kTurns; ++turn) {
      const double own = seconds_of(*structure_);
      ratios.push_back(own / seconds_of(*standard));
    }
    add_param(row, "time_ratio", summarize(std::move(ratios)).median);
  }

  double seconds_of(const AnyStructure& structure) {
    const auto begin = std::chrono::steady_clock::now();
    searcher_.search(structure, data_->queries);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  const Unit& unit_;
  const RunSettings settings_;
  const std::shared_ptr<const Workload> data_;
  const std::vector<Key> sample_;
  const Executor executor_;
  Searcher searcher_;
  std::vector<Keys> dealt_;                  // to a rival that holds many sets
  std::unique_ptr<AnyStructure> structure_;  // none: a rival that is only computed
  std::optional<RivalFilter> rival_;
  double rate_ = 0;  // that the rival shares
};

}  // namespace

std::unique_ptr<Scenario> start_transfer(const Unit& unit, Inputs& inputs) {
  return std::make_unique<TransferScenario>(unit, inputs);
}

Judge judge_absent() {
  return [](std::size_t, std::size_t, const Matches& matches) {
    std::set<std::uint32_t> found;  // a query that several sets are named for is one
    for (const Match& match : matches.view()) found.insert(match.index);
    return Verdict{.matches = matches.size(), .false_positives = found.size(), .false_negatives = 0};
  };
}

void add_worth(Row& row, const Unit& unit, const Worth& worth) {
  add_param(row, "geometric_rate", worth.geometric_rate);
  add_param(row, "zero_share", worth.zero_share);
  add_param(row, "expected_rate", worth.expected_rate);
  add_param(row, "array_bits", static_cast<double>(worth.array_bits));
  add_param(row, "sent_bits", static_cast<double>(worth.sent_bits));
  add_param(row, "hashes", worth.hashes);
  const auto [k_1, k_2] = first_two(setting(unit, "k"));
  add_param(row, "k_1", k_1);
  add_param(row, "k_2", k_2);
  add_param(row, "m_2", first_two(setting(unit, "m_levels")).first);
  add_param(row, "levels", setting(unit, "d"));
  const auto n = parse_real(setting(unit, "n")), room = parse_real(setting(unit, "n_exp"));
  if (n && room && *room > 0) add_param(row, "load", *n / *room);
}

std::vector<Key> absent_sample(const RunSettings& settings, Key first_miss) {
  const WorkloadSpec& data = settings.data;
  return make_queries({}, first_miss, settings.samples, 0, Random(data.seed, data.repeat, Random::kSamples));
}

}  // namespace bloomery
