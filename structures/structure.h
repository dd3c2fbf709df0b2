// The one interface of Bloomery.
//
// A structure holds N sets of 64-bit keys and answers, for each key of a batch, which of the sets may hold it. It may
// name a set that does not hold the key (a false positive); it never leaves out one that does. A plain filter is the
// case N = 1: it only ever sees set 0.
//
// A structure is a plain class. What it can do is found by the concepts below; what it cannot do is reported by
// AnyStructure as an absent result, never thrown. Calls take batches, so that erasure costs one indirect call a batch
// and prefetching, SIMD and threads have something to work on.
//
// Thread safety, for every structure: `query` is const and may run on any number of threads, each with a Matches of its
// own. A structure whose kConcurrentInsert is true also allows `insert` into sets that exist, concurrently with itself
// and with queries; a query sees every key whose insert returned before the query began. Everything that changes which
// sets exist (build, insert of a new set, erase, replace) needs the structure to itself, unless it has the second level.
//
// A structure whose concurrent_maintenance() is true allows insert, insert_filter, erase, replace and query all at once,
// from any number of threads. A query names every set for a key that the set held from before the query began until it
// returned: neither other sets that come and go nor a replace that keeps the key hide it. It names no set twice for a
// key, unless the set was erased and came back meanwhile, and none that was erased before it began and did not come
// back; while a set is being replaced, what it holds is anything between the old and the new. Whether queries wait for maintenance depends on the mechanism (maintenance.h):
// with epochs they never do. `build`, `footprint` and `validate` need the structure to themselves, `build` also empty.
#ifndef BLOOMERY_STRUCTURES_STRUCTURE_H_
#define BLOOMERY_STRUCTURES_STRUCTURE_H_

#include <concepts>
#include <cstdint>
#include <span>

#include "structures/matches.h"
#include "structures/parallel.h"
#include "structures/params.h"

namespace bloomery {

using Key = std::uint64_t;    // hashed or mapped to 64 bits by the workload, outside every timed region
using SetId = std::uint32_t;  // small integers: id maps are arrays as long as the largest id
using Keys = std::span<const Key>;
using Sets = std::span<const Keys>;              // set i of a build has id i
using FilterBits = std::span<const std::uint64_t>;  // a ready-made filter: m bits, bit p in word p / 64

// What an operation touched, summed by the caller: by value, so that there is no shared counter to race on.
struct Cost {
  std::uint64_t bf_checks = 0;  // filters tested for a key (the papers' search bf-cost)
  std::uint64_t filters = 0;    // maintenance: filter values read or written
  std::uint64_t nodes = 0;      // maintenance: nodes whose value or links were read or written
  std::uint64_t words = 0;      // 64-bit words of filters read by queries
  std::uint64_t lines = 0;      // cache lines that those words are in; 0 where the structure does not count them
  std::uint64_t reshapes = 0;   // splits, merges, redistributions, compactions

  Cost& operator+=(const Cost& other) {
    bf_checks += other.bf_checks;
    filters += other.filters;
    nodes += other.nodes;
    words += other.words;
    lines += other.lines;
    reshapes += other.reshapes;
    return *this;
  }
};

struct Footprint {
  std::uint64_t storage_bytes = 0;  // the papers' measure: bytes of a filter times the filters kept
  std::uint64_t memory_bytes = 0;   // resident pages of the arenas plus the capacity of every other container
  std::uint64_t nodes = 0;          // filters kept, inner nodes included
  std::uint64_t height = 0;         // edges from the root to a leaf; 0 without a tree
};

// Keys in a block, over all blocks of a filter.
struct BlockLoads {
  std::uint64_t least = 0, most = 0;
  double mean = 0;
};

// What went over the network for a structure that is spread over several processes, since it was made.
struct Traffic {
  std::uint64_t ranks = 1;  // processes that hold a part
  std::uint64_t hosts = 1;  // machines that they are on
  std::uint64_t bytes = 0;  // sent between them, both ways
};

template <class T>
concept Builds = requires(T t, Sets sets, const Executor& executor) {
  { t.build(sets, executor) } -> std::same_as<Cost>;
};

// Adds keys to a set, creating it if it does not exist.
template <class T>
concept Inserts = requires(T t, SetId id, Keys keys) {
  { t.insert(id, keys) } -> std::same_as<Cost>;
};

// Adds (ORs) a ready-made filter of the same m, k and seed to a set, creating it if it does not exist.
template <class T>
concept InsertsFilter = requires(T t, SetId id, FilterBits bits) {
  { t.insert_filter(id, bits) } -> std::same_as<Cost>;
};

template <class T>
concept Erases = requires(T t, SetId id) {
  { t.erase(id) } -> std::same_as<Cost>;
};

// The set now holds exactly these keys.
template <class T>
concept Replaces = requires(T t, SetId id, Keys keys) {
  { t.replace(id, keys) } -> std::same_as<Cost>;
};

// Checks every invariant of the structure; an empty string when all hold, else the first that does not.
template <class T>
concept Validates = requires(const T& c) {
  { c.validate() } -> std::convertible_to<std::string>;
};

// The second level of thread safety, above. A parameter may decide it, so that it is asked of an object.
template <class T>
concept MaintainsConcurrently = requires(const T& c) {
  { c.concurrent_maintenance() } -> std::same_as<bool>;
};

// How many of these keys would be in each block.
template <class T>
concept HasBlocks = requires(const T& c, Keys keys) {
  { c.loads(keys) } -> std::same_as<BlockLoads>;
};

template <class T>
concept Travels = requires(const T& c) {
  { c.traffic() } -> std::same_as<Traffic>;
};

// query<true> counts into the Cost it returns, query<false> compiles the counting out: one algorithm, two
// instantiations, so that timed runs never pay for counters and counted runs take the same path.
template <class T>
concept Structure = std::constructible_from<T, Params&> && (Builds<T> || Inserts<T>) &&
                    std::convertible_to<decltype(T::kConcurrentInsert), bool> &&
                    requires(const T& c, Keys keys, Matches& out) {
                      { c.template query<true>(keys, out) } -> std::same_as<Cost>;
                      { c.template query<false>(keys, out) } -> std::same_as<Cost>;
                      { c.footprint() } -> std::same_as<Footprint>;
                    };

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_STRUCTURE_H_
