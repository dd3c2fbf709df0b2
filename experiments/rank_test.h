// Tests for small samples of which nothing is assumed, as times of repetitions are.
#ifndef BLOOMERY_EXPERIMENTS_RANK_TEST_H_
#define BLOOMERY_EXPERIMENTS_RANK_TEST_H_

#include <vector>

namespace bloomery {

// One-sided p-value of "values of `low` are below those of `high`" (Wilcoxon's rank sum): the chance that a random
// split of all values would put ranks as low into `low`. Exact, ties included, up to 40 values; normal above.
double rank_sum_p(const std::vector<double>& low, const std::vector<double>& high);

// Holm's correction: p-values that may each be held against the level of the whole family.
std::vector<double> holm(const std::vector<double>& p);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_RANK_TEST_H_
