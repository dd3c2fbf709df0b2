// Short schedules of sets that come and go while others ask, run on threads that start together and recorded.
#ifndef BLOOMERY_TESTS_CONCURRENCY_SCHEDULES_H_
#define BLOOMERY_TESTS_CONCURRENCY_SCHEDULES_H_

#include <latch>
#include <thread>

#include "tests/concurrency/history.h"

namespace bloomery::test {

struct Schedule {
  std::size_t writers = 2, readers = 2;
  SetId sets = 12;            // each belongs to one writer
  std::size_t writes = 12;    // of a writer
  std::size_t pool = 24;      // keys that all draw from
  std::size_t keys = 3;       // of a write, at most
  bool shared_sets = false;   // instead: all writers insert the same keys into all sets, which exist
};

// Runs one schedule on a structure that is empty.
class Recorder {
 public:
  Recorder(AnyStructure& structure, const Schedule& schedule, std::uint64_t seed)
      : structure_(structure), schedule_(schedule), seed_(seed), pool_(random_keys(schedule.pool, 99)) {
    history_.writes.resize(schedule.sets);
  }

  History record() {
    start_with_some();
    std::vector<std::vector<Write>> written(schedule_.writers);
    std::vector<std::vector<Asked>> asked(schedule_.readers);
    std::atomic<std::size_t> writing = schedule_.writers;
    {
      std::latch start(static_cast<std::ptrdiff_t>(schedule_.writers + schedule_.readers));
      std::vector<std::jthread> threads;
      for (std::size_t w = 0; w < schedule_.writers; ++w) {
        threads.emplace_back([&, w] {
          start.arrive_and_wait();
          write(w, written[w]);
          --writing;
        });
      }
      for (std::size_t r = 0; r < schedule_.readers; ++r) {
        threads.emplace_back([&, r] {
          start.arrive_and_wait();
          ask(r, writing, asked[r]);
        });
      }
    }
    for (auto& writes : written) {
      for (Write& one : writes) history_.writes[one.id].push_back(std::move(one));
    }
    for (auto& queries : asked) {
      for (Asked& one : queries) history_.queries.push_back(std::move(one));
    }
    history_.queries.push_back(ask_for(pool_));  // at the end nothing is in between
    return std::move(history_);
  }

 private:
  Stamp now() { return clock_.fetch_add(1); }

  std::vector<Key> some_keys(std::mt19937_64& random) const {
    std::vector<Key> keys;
    for (std::size_t left = random() % (schedule_.keys + 1); left > 0; --left) keys.push_back(pool_[random() % pool_.size()]);
    return keys;
  }

  void start_with_some() {
    std::mt19937_64 random(seed_);
    for (SetId id = 0; id < schedule_.sets; id += schedule_.shared_sets ? 1 : 2) {
      Write one = {Action::kInsert, id, some_keys(random)};
      apply(one);
      history_.writes[id].push_back(std::move(one));
    }
  }

  void apply(Write& one) {
    one.begin = now();
    bool done = false;
    if (one.action == Action::kInsert) done = structure_.insert(one.id, one.keys).has_value();
    if (one.action == Action::kReplace) done = structure_.replace(one.id, one.keys).has_value();
    if (one.action == Action::kErase) done = structure_.erase(one.id).has_value();
    one.end = now();
    if (!done) throw std::logic_error("the structure lacks an operation of the schedule");
  }

  void write(std::size_t writer, std::vector<Write>& written) {
    std::mt19937_64 random(seed_ * 64 + writer);
    const auto mine = static_cast<SetId>(schedule_.sets / schedule_.writers);
    for (std::size_t i = 0; i < schedule_.writes; ++i) {
      const auto id = static_cast<SetId>(writer * mine + random() % mine);
      const std::uint64_t die = random() % 10;
      const Action action = die < 5 ? Action::kInsert : die < 8 ? Action::kErase : Action::kReplace;
      Write& one = written.emplace_back(Write{action, id, {}});
      if (action != Action::kErase) one.keys = some_keys(random);
      apply(one);
    }
  }

  Asked ask_for(std::vector<Key> keys) {
    thread_local Matches out;
    out.clear();
    Asked asked = {std::move(keys), {}};
    asked.begin = now();
    structure_.query_timed(asked.keys, out);
    asked.end = now();
    asked.answer = sorted(out);
    return asked;
  }

  void ask(std::size_t reader, const std::atomic<std::size_t>& writing, std::vector<Asked>& asked) {
    constexpr std::size_t kMost = 200;
    std::mt19937_64 random(seed_ * 64 + 32 + reader);
    do {
      std::vector<Key> keys;
      for (std::size_t left = random() % 8 + 1; left > 0; --left) keys.push_back(pool_[random() % pool_.size()]);
      asked.push_back(ask_for(std::move(keys)));
    } while (writing > 0 && asked.size() < kMost);
  }

  AnyStructure& structure_;
  const Schedule schedule_;
  const std::uint64_t seed_;
  const std::vector<Key> pool_;
  std::atomic<Stamp> clock_ = 1;
  History history_;
};

}  // namespace bloomery::test

#endif  // BLOOMERY_TESTS_CONCURRENCY_SCHEDULES_H_
