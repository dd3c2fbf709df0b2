// The table of structures: what each was measured to take, to answer and to cost.
#ifndef BLOOMERY_EXPERIMENTS_REPORT_STRUCTURES_H_
#define BLOOMERY_EXPERIMENTS_REPORT_STRUCTURES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/measured_points.h"

namespace bloomery {

// One structure at the workload that most structures of its kind were measured at, or where it was measured itself
// nearest to that; the fastest of its variants there.
struct StructureLine {
  std::string name;
  std::string about;
  const MeasuredPoint* point = nullptr;
  const Variant* variant = nullptr;
  bool elsewhere = false;  // not at the common workload: its times are not comparable
  std::size_t points = 0;  // that it was measured at in all
};

// Fastest first, and after those the ones that were measured elsewhere. `points` must outlive the lines.
std::vector<StructureLine> structure_lines(const MeasuredPoints& points, bool many_sets);

// "N = 1000, n = 100, hit rate 1, 1 thread, batch 64"
std::string workload_text(const Workload& workload, bool many_sets);
std::string rate_text(const MeasuredPoint& point);  // "" if it was not measured; "0 of 26 000" if none was seen
std::string time_text(double nanoseconds);          // in the unit that suits it

std::string structures_section(const MeasuredPoints& points);  // HTML

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_REPORT_STRUCTURES_H_
