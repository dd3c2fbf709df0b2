// Third part of the regression gate: the time of HEAD over that of the base, in one process.
//
// Stored times are no use on shared machines. So both builds run a kernel in turn, in epochs of a fraction of a
// millisecond and in random order, and only the ratio of neighbours counts: whatever slows the machine slows both. What
// differs by chance is where in memory the structures lie, so they are made anew several times, and the bootstrap draws
// these placements, not single epochs. A second copy of the base (the control) goes through the same; where that does
// not come out equal, nothing can be said.
#ifndef BLOOMERY_EXPERIMENTS_GATE_TIME_H_
#define BLOOMERY_EXPERIMENTS_GATE_TIME_H_

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/gate_kernels.h"
#include "experiments/stats.h"

namespace bloomery {

struct TimeRules {
  double limit = 1.05;          // a kernel is slower when its whole interval is above
  double control_limit = 1.04;  // the control's whole interval must be within this of 1, either way
  int placements = 10;          // of a first look; a second and further ones take as many more
  int blocks = 24;              // a placement: each gives one ratio of HEAD and one of the control
  int looks = 4;                // at most, before a kernel is given up as unclear
  double epoch_seconds = 2e-4;
};

// Logarithms of ratios, by placement.
struct TimeSamples {
  std::vector<std::vector<double>> head;     // HEAD over the base
  std::vector<std::vector<double>> control;  // the base's copy over the base
};

enum class TimeVerdict { kEqual, kFaster, kSlower, kUnclear, kNoisy };

struct TimeResult {
  Summary head;  // ratios, 1 is equal
  Summary control;
  TimeVerdict verdict = TimeVerdict::kUnclear;
};

// A pure function of the samples. kUnclear: the limit is inside of the interval. kNoisy: the control is not equal.
TimeResult judge_times(const TimeSamples& samples, double limit, double control_limit);

struct Arms {
  const Module& head;
  const Module& base;
  const Module& control;
};

// Looks as often as it takes; what seems slower must be so again in samples of its own. `limit` is the kernel's.
TimeResult time_kernel(const Arms& arms, const KernelSpec& spec, const TimeRules& rules, double limit);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_GATE_TIME_H_
