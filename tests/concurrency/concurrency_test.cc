// Inserts into sets that exist, concurrent with each other and with queries: nothing is lost, nothing is invented, and
// a key that was inserted is found.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>

#include "tests/concurrency/storm.h"

namespace bloomery::test {
namespace {

constexpr std::size_t kThreads = 4, kReaders = 2;
constexpr std::size_t kSets = 70;  // more than a word of 64, so that columns and inner nodes are shared
constexpr std::size_t kBatch = 5, kInsertions = 400;

// Small filters, so that the threads write the same words all the time and inner nodes fill up while they do; but not
// so small that the sets' filters fill up too, for a full filter hides what was lost.
// A filter without an m grows: where its keys end up, and with that its false positives, depends on the order of the
// inserts. It gets so many hash functions that none occurs.
Variant shaped(const Variant& variant) {
  const bool grows = find_spec(variant.structure, "k") != nullptr && find_spec(variant.structure, "m") == nullptr;
  return with(variant, {{"m", find_structure(variant.structure).many_sets ? "4000" : "64000"}, {"k", grows ? "40" : "4"}});
}

std::vector<Variant> concurrent_variants() {
  std::vector<Variant> table;
  for (const RegistryEntry& entry : registry()) {
    const Variant variant = shaped({entry.name, {}});
    if (entry.answers && make_variant(variant)->concurrent_insert()) table.push_back({entry.name, {}});
  }
  table.push_back({"bloofi", {{"construction", "bulk"}, {"d", "5"}}});
  table.push_back({"bloofi", {{"all_ones", "false"}, {"metric", "jaccard"}}});
  table.push_back({"flat_bloofi", {{"layout", "words"}}});
  table.push_back({"flat_bloofi", {{"layout", "rows"}, {"hash", "double"}}});
  return table;
}

std::size_t set_count(const Variant& variant) { return find_structure(variant.structure).many_sets ? kSets : 1; }

// Small batches. Every second is of keys that only this worker has; the others are from a pool that all draw from.
std::vector<Insertion> insertions_of(std::size_t worker, std::size_t sets) {
  std::mt19937_64 random(worker);
  const std::vector<Key> pool = random_keys(60, 1000);
  std::vector<Insertion> work;
  for (std::size_t i = 0; i < kInsertions; ++i) {
    Insertion& insertion = work.emplace_back(Insertion{static_cast<SetId>(random() % sets), {}});
    for (std::size_t j = 0; j < kBatch; ++j) {
      insertion.keys.push_back(i % 2 == 0 ? random() : pool[random() % pool.size()]);
    }
  }
  return work;
}

bool holds(const AnyStructure& structure, SetId id, Keys keys, Matches& out) {
  out.clear();
  structure.query_timed(keys, out);
  return static_cast<std::size_t>(std::ranges::count(out.view(), id, &Match::set)) == keys.size();
}

// A worker's insertions, and how many of them have returned.
struct Worker {
  std::vector<Insertion> insertions;
  std::atomic<std::size_t> done = 0;
};

// Inserts and at once asks for what was inserted; returns how many insertions were not found.
int insert_and_look(AnyStructure& structure, Worker& worker, Matches& out) {
  int missed = 0;
  for (const auto& [id, keys] : worker.insertions) {
    structure.insert(id, keys);
    worker.done.fetch_add(1, std::memory_order_release);
    missed += !holds(structure, id, keys, out);
  }
  return missed;
}

// Asks for what the others have inserted so far, and for the keys that were there from the start, until all are done.
int look_for_others(const AnyStructure& structure, const KeyLists& sets, const std::deque<Worker>& workers,
                    const std::atomic<bool>& stop) {
  Matches out;
  int missed = 0;
  std::mt19937_64 random(7);
  do {
    for (const Worker& worker : workers) {
      const std::size_t done = worker.done.load(std::memory_order_acquire);
      if (done == 0) continue;
      for (std::size_t i : {done - 1, random() % done}) {
        missed += !holds(structure, worker.insertions[i].id, worker.insertions[i].keys, out);
      }
    }
    const auto id = static_cast<SetId>(random() % sets.size());
    missed += !holds(structure, id, sets[id], out);
  } while (!stop);
  return missed;
}

class Concurrency : public ::testing::TestWithParam<Variant> {
 protected:
  Variant variant() const { return shaped(GetParam()); }
  KeyLists sets() const { return make_sets(set_count(GetParam()), 1); }
  std::unique_ptr<AnyStructure> built() const {
    auto structure = make_variant(variant());
    build(*structure, sets());
    return structure;
  }
  // Work for so many workers; `distinct` of them differ.
  std::deque<Worker> workers(std::size_t count, std::size_t distinct) const {
    std::deque<Worker> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i].insertions = insertions_of(i % distinct, sets().size());
    return all;
  }

  // The same insertions one after the other give the same structure.
  void expect_equals_serial(const AnyStructure& concurrent, const std::deque<Worker>& workers) const {
    EXPECT_EQ(concurrent.validate(), "");
    const auto serial = built();
    std::vector<Key> keys = probes_for(sets());
    for (const Worker& worker : workers) {
      for (const Insertion& insertion : worker.insertions) {
        serial->insert(insertion.id, insertion.keys);
        keys.insert(keys.end(), insertion.keys.begin(), insertion.keys.end());
      }
    }
    EXPECT_EQ(query(concurrent, keys), query(*serial, keys));
  }

  void storm_through(const Executor& executor) const {
    const auto structure = built();
    auto all = workers(16, 16);
    std::vector<Matches> outs(static_cast<std::size_t>(executor.threads()));
    std::atomic<int> missed = 0;
    executor.for_chunks(all.size(), 1, [&](std::size_t begin, std::size_t, int worker) {
      missed += insert_and_look(*structure, all[begin], outs[static_cast<std::size_t>(worker)]);
    });
    EXPECT_EQ(missed, 0);
    expect_equals_serial(*structure, all);
  }
};

TEST_P(Concurrency, WhatWasInsertedIsFoundByAllAndNothingIsLost) {
  const auto structure = built();
  const KeyLists old = sets();
  auto writers = workers(kThreads, kThreads);
  std::atomic<int> missed = 0, missed_by_others = 0;
  std::atomic<std::size_t> writing = kThreads;
  std::atomic<bool> stop = false;
  run_together(kThreads + kReaders, [&](std::size_t i) {
    if (i >= kThreads) {
      missed_by_others += look_for_others(*structure, old, writers, stop);
      return;
    }
    Matches out;
    missed += insert_and_look(*structure, writers[i], out);
    if (--writing == 0) stop = true;
  });
  EXPECT_EQ(missed, 0) << "a thread did not find what it had inserted";
  EXPECT_EQ(missed_by_others, 0) << "a thread did not find what was there before it asked";
  expect_equals_serial(*structure, writers);
}

// Two threads insert the same keys at the same moment. Each bit has one writer, or cardinalities go wrong; and who
// finds a bit set by the other must find the key, though the other may not be done yet.
TEST_P(Concurrency, TheSameKeysAtTheSameMoment) {
  const auto structure = built();
  const auto work = workers(4, 4);
  std::atomic<int> missed = 0;
  run_in_step(work.size() * kInsertions, [&](std::size_t, std::size_t round) {
    thread_local Matches out;
    const auto& [id, keys] = work[round / kInsertions].insertions[round % kInsertions];
    structure->insert(id, keys);
    missed += !holds(*structure, id, keys, out);
  });
  EXPECT_EQ(missed, 0);
  expect_equals_serial(*structure, work);
}

TEST_P(Concurrency, TheWorkersOfAnExecutor) {
  const auto executors = parallel_executors(int{kThreads});
  if (executors.empty()) GTEST_SKIP() << "the threads of the libraries cannot be followed here";
  for (const Executor& executor : executors) {
    SCOPED_TRACE(to_string(executor.backend()));
    storm_through(executor);
  }
}

INSTANTIATE_TEST_SUITE_P(Structures, Concurrency, ::testing::ValuesIn(concurrent_variants()), name_of_param);

}  // namespace
}  // namespace bloomery::test
