// Bootstrap intervals of what is compared. In stats.cc, since the resampling is that of summarize.
#ifndef BLOOMERY_EXPERIMENTS_RATIOS_H_
#define BLOOMERY_EXPERIMENTS_RATIOS_H_

#include <vector>

#include "experiments/stats.h"

namespace bloomery {

// The median of groups of values that have something in common, such as where in memory they were measured: groups are
// drawn with replacement, and values within each. At least one group, none empty.
Summary summarize_groups(const std::vector<std::vector<double>>& groups);

// median(b) / median(a), each side resampled on its own. Values over 0.
Summary ratio_of_medians(std::vector<double> a, std::vector<double> b);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_RATIOS_H_
