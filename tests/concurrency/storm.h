// Threads that start together, or do everything together.
#ifndef BLOOMERY_TESTS_CONCURRENCY_STORM_H_
#define BLOOMERY_TESTS_CONCURRENCY_STORM_H_

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include "tests/structures/support.h"

namespace bloomery::test {

struct Insertion {
  SetId id;
  std::vector<Key> keys;
};

// Runs body(0) to body(count - 1) on threads that start together.
inline void run_together(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::latch start(static_cast<std::ptrdiff_t>(count));
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      body(i);
    });
  }
}

inline std::vector<int> allowed_cores() {
  cpu_set_t mask;
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  }
  return cores;
}

// Keeps the calling thread on one core. If that is refused, threads are only less likely to run at the same time.
inline void stay_on(int core) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(core, &mask);
  sched_setaffinity(0, sizeof mask, &mask);
}

// Two threads call body(thread, round) for each round, and meet before every one. They spin, because to be woken takes
// longer than a round, each on a core of its own if there are two; a partner that is kept waiting long lets others run.
inline void run_in_step(std::size_t rounds, const std::function<void(std::size_t, std::size_t)>& body) {
  constexpr int kPatience = 10000;
  const std::vector<int> cores = allowed_cores();
  std::atomic<std::size_t> arrived = 0;
  run_together(2, [&](std::size_t thread) {
    if (cores.size() >= 2) stay_on(cores[thread]);
    for (std::size_t round = 0; round < rounds; ++round) {
      arrived.fetch_add(1);
      for (int spins = 0; arrived.load() < 2 * (round + 1); ++spins) {
        if (spins < kPatience) continue;
        std::this_thread::yield();
        spins = 0;
      }
      body(thread, round);
    }
  });
}

}  // namespace bloomery::test

#endif  // BLOOMERY_TESTS_CONCURRENCY_STORM_H_
