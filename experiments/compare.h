// Two runs of the same experiments, point by point: which got faster, which slower, and which cannot be told.
//
// Points are matched by their parameters, never by run_id, which holds the version of the program. What is timed is
// judged by rank tests over the repetitions, corrected (Holm) for how many points there are. What is counted repeats
// exactly for its seeds, so it is compared pair by pair and needs no test.
#ifndef BLOOMERY_EXPERIMENTS_COMPARE_H_
#define BLOOMERY_EXPERIMENTS_COMPARE_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/rows.h"
#include "experiments/stats.h"

namespace bloomery {

enum class Change { kFaster, kSlower, kEqual, kInconclusive };
std::string to_string(Change change);

// A metric at a point that both runs have.
struct Comparison {
  std::string experiment;
  std::string series;
  std::string point;  // the parameters that differ between the points of the experiment: "N=100;d=2"
  std::string metric;
  std::vector<double> a, b;  // by repetition; of a counted metric only those that both have
  double median_a = 0, median_b = 0;
  Summary ratio;  // b over a, with a 95 % bootstrap interval
  Change change = Change::kInconclusive;
};

struct CompareRules {
  double margin = 0.05;              // equal: the ratio is within 1/(1 + margin) and 1 + margin
  double level = 0.05;               // of each family of tests
  std::vector<std::string> metrics;  // empty: all that can get better or worse, each once
};

struct CompareResult {
  std::vector<Comparison> points;
  std::vector<std::string> notes;  // what could not be matched
};

// The rows of every experiment below a results folder, or of one experiment's folder. Throws InputError for a folder
// that is missing, IoError for what cannot be read; a file's damage becomes a note.
std::vector<Row> rows_below(const std::filesystem::path& folder, std::vector<std::string>& notes);

// Throws InputError for an unknown metric.
CompareResult compare(const std::vector<Row>& a, const std::vector<Row>& b, const CompareRules& rules);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_COMPARE_H_
