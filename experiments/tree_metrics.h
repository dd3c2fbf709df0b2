// Metrics of filters that are sent: how often they err by each definition, and what they take against others.
#ifndef BLOOMERY_EXPERIMENTS_TREE_METRICS_H_
#define BLOOMERY_EXPERIMENTS_TREE_METRICS_H_

#include <vector>

#include "experiments/metrics.h"

namespace bloomery {

std::vector<Metric> tree_metrics();

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_TREE_METRICS_H_
