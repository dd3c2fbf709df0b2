#include "experiments/gate_counts.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/csv.h"
#include "experiments/errors.h"
#include "experiments/measure.h"
#include "experiments/plan.h"
#include "experiments/rows.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using Cells = std::vector<std::string>;

constexpr std::array<std::string_view, 6> kName = {"experiment", "series", "structure", "point", "repeat", "phase"};
// Not the memory, which depends on the pages of the machine, and nothing that is timed.
constexpr std::array<std::string_view, 13> kCounts = {
    "status", "ops",    "bf_cost",       "filters_cost", "nodes_cost",      "words",          "lines",
    "nodes",  "height", "storage_bytes", "matches",      "false_positives", "false_negatives"};

std::string point_of(const Row& row, const Experiment& experiment) {
  std::string point;
  for (const Axis& axis : experiment.sweep) {
    point += fmt::format("{}{}={}", point.empty() ? "" : ";", axis.name, row.get(axis.name));
  }
  return point;
}

CountRow counts_of(const Row& row, const Experiment& experiment) {
  CountRow counts;
  for (const std::string_view column : kName) {
    counts.name.push_back(column == "point" ? point_of(row, experiment) : row[column]);
  }
  for (const std::string_view column : kCounts) counts.cells.push_back(row[column]);
  return counts;
}

Cells header() {
  Cells names(kName.begin(), kName.end());
  names.insert(names.end(), kCounts.begin(), kCounts.end());
  return names;
}

std::string described(const CountRow& row) {
  const std::string point = row.name[3].empty() ? "" : row.name[3] + ", ";
  return fmt::format("{}, {}, {}repetition {}, {}", row.name[0], row.name[1], point, row.name[4], row.name[5]);
}

std::string shown(const std::string& cell) { return cell.empty() ? "nothing" : cell; }

void add_changed_cells(const CountRow& before, const CountRow& now, std::vector<std::string>& changes) {
  for (std::size_t i = 0; i < kCounts.size(); ++i) {
    if (before.cells[i] == now.cells[i]) continue;
    changes.push_back(
        fmt::format("{}: {} {} -> {}", described(now), kCounts[i], shown(before.cells[i]), shown(now.cells[i])));
  }
}

std::map<Cells, const CountRow*> by_name(const std::vector<CountRow>& rows) {
  std::map<Cells, const CountRow*> found;
  for (const CountRow& row : rows) found[row.name] = &row;
  return found;
}

}  // namespace

std::vector<CountRow> measure_counts(const std::vector<Experiment>& experiments) {
  std::vector<CountRow> counts;
  for (const Experiment& experiment : experiments) {
    measure(make_plan(experiment), [&](const Unit&, const std::vector<Row>& rows) {
      for (const Row& row : rows) counts.push_back(counts_of(row, experiment));
    });
  }
  return counts;
}

std::string counts_text(const std::vector<CountRow>& rows) {
  std::string text = csv_line(header());
  for (const CountRow& row : rows) {
    Cells cells = row.name;
    cells.insert(cells.end(), row.cells.begin(), row.cells.end());
    text += csv_line(cells);
  }
  return text;
}

std::vector<CountRow> parse_counts(const std::string& text) {
  std::string_view rest = text;
  Cells cells;
  if (!take_csv_record(rest, cells) || cells != header())
    throw InputError("line 1 is not the header of a file of counts");
  std::vector<CountRow> rows;
  while (!rest.empty()) {
    if (!take_csv_record(rest, cells) || cells.size() != kName.size() + kCounts.size()) {
      throw InputError(fmt::format("row {} is cut short or has too many cells", rows.size() + 1));
    }
    const auto middle = cells.begin() + kName.size();
    rows.push_back({{cells.begin(), middle}, {middle, cells.end()}});
  }
  return rows;
}

std::vector<CountRow> read_counts(const fs::path& file) try {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError("no such file; write it with bloomery gate --update");
  return parse_counts({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
} catch (const InputError& e) {
  throw InputError(fmt::format("{}: {}", file.string(), e.what()));
}

void write_counts(const fs::path& file, const std::vector<CountRow>& rows) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  fs::path fresh = file;
  fresh += ".new";
  std::ofstream out(fresh, std::ios::binary);
  out << counts_text(rows);
  out.close();
  if (out) fs::rename(fresh, file, error);
  if (!out || error) throw IoError(fmt::format("cannot write {}", file.string()));
}

std::vector<std::string> changed_counts(const std::vector<CountRow>& before, const std::vector<CountRow>& now) {
  std::vector<std::string> changes;
  std::map<Cells, const CountRow*> old = by_name(before);
  for (const CountRow& row : now) {
    const auto found = old.find(row.name);
    if (found == old.end()) {
      changes.push_back(described(row) + ": new");
      continue;
    }
    add_changed_cells(*found->second, row, changes);
    old.erase(found);
  }
  for (const auto& [name, row] : old) changes.push_back(described(*row) + ": gone");
  return changes;
}

std::vector<std::string> wrong_counts(const std::vector<CountRow>& rows) {
  std::vector<std::string> wrong;
  for (const CountRow& row : rows) {
    const std::string& status = row.cells.front();
    const std::string& lost = row.cells.back();
    if (status == "ok" && (lost.empty() || lost == "0")) continue;
    if (status != "unsupported")
      wrong.push_back(fmt::format("{}: {}, {} false negatives", described(row), status, shown(lost)));
  }
  return wrong;
}

}  // namespace bloomery
