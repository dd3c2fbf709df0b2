// How sets come and go while other threads ask: the second level of the thread-safety contract in structure.h.
//
// Three kinds of access, each a guard that lives as long as the access:
//   Reading   a query.
//   Adding    keys into sets that exist: atomic fetch-or, any number at once and at the same time as queries.
//   Changing  everything else, one at a time: it never meets an Adding.
// `maintenance` chooses what the guards do:
//   exclusive  nothing. The structure is the caller's alone while it changes: the papers' setting, and the fastest.
//   lock       one reader-writer lock. Queries and additions share it; they wait while a set comes or goes.
//   shards     the same over kLanes locks, of which a thread shares its own and a change takes all: threads that share
//              do not write to the same cache line.
//   epochs     queries never wait: they count themselves in and out, in a lane of their thread. A change leaves
//              everything that a query may be looking at as it is, publishes its successor by one store, and reuses the
//              memory when every query that could have seen it has left (Epochs, below). Additions share the shards.
#ifndef BLOOMERY_STRUCTURES_MAINTENANCE_H_
#define BLOOMERY_STRUCTURES_MAINTENANCE_H_

#include <tbb/spin_rw_mutex.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "structures/params.h"

namespace bloomery {

inline constexpr std::size_t kLanes = 16;

std::size_t lane_of_thread();  // below kLanes; the first kLanes threads have one each

// When may memory be reused that queries could still be reading?
//
// A query adds one to a counter before it looks at anything, and takes it off when it is done. There are two counters a
// lane; `phase` says which one is in use. A change that has unlinked something stamps it, and then looks for a moment at
// which each counter of the idle phase was zero, turns the phase over, and looks for such moments of the other counters.
// Then the stamp has passed:
//   - A query counted before the moment at which its counter was seen to be zero had left by then; its leaving
//     (release) happens before the sight of it (acquire), so that reuse cannot overtake its last read.
//   - A query counted after that moment, in whatever phase it believes to be in, read the counter from the change's
//     own read-modify-write, or a later one: so the unlinking happens before the query, which cannot find the thing.
//   Both phases are looked at after the unlinking, so every query is one of the two.
// Turning the phase keeps a stream of queries from holding a counter above zero for ever. Nothing here waits: who has
// changed something looks on how far it got, and takes fresh memory while no old one has passed.
//
// liburcu would do the same with cheaper readers (they write, but need no locked instruction); its headers are not
// understood by ThreadSanitizer, under which all of this is tested, and a guard is paid once a batch.
class Epochs {
 public:
  using Stamp = std::uint64_t;
  using Counter = std::atomic<std::uint32_t>;

  virtual ~Epochs() = default;

  // For queries: any thread, any number at once.
  Counter* enter() {
    Counter& counter = lanes_[lane_of_thread()].inside[phase_.load(std::memory_order_relaxed)];
    counter.fetch_add(1, std::memory_order_acq_rel);
    return &counter;
  }
  static void leave(Counter* counter) { counter->fetch_sub(1, std::memory_order_release); }

  // For the thread that changes the structure.
  Stamp stamp() const { return now_; }  // of what is unlinked now
  void look();                          // how far the queries are; never waits
  virtual bool passed(Stamp stamp) const { return stamp < passed_; }  // virtual for the tests that break it

 private:
  struct alignas(128) Lane {
    Counter inside[2] = {0, 0};
  };
  bool seen_empty(unsigned phase);  // each lane at some moment since seen_ was 0

  std::array<Lane, kLanes> lanes_;
  alignas(128) std::atomic<unsigned> phase_ = 0;
  Stamp now_ = 0;      // stamps of the next round
  Stamp passed_ = 0;   // stamps below have passed
  enum { kIdle, kFirst, kSecond } looking_ = kIdle;
  std::size_t seen_ = 0;  // lanes seen empty in this half of the round
};

class Maintenance {
 public:
  // Asks for the mechanism. Tests bring epochs of their own.
  explicit Maintenance(Params& params, std::unique_ptr<Epochs> epochs = nullptr);

  bool concurrent() const { return shared_ != nullptr; }
  bool readers_stay() const { return epochs_ != nullptr; }  // queries go on while the structure changes

  // What was unlinked before stamp() may be reused once it has passed: at once, unless queries go on.
  Epochs::Stamp stamp() const { return epochs_ ? epochs_->stamp() : 0; }
  bool passed(Epochs::Stamp stamp) const { return !epochs_ || epochs_->passed(stamp); }

 private:
  using Lock = tbb::spin_rw_mutex;
  struct alignas(128) Shard {
    Lock lock;
  };
  struct Shards {
    explicit Shards(std::size_t used) : count(used) {}
    Lock& mine() { return shards[count == 1 ? 0 : lane_of_thread()].lock; }
    const std::size_t count;
    std::array<Shard, kLanes> shards;
  };

  std::unique_ptr<Shards> shared_;   // absent: exclusive
  std::unique_ptr<Epochs> epochs_;

  friend class Reading;
  friend class Adding;
  friend class Changing;
};

class Reading {
 public:
  explicit Reading(const Maintenance& maintenance) {
    if (maintenance.epochs_) {
      counter_ = maintenance.epochs_->enter();
    } else if (maintenance.shared_) {
      lock_ = &maintenance.shared_->mine();
      lock_->lock_shared();
    }
  }
  ~Reading() {
    if (counter_ != nullptr) Epochs::leave(counter_);
    if (lock_ != nullptr) lock_->unlock_shared();
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  Epochs::Counter* counter_ = nullptr;
  tbb::spin_rw_mutex* lock_ = nullptr;
};

class Adding {
 public:
  explicit Adding(const Maintenance& maintenance) : lock_(maintenance.shared_ ? &maintenance.shared_->mine() : nullptr) {
    if (lock_ != nullptr) lock_->lock_shared();
  }
  ~Adding() {
    if (lock_ != nullptr) lock_->unlock_shared();
  }
  Adding(const Adding&) = delete;
  Adding& operator=(const Adding&) = delete;

 private:
  tbb::spin_rw_mutex* lock_;
};

class Changing {
 public:
  explicit Changing(Maintenance& maintenance);
  ~Changing();
  Changing(const Changing&) = delete;
  Changing& operator=(const Changing&) = delete;

 private:
  Maintenance& maintenance_;
};

// What was unlinked and may still be read, oldest first.
template <class T>
class Limbo {
 public:
  void add(T thing, const Maintenance& maintenance) { things_.emplace_back(maintenance.stamp(), std::move(thing)); }

  // Calls reuse(thing) for what no query can see any more.
  template <class Reuse>
  void release(const Maintenance& maintenance, Reuse reuse) {
    for (; !things_.empty() && maintenance.passed(things_.front().first); things_.pop_front()) {
      reuse(things_.front().second);
    }
  }
  std::size_t size() const { return things_.size(); }

 private:
  std::deque<std::pair<Epochs::Stamp, T>> things_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_MAINTENANCE_H_
