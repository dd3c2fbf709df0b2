// The data of a run: the sets, the queries, and the sets and keys of later maintenance. Everything is drawn from
// (seed, repeat, purpose), never from the number of threads or the structure: what is compared sees the same data.
#ifndef BLOOMERY_EXPERIMENTS_WORKLOAD_H_
#define BLOOMERY_EXPERIMENTS_WORKLOAD_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "experiments/data_options.h"
#include "experiments/plan.h"
#include "structures/parallel.h"
#include "structures/structure.h"

namespace bloomery {

// splitmix64, a stream a purpose. Unlike std::uniform_int_distribution, the same on every platform.
class Random {
 public:
  // What a stream is for; two purposes never share one.
  enum Purpose : std::uint64_t { kSets, kQueries, kMaintenance, kRecheck, kDocuments, kSamples, kTrace };

  Random(std::uint64_t seed, std::uint64_t repeat, Purpose purpose, std::uint64_t item = 0);
  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound);  // uniform on [0, bound), bound > 0
  double unit();                             // uniform on [0, 1)

 private:
  std::uint64_t state_;
};

// A one-to-one scrambling of 64 bits.
std::uint64_t mix(std::uint64_t value);

template <class T>
void shuffle(std::vector<T>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

// What decides the data.
struct WorkloadSpec {
  std::uint64_t sets = 1000;         // N
  std::uint64_t keys_per_set = 100;  // n
  bool random = false;               // distribution: random instead of nonrandom
  std::uint64_t queries = 1000;
  double hit_rate = 1;
  std::uint64_t inserts = 0;      // sets for the insert phase, with the ids from N on
  std::uint64_t updates = 0;      // lots of new keys for the update phase
  std::uint64_t update_keys = 0;  // keys a lot
  std::uint64_t seed = 1;
  std::uint64_t repeat = 0;
  DataOptions data = {};  // given: of a user's own; then n, distribution and where queries come from are theirs
  friend bool operator==(const WorkloadSpec&, const WorkloadSpec&) = default;
};

// The settings of a unit, typed.
struct RunSettings {
  WorkloadSpec data;
  Backend backend = Backend::kSerial;
  int threads = 1;
  std::size_t batch = 1;
  std::uint64_t maintain_ops = 10;
  bool after_updates = false;  // build from half of each set's keys, add the other half by insert
  std::uint64_t days = 0;      // scenario window
  std::uint64_t sample_every = 1;  // days between measurements
  bool rebuild = false;            // build anew before each measurement
  std::uint64_t documents = 0;     // scenario provenance
  std::uint64_t bundle = 0;
  std::uint64_t samples = 0;  // scenario transfer: keys whose posterior is computed
};
RunSettings settings_of(const Unit& unit);  // throws InputError for a value of the wrong type

// Many sets in one allocation.
class KeySets {
 public:
  KeySets() = default;
  KeySets(std::vector<Key> keys, std::vector<std::size_t> offsets);  // set i: keys[offsets[i], offsets[i + 1])

  std::size_t size() const { return views_.size(); }
  Keys operator[](std::size_t i) const { return views_[i]; }
  Sets view() const { return views_; }
  Keys all() const { return all_; }
  KeySets first(std::size_t sets) const;  // of the same memory

 private:
  std::shared_ptr<const std::vector<Key>> keys_;
  std::vector<Keys> views_;  // into keys_
  Keys all_;                 // those that are in a view
};

struct Workload {
  KeySets sets;
  KeySets new_sets;  // new_sets[i] has the id sets.size() + i
  KeySets updates;
  std::vector<Key> queries;
  Key first_miss = 0;  // no set, no insert and no update has a key from here on
};

Workload make_workload(const WorkloadSpec& spec);

// `count` queries in random order, of which a share of hit_rate is drawn from `present` and the rest from above
// `first_miss`, with replacement.
std::vector<Key> make_queries(Keys present, Key first_miss, std::uint64_t count, double hit_rate, Random random);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_WORKLOAD_H_
