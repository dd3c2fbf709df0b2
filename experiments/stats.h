// Medians with bootstrap intervals.
#ifndef BLOOMERY_EXPERIMENTS_STATS_H_
#define BLOOMERY_EXPERIMENTS_STATS_H_

#include <vector>

namespace bloomery {

struct Summary {
  double median = 0;
  double low = 0;  // 95 % bootstrap interval of the median; equal to it for a single value
  double high = 0;
  int count = 0;
};

// How often something happened of how many times it could have.
struct Trials {
  double successes = 0;
  double of = 0;
};

// The share, with its 95 % interval by Wilson's score, which also holds for shares that are small or zero.
Summary share_of(const Trials& trials);

Summary summarize(std::vector<double> values);  // at least one value; deterministic

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_STATS_H_
