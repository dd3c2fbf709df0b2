// How long a run takes: guessed before, and told while it lasts.
#ifndef BLOOMERY_EXPERIMENTS_PROGRESS_H_
#define BLOOMERY_EXPERIMENTS_PROGRESS_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "experiments/plan.h"

namespace bloomery {

// Good for "minutes or hours?" and for weighing units against each other, no more.
double expected_seconds(const std::vector<Unit>& units);

std::string duration(double seconds);  // "3 min 07 s"

// Runs done and the time left, rewritten in place on a terminal, else a line every few seconds.
class Progress {
 public:
  explicit Progress(const std::vector<Unit>& units);
  void done(const Unit& unit);

 private:
  using Clock = std::chrono::steady_clock;
  bool is_time_to_show(Clock::time_point now) const;

  std::size_t total_;
  std::size_t done_ = 0;
  double expected_;
  double weight_done_ = 0;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_;
};

// Bytes done of a known number, told of once it has lasted for some seconds. Any number of threads may add.
class ByteProgress {
 public:
  ByteProgress(std::string what, std::uint64_t total);
  ~ByteProgress();  // ends the line on a terminal
  void add(std::uint64_t bytes);
  std::uint64_t done() const { return done_; }
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  void show();

  std::string what_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<std::int64_t> next_ms_;  // since the start, when there is something to show
  bool terminal_, shown_ = false;
  std::mutex showing_;
  Clock::time_point start_ = Clock::now();
};

std::string size_text(double bytes);  // "3.2 MB"

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_PROGRESS_H_
