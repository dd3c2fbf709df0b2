// How long a run takes: guessed before, and told while it lasts.
#ifndef BLOOMERY_EXPERIMENTS_PROGRESS_H_
#define BLOOMERY_EXPERIMENTS_PROGRESS_H_

#include <chrono>
#include <cstddef>
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

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_PROGRESS_H_
