// What the rows of all experiments together say of each structure: under which workloads it was measured, and what came
// out. The table of structures and the advisor read nothing else.
#ifndef BLOOMERY_EXPERIMENTS_MEASURED_POINTS_H_
#define BLOOMERY_EXPERIMENTS_MEASURED_POINTS_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/rows.h"

namespace bloomery {

// A structure with those of its parameters that are not the default and are not about size: "layout=words".
struct Variant {
  std::string structure;
  std::string parameters;
  bool many_sets = false;
  bool concurrent_inserts = false;      // of keys, beside queries
  bool concurrent_maintenance = false;  // sets come and go beside queries
  std::set<std::string> unsupported;    // phases that its rows say it cannot do

  std::string name() const { return parameters.empty() ? structure : structure + " (" + parameters + ")"; }
};

struct Workload {
  double sets = 0;
  double keys = 0;  // in each set
  double hit_rate = 0;
  double threads = 1;
  double batch = 1;
  friend auto operator<=>(const Workload&, const Workload&) = default;
};

// Medians over the repetitions of every experiment that measured the same.
struct MeasuredPoint {
  std::size_t variant = 0;  // index
  Workload workload;
  std::string backend;
  double bits = 0;             // a key, in a filter of one set
  std::optional<double> k;     // hash functions
  double search_ns = 0;        // a query, all threads together
  double false_positives = 0;  // counted in all repetitions, of so many
  double trials = 0;           // pairs of a query and a set that does not hold it
  double storage_bytes = 0;
  double memory_bytes = 0;
  std::optional<double> fill_ns;                         // a key into the only set
  std::optional<double> insert_ns, update_ns, erase_ns;  // a set
  int repetitions = 0;
};

struct MeasuredPoints {
  std::vector<Variant> variants;
  std::vector<MeasuredPoint> points;  // by variant, then workload
};

// Of sets that were built at once from consecutive keys, searched with success. Left out: the floors, which answer
// nothing; structures of these rows that gave a wrong answer; threads that write without atomic operations.
MeasuredPoints measured_points(const std::vector<const std::vector<Row>*>& experiments);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_MEASURED_POINTS_H_
