#include "experiments/workload.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "experiments/data_load.h"
#include "experiments/errors.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kUniverse = 100'000'000;  // the authors' range for random keys

// The settings of a unit by name and type; an absent or empty one takes the fallback.
class Reader {
 public:
  explicit Reader(const Unit& unit) : unit_(unit) {}

  std::string text(const std::string& name, const std::string& fallback) const {
    const auto found = unit_.settings.find(name);
    return found == unit_.settings.end() || found->second.empty() ? fallback : found->second;
  }

  double real(const std::string& name, double fallback) const {
    const std::string value = text(name, "");
    if (value.empty()) return fallback;
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) fail(name, value, "a number");
    return number;
  }

  std::uint64_t integer(const std::string& name, std::uint64_t fallback) const {
    const std::string value = text(name, "");
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (!value.empty() && error == std::errc() && end == value.data() + value.size()) return number;
    const double rounded = real(name, static_cast<double>(fallback));  // 1e5 is an integer too
    if (value.empty()) return fallback;
    if (rounded < 0 || rounded != std::floor(rounded) || rounded > 9e15) fail(name, value, "a whole number");
    return static_cast<std::uint64_t>(rounded);
  }

  bool flag(const std::string& name) const {
    const std::string value = text(name, "false");
    if (value == "true" || value == "yes" || value == "on") return true;
    if (value == "false" || value == "no" || value == "off") return false;
    fail(name, value, "true or false");
  }

 private:
  [[noreturn]] void fail(const std::string& name, const std::string& value, const std::string& wanted) const {
    throw InputError("setting '" + name + "' is '" + value + "'; it must be " + wanted);
  }

  const Unit& unit_;
};

bool has_phase(const Unit& unit, const char* phase) {
  return std::find(unit.phases.begin(), unit.phases.end(), phase) != unit.phases.end();
}

std::uint64_t or_default(std::uint64_t value, std::uint64_t fallback) { return value == 0 ? fallback : value; }

WorkloadSpec data_of(const Reader& reader, const Unit& unit, std::uint64_t maintain_ops) {
  WorkloadSpec data;
  data.sets = reader.integer("N", 1000);
  data.keys_per_set = reader.integer("n", 100);
  data.random = reader.text("distribution", "nonrandom") == "random";
  data.queries = reader.integer("queries", 1000);
  data.hit_rate = reader.real("hit_rate", 1);
  data.inserts = has_phase(unit, "insert") ? maintain_ops : 0;
  data.updates = has_phase(unit, "update") ? maintain_ops : 0;
  data.update_keys = or_default(reader.integer("update_keys", 0), data.keys_per_set);
  data.seed = reader.integer("seed", 1);
  data.repeat = static_cast<std::uint64_t>(unit.repeat);
  return data;
}

// Random keys are below this: the authors' range, unless a set is too large for ranges of twice its size in there.
Key universe_of(const WorkloadSpec& spec) {
  return std::max(kUniverse, 8 * std::max(spec.keys_per_set, spec.update_keys));
}

// The first key that no set, insert or update can have, whatever the distribution.
Key miss_bound(const WorkloadSpec& spec) {
  const std::uint64_t sequential =
      (spec.sets + spec.inserts) * spec.keys_per_set + spec.updates * spec.update_keys;
  return std::max(universe_of(spec), sequential);
}

// `count` distinct keys of [low, high), in random order; the range is at least twice as long as needed.
void draw_distinct(std::uint64_t count, Key low, Key high, Random& random, std::vector<Key>& keys) {
  keys.clear();
  while (keys.size() < count) {
    while (keys.size() < count) keys.push_back(low + random.below(high - low));
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  }
  shuffle(keys, random);
}

// A range of its own a set, as the authors draw it: both ends uniform, redrawn if nearer than 2n.
std::pair<Key, Key> draw_range(std::uint64_t keys, Key universe, Random& random) {
  for (;;) {
    const Key one = random.below(universe);
    const Key other = random.below(universe);
    const auto [low, high] = std::minmax(one, other);
    if (high - low >= 2 * keys) return {low, high};
  }
}

// `count` sets of `keys` keys each; set i of them is number first_set + i of the workload and, if not random, holds
// the `keys` keys from first_key + i keys on.
KeySets make_sets(const WorkloadSpec& spec, std::uint64_t count, std::uint64_t keys, std::uint64_t first_set,
                  Key first_key) {
  std::vector<Key> all(count * keys);
  std::vector<std::size_t> offsets(count + 1);
  std::vector<Key> drawn;
  for (std::uint64_t i = 0; i < count; ++i) {
    offsets[i + 1] = (i + 1) * keys;
    const auto out = all.begin() + static_cast<std::ptrdiff_t>(i * keys);
    if (spec.random) {
      Random random(spec.seed, spec.repeat, Random::kSets, first_set + i);
      const auto [low, high] = draw_range(keys, universe_of(spec), random);
      draw_distinct(keys, low, high, random, drawn);
      std::copy(drawn.begin(), drawn.end(), out);
    } else {
      for (std::uint64_t j = 0; j < keys; ++j) out[static_cast<std::ptrdiff_t>(j)] = first_key + i * keys + j;
    }
  }
  return KeySets(std::move(all), std::move(offsets));
}

}  // namespace

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

Random::Random(std::uint64_t seed, std::uint64_t repeat, Purpose purpose, std::uint64_t item)
    : state_(mix(mix(mix(mix(seed + 1) + repeat + 1) + purpose + 1) + item + 1)) {}

std::uint64_t Random::next() { return mix(state_ += 0x9e3779b97f4a7c15ULL); }

std::uint64_t Random::below(std::uint64_t bound) {
  // The high half of the product: uniform up to bound / 2^64, which no workload here can notice.
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
}

double Random::unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

RunSettings settings_of(const Unit& unit) {
  const Reader reader(unit);
  RunSettings settings;
  const std::uint64_t sets = reader.integer("N", 1000);
  settings.maintain_ops = or_default(reader.integer("maintain_ops", 0),
                                     std::max<std::uint64_t>(10, std::min<std::uint64_t>(1000, sets / 10)));
  settings.data = data_of(reader, unit, settings.maintain_ops);
  settings.data.data = unit.data;
  settings.backend = parse_backend(reader.text("backend", "serial"));
  settings.threads = static_cast<int>(or_default(reader.integer("threads", 1), 1));
  settings.batch = or_default(reader.integer("batch", 64), 1);
  settings.after_updates = reader.flag("after_updates");
  settings.days = reader.integer("days", 0);
  settings.sample_every = or_default(reader.integer("sample_every", 0), std::max<std::uint64_t>(1, settings.days / 10));
  settings.rebuild = reader.flag("rebuild");
  settings.documents = reader.integer("documents", 10000);
  settings.bundle = reader.integer("bundle", 3);
  settings.samples = reader.integer("samples", 5000);
  return settings;
}

KeySets::KeySets(std::vector<Key> keys, std::vector<std::size_t> offsets)
    : keys_(std::make_shared<const std::vector<Key>>(std::move(keys))), all_(*keys_) {
  views_.reserve(offsets.size() - 1);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    views_.push_back(all_.subspan(offsets[i], offsets[i + 1] - offsets[i]));
  }
}

KeySets KeySets::first(std::size_t sets) const {
  KeySets part = *this;
  part.views_.resize(sets);
  const auto keys = static_cast<std::size_t>(sets == 0 ? 0 : views_[sets - 1].data() + views_[sets - 1].size() - all_.data());
  part.all_ = all_.first(keys);
  return part;
}

std::vector<Key> make_queries(Keys present, Key first_miss, std::uint64_t count, double hit_rate, Random random) {
  const auto hits = present.empty() ? 0 : static_cast<std::uint64_t>(std::llround(hit_rate * static_cast<double>(count)));
  std::vector<Key> queries(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    queries[i] = i < hits ? present[random.below(present.size())] : first_miss + random.below(first_miss);
  }
  shuffle(queries, random);
  return queries;
}

Workload make_workload(const WorkloadSpec& spec) {
  if (spec.data.given()) return data_workload(spec);
  Workload workload;
  const std::uint64_t n = spec.keys_per_set;
  const std::uint64_t all_sets = spec.sets + spec.inserts;
  workload.first_miss = miss_bound(spec);
  workload.sets = make_sets(spec, spec.sets, n, 0, 0);
  workload.new_sets = make_sets(spec, spec.inserts, n, spec.sets, spec.sets * n);
  workload.updates = make_sets(spec, spec.updates, spec.update_keys, all_sets, all_sets * n);
  workload.queries = make_queries(workload.sets.all(), workload.first_miss, spec.queries, spec.hit_rate,
                                  Random(spec.seed, spec.repeat, Random::kQueries));
  return workload;
}

}  // namespace bloomery
