// What can stand on a y axis: derived from rows, never stored. A new metric is one entry of the table in metrics.cc.
#ifndef BLOOMERY_EXPERIMENTS_METRICS_H_
#define BLOOMERY_EXPERIMENTS_METRICS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/rows.h"
#include "experiments/stats.h"

namespace bloomery {

struct Metric {
  std::string name;   // search_time
  std::string label;  // "search time (µs)"
  std::string phase;  // the phase whose rows it reads
  std::optional<double> (*value)(const Row&);
  // Of a share of independent trials: repetitions are then pooled, and the interval is that of the share.
  std::optional<Trials> (*trials)(const Row&) = nullptr;
};

// Whether a row is of the phase and has numbers. A false negative is a wrong answer, but its time and cost are still
// what was measured.
bool counts(const Row& row, std::string_view phase);

const std::vector<Metric>& metrics();
const Metric& find_metric(const std::string& name);  // throws InputError with the nearest name

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_METRICS_H_
