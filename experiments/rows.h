// The results: one tidy CSV (RFC 4180) an experiment, one fixed schema for all.
#ifndef BLOOMERY_EXPERIMENTS_ROWS_H_
#define BLOOMERY_EXPERIMENTS_ROWS_H_

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/plan.h"

namespace bloomery {

inline constexpr std::string_view kSchema = "2";
// A column a line would hide the groups.
// clang-format off
inline constexpr std::array<std::string_view, 42> kColumns = {
    "schema", "run_id", "experiment", "series", "structure",                   // whose row it is
    "N", "d", "m", "k", "n", "rho", "metric", "distribution", "construction",  // what was asked for
    "hash", "threads", "cores", "backend", "batch", "seed",
    "repeat", "phase", "status",                                               // what happened
    "ops", "seconds", "ns_per_op", "bf_cost", "filters_cost", "nodes_cost",    // what it took
    "words", "lines", "cache_references", "cache_misses", "nodes", "height", "storage_bytes", "memory_bytes",
    "matches", "false_positives", "false_negatives",                           // what was answered
    "hit_rate", "params"};
// clang-format on

// A cell that does not apply is empty, never zero.
class Row {
 public:
  std::string& operator[](std::string_view column);              // throws std::out_of_range
  const std::string& operator[](std::string_view column) const;  // for a name that is no column
  // A column, or a key of the params column ("layout=rows;day=3"); "" when there is neither.
  std::string get(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  friend bool operator==(const Row&, const Row&) = default;

 private:
  std::array<std::string, kColumns.size()> cells_;
};

// Parameters of a unit into the columns of that name, the rest into `params`.
Row row_for(const Unit& unit);

std::string csv_cell(const std::string& text);  // in quotes where RFC 4180 asks for them

struct RowsFile {
  std::vector<Row> rows;
  std::string problem;  // what is wrong with the file, "" if it is sound; `rows` are the whole ones before that place
};

// A missing file is sound and empty. Throws IoError for one that cannot be read.
RowsFile read_rows(const std::filesystem::path& file);

// Appends, a unit at a time, flushed whole. A truncated or foreign file is kept as rows.csv.damaged-<n> beside a new
// one, which starts with the sound rows. The folder is locked against other runs while the writer lives. Throws
// IoError; rows written before stay intact.
class RowWriter {
 public:
  explicit RowWriter(std::filesystem::path file);
  const std::vector<Row>& existing() const { return existing_; }
  const std::string& note() const { return note_; }  // what was set aside, "" if nothing
  void append(const std::vector<Row>& rows);
  // Rewrites the file without the rows of other run_ids (atomically, by rename): stale points go when new ones are in.
  // What they cost to measure may be hours, so the file as it was stays as rows.csv.previous.
  void keep_only(const std::vector<std::string>& run_ids);

 private:
  std::filesystem::path file_;
  std::shared_ptr<const void> lock_;
  std::vector<Row> existing_;
  std::string note_;
};

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_ROWS_H_
