#include "experiments/data_load.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "experiments/environment.h"
#include "experiments/errors.h"
#include "experiments/progress.h"
#include "structures/hash.h"

namespace bloomery {
namespace {

using KeyLists = std::vector<std::vector<Key>>;

// Sets appear while a file is read where files name their sets; those are read by one thread.
class Collector {
 public:
  explicit Collector(std::size_t sets) : sets_(sets) {}

  void add(SetId set, Keys keys) {
    if (set >= sets_.size()) sets_.resize(set + 1);
    sets_[set].insert(sets_[set].end(), keys.begin(), keys.end());
    total_ += keys.size();
    // As lists, as one array and in the table that answers are checked against.
    const double bytes = static_cast<double>(total_) * 48;
    if (bytes > static_cast<double>(physical_memory())) {
      throw InputError(
          "the keys do not fit in memory, where an experiment needs them to check the answers; "
          "'bloomery build' makes an index of data of any size");
    }
  }

  KeyLists take(std::size_t sets) {
    sets_.resize(sets);
    return std::move(sets_);
  }
  std::uint64_t total() const { return total_; }

 private:
  KeyLists sets_;
  std::atomic<std::uint64_t> total_ = 0;
};

void keep_each_once(KeyLists& sets, const Executor& executor) {
  executor.for_chunks(sets.size(), 1, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      std::ranges::sort(sets[i]);
      sets[i].erase(std::unique(sets[i].begin(), sets[i].end()), sets[i].end());
    }
  });
}

KeySets flattened(KeyLists sets) {
  std::vector<std::size_t> offsets = {0};
  for (const auto& set : sets) offsets.push_back(offsets.back() + set.size());
  std::vector<Key> all;
  all.reserve(offsets.back());
  for (auto& set : sets) {
    all.insert(all.end(), set.begin(), set.end());
    set = {};
  }
  return KeySets(std::move(all), std::move(offsets));
}

std::string fingerprint_of(const LoadedData& data) {
  std::uint64_t sum = data.names.size();
  const auto add = [&](const void* bytes, std::size_t count) { sum = XXH3_64bits_withSeed(bytes, count, sum); };
  for (std::size_t i = 0; i < data.names.size(); ++i) {
    add(data.names[i].data(), data.names[i].size());
    add(data.sets[i].data(), data.sets[i].size_bytes());
  }
  add(data.queries.data(), data.queries.size() * sizeof(Key));
  return fmt::format("{:016x}", sum);
}

std::shared_ptr<const LoadedData> load(const DataOptions& options) {
  DataSource source(options);
  const Executor executor(Backend::kTbb, available_cores());
  Collector collector(source.names().size());
  ByteProgress progress("loading", source.bytes());
  source.read([&](SetId set, Keys keys) { collector.add(set, keys); }, executor, &progress);
  auto data = std::make_shared<LoadedData>();
  data->seconds = progress.seconds();
  data->names = source.names();
  data->keys = source.keys();
  data->format = source.options().format;
  data->bytes = source.bytes();
  data->files = source.files();
  KeyLists sets = collector.take(data->names.size());
  keep_each_once(sets, executor);
  data->sets = flattened(std::move(sets));
  data->repeats = collector.total() - data->sets.all().size();
  if (!options.queries.empty()) data->queries = read_query_file(options.queries, source.keys(), source.notes());
  data->fingerprint = fingerprint_of(*data);
  print_notes(source.notes());
  if (data->sets.all().empty()) throw InputError(fmt::format("{}: no keys in any set", options.paths.front()));
  return data;
}

// Misses are drawn from all 64-bit keys: none of the data's, but for one chance in 2^64 a key of theirs.
std::vector<Key> draw_queries(const LoadedData& data, Keys present, const WorkloadSpec& spec) {
  if (!data.queries.empty()) return data.queries;
  Random random(spec.seed, spec.repeat, Random::kQueries);
  const auto hits = static_cast<std::uint64_t>(std::llround(spec.hit_rate * static_cast<double>(spec.queries)));
  std::vector<Key> queries(spec.queries);
  for (std::uint64_t i = 0; i < spec.queries; ++i) {
    queries[i] = i < hits && !present.empty() ? present[random.below(present.size())] : random.next();
  }
  shuffle(queries, random);
  return queries;
}

// `count` sets of new keys, each as large as one of the data's, or of `keys_each` keys.
KeySets new_sets(const LoadedData& data, std::uint64_t sets, std::uint64_t count, std::uint64_t keys_each,
                 Random random) {
  std::vector<Key> all;
  std::vector<std::size_t> offsets = {0};
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t size = keys_each > 0 ? keys_each : data.sets[random.below(sets)].size();
    for (std::uint64_t j = 0; j < size; ++j) all.push_back(random.next());
    offsets.push_back(all.size());
  }
  return KeySets(std::move(all), std::move(offsets));
}

}  // namespace

std::uint64_t LoadedData::largest(std::uint64_t first_sets) const {
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < first_sets; ++i) most = std::max<std::uint64_t>(most, sets[i].size());
  return most;
}

double LoadedData::mean(std::uint64_t first_sets) const {
  double sum = 0;
  for (std::uint64_t i = 0; i < first_sets; ++i) sum += static_cast<double>(sets[i].size());
  return sum / static_cast<double>(first_sets);
}

std::shared_ptr<const LoadedData> load_data(const DataOptions& options) {
  static std::optional<DataOptions> kept_options;
  static std::shared_ptr<const LoadedData> kept;
  if (kept && kept_options == options) return kept;
  kept.reset();  // only one is ever in memory
  kept = load(options);
  kept_options = options;
  return kept;
}

Workload data_workload(const WorkloadSpec& spec) {
  const auto data = load_data(spec.data);
  Workload workload;
  workload.sets = data->sets.first(spec.sets);
  workload.queries = draw_queries(*data, workload.sets.all(), spec);
  const auto random = [&](std::uint64_t item) { return Random(spec.seed, spec.repeat, Random::kSets, item); };
  workload.new_sets = new_sets(*data, spec.sets, spec.inserts, 0, random(0));
  workload.updates = new_sets(*data, spec.sets, spec.updates, spec.update_keys, random(1));
  return workload;
}

}  // namespace bloomery
