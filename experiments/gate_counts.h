// First part of the regression gate: what does not depend on the machine is held to the committed numbers, exactly.
#ifndef BLOOMERY_EXPERIMENTS_GATE_COUNTS_H_
#define BLOOMERY_EXPERIMENTS_GATE_COUNTS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/config.h"

namespace bloomery {

// One row of results/reference/gate.csv.
struct CountRow {
  std::vector<std::string> name;   // experiment, series, structure, point of the sweep, repetition, phase
  std::vector<std::string> cells;  // status, then costs, sizes and answers; empty where one does not apply
  friend bool operator==(const CountRow&, const CountRow&) = default;
};

// Runs all of these experiments in this process.
std::vector<CountRow> measure_counts(const std::vector<Experiment>& experiments);

std::string counts_text(const std::vector<CountRow>& rows);
std::vector<CountRow> parse_counts(const std::string& text);  // throws InputError for what is no such file

// Missing files are an InputError that says how to make one.
std::vector<CountRow> read_counts(const std::filesystem::path& file);
void write_counts(const std::filesystem::path& file, const std::vector<CountRow>& rows);

// A line for each cell or row that is not as before: "gate_indexes, Bloofi, N=65, repetition 0, insert: nodes_cost 12
// -> 13".
std::vector<std::string> changed_counts(const std::vector<CountRow>& before, const std::vector<CountRow>& now);

// The rows with a false negative or an error, which no reference excuses.
std::vector<std::string> wrong_counts(const std::vector<CountRow>& rows);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_GATE_COUNTS_H_
