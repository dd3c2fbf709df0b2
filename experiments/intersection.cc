#include "experiments/intersection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "experiments/errors.h"
#include "experiments/numbers.h"
#include "experiments/rival.h"
#include "experiments/trace.h"
#include "experiments/transfer.h"

namespace bloomery {
namespace {

bool has_trace(const Unit& unit) { return unit.settings.at("trace") != "none"; }

double real(const Unit& unit, const std::string& name) { return parse_real(unit.settings.at(name)).value_or(0); }

TwoSets with_sizes(const Unit& unit) {
  const double first = real(unit, "n"), other = real(unit, "n_other"), second = other == 0 ? first : other;
  TwoSets sets;
  sets.both = static_cast<std::size_t>(std::llround(real(unit, "shared") * std::min(first, second)));
  sets.only_first = static_cast<std::size_t>(first) - sets.both;
  sets.only_second = static_cast<std::size_t>(second) - sets.both;
  return sets;
}

// Numbers in a row, and queries from above them.
void draw_numbers(TwoSets& sets, const RunSettings& settings) {
  sets.keys.resize(sets.both + sets.only_first + sets.only_second);
  std::iota(sets.keys.begin(), sets.keys.end(), Key{0});
  const WorkloadSpec& data = settings.data;
  sets.queries = make_queries({}, Key{1} << 40, data.queries, 0, Random(data.seed, data.repeat, Random::kQueries));
}

PacketKey packet_key(const Unit& unit) {
  return unit.settings.at("trace_key") == "flow" ? PacketKey::kFlow : PacketKey::kPacket;
}

// Packets that are found first; queries are any others of the trace, those of one set included.
void draw_packets(TwoSets& sets, const Unit& unit, const RunSettings& settings) {
  const WorkloadSpec& data = settings.data;
  const std::size_t taken = sets.both + sets.only_first + sets.only_second;
  const Random random(data.seed, data.repeat, Random::kTrace);
  const std::string& file = unit.settings.at("trace");
  std::vector<Key> trace = file == "synthetic"
                               ? made_up_trace(taken + static_cast<std::size_t>(real(unit, "n")), random)
                               : read_trace(file, packet_key(unit));
  sets.keys = sampled_keys(std::move(trace), Random(data.seed, data.repeat, Random::kTrace, 1));
  if (sets.keys.size() <= taken) {
    throw InputError(
        fmt::format("trace {}: it has {} different keys, but two sets of this size that share so much take {} and "
                    "queries some more; make n smaller",
                    file, sets.keys.size(), taken));
  }
  const Keys outside = Keys(sets.keys).subspan(sets.both);
  Random draws(data.seed, data.repeat, Random::kQueries);
  for (std::uint64_t i = 0; i < data.queries; ++i) sets.queries.push_back(outside[draws.below(outside.size())]);
}

class IntersectionScenario final : public Scenario {
 public:
  IntersectionScenario(const Unit& unit, Inputs&)
      : unit_(unit),
        settings_(settings_of(unit)),
        sets_(make_two_sets(unit)),
        executor_(settings_.backend, settings_.threads),
        searcher_(executor_, settings_.batch) {}

  Row run(std::size_t, const Timed& timed) override {
    Row row = row_of(unit_, "worth");
    set_number(row, "hit_rate", 0);
    structure_ = make_structure_of(unit_);
    if (settings_.threads > 1 && !structure_->concurrent_insert()) return unsupported(std::move(row));
    if (!intersect([&] { return make_structure_of(unit_); })) return unsupported(std::move(row));
    if (has_rival(unit_) && !turn_into_rival()) {
      add_param(row, "why", fmt::format("it would take more than {:.0f} times the memory", kMostArrays));
      return unsupported(std::move(row));
    }
    weigh(row, timed);
    return row;
  }

 private:
  std::vector<Key> sample() const { return absent_sample(settings_, Key{1} << 41); }

  void insert(AnyStructure& structure, Keys keys) const {
    executor_.for_chunks(keys.size(), settings_.batch, [&](std::size_t begin, std::size_t end, int) {
      structure.insert(0, keys.subspan(begin, end - begin));
    });
  }

  // Fills the structure and another one, and keeps what both have; false if it is none that can be intersected.
  template <class Make>
  bool intersect(const Make& make) {
    const std::unique_ptr<AnyStructure> other = make();
    insert(*structure_, sets_.shared());
    insert(*structure_, sets_.first_only());
    insert(*other, sets_.shared());
    insert(*other, sets_.second_only());
    const auto first = structure_->worth(std::vector<Key>{0}), second = other->worth(std::vector<Key>{0});
    if (!first || !second) return false;
    sent_bits_ = std::min(first->sent_bits, second->sent_bits);
    return structure_->intersect_with(*other);
  }

  // Filters that take as many bits, sent, as the smaller of the two that were intersected; false if they are too large.
  bool turn_into_rival() {
    const double most = kMostArrays * 8 * static_cast<double>(structure_->footprint().storage_bytes);
    const std::uint64_t keys = sets_.both + std::max(sets_.only_first, sets_.only_second);
    const auto rival = rival_of(unit_, {.by = Equal::By::kSent, .rate = 0, .bits = sent_bits_}, keys);
    if (!rival || rival->array_bits > most) return false;
    const auto make = [&] { return make_structure(rival->structure, Params(rival->params)); };
    structure_.reset();
    structure_ = make();
    return intersect(make);
  }

  void weigh(Row& row, const Timed& timed) {
    measure_search(row, *structure_, sets_.queries, judge_absent(), searcher_, timed);
    const Verdict lost = count_search(*structure_, sets_.shared(), nullptr).verdict;
    row["false_negatives"] = std::to_string(sets_.both - lost.matches);
    if (lost.matches < sets_.both) row["status"] = "false_negative";
    add_footprint(row, *structure_);
    Worth worth = *structure_->worth(sample());
    worth.sent_bits = sent_bits_;  // of what was sent, not of the intersection
    add_worth(row, unit_, worth);
    add_param(row, "skew",
              static_cast<double>(sets_.both + sets_.only_first) /
                  static_cast<double>(std::max<std::size_t>(1, sets_.both + sets_.only_second)));
    add_one_sided(row);
  }

  // Keys of one set alone: all their bits are set in that set's filter, so that it takes a false positive of the other
  // one only.
  void add_one_sided(Row& row) const {
    const auto first = count_search(*structure_, sets_.first_only(), nullptr).verdict.matches;
    const auto second = count_search(*structure_, sets_.second_only(), nullptr).verdict.matches;
    add_param(row, "one_sided_keys", static_cast<double>(sets_.only_first + sets_.only_second));
    add_param(row, "one_sided_found", static_cast<double>(first + second));
  }

  const Unit& unit_;
  const RunSettings settings_;
  const TwoSets sets_;
  const Executor executor_;
  Searcher searcher_;
  std::unique_ptr<AnyStructure> structure_;
  std::uint64_t sent_bits_ = 0;
};

}  // namespace

TwoSets make_two_sets(const Unit& unit) {
  const RunSettings settings = settings_of(unit);
  TwoSets sets = with_sizes(unit);
  if (has_trace(unit)) {
    draw_packets(sets, unit, settings);
  } else {
    draw_numbers(sets, settings);
  }
  return sets;
}

void check_trace(const Unit& unit) {
  const std::string& file = unit.settings.at("trace");
  if (file != "none" && file != "synthetic") make_two_sets(unit);
}

std::unique_ptr<Scenario> start_intersection(const Unit& unit, Inputs& inputs) {
  return std::make_unique<IntersectionScenario>(unit, inputs);
}

}  // namespace bloomery
