#include "experiments/compare_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/plan.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

using Names = std::set<std::string>;
using Curve = std::pair<std::string, std::string>;  // experiment and series

// What was asked for. Not the number of cores: that is the machine's.
constexpr std::array<std::string_view, 15> kParameterColumns = {
    "structure",    "N",    "d",       "m",       "k",     "n",   "rho", "metric", "distribution",
    "construction", "hash", "threads", "backend", "batch", "seed"};

// The names in `params` that were asked for, as opposed to what came out; the day is a point of scenario window.
Names setting_names_of(const std::string& structure) {
  const std::vector<std::string> known = structure_names();
  const bool exists = std::ranges::find(known, structure) != known.end();
  const std::vector<std::string> names = setting_names(exists ? std::vector{structure} : std::vector<std::string>{});
  Names settings(names.begin(), names.end());
  settings.insert({"day", "rebuilt"});
  return settings;
}

class PointReader {
 public:
  Point point_of(const Row& row) {
    Point point{row["experiment"], row["series"], {}};
    for (const std::string_view column : kParameterColumns) add(point, column, row[column]);
    add(point, "hit_rate", row["hit_rate"]);
    const Names& settings = settings_of(row["structure"]);
    std::string_view rest = row["params"];
    while (!rest.empty()) {
      const std::string_view item = rest.substr(0, rest.find(';'));
      rest.remove_prefix(std::min(rest.size(), item.size() + 1));
      const std::size_t equals = std::min(item.find('='), item.size() - 1);
      const std::string name(item.substr(0, equals));
      if (settings.contains(name)) add(point, name, item.substr(equals + 1));
    }
    return point;
  }

 private:
  static void add(Point& point, std::string_view name, std::string_view value) {
    if (!value.empty()) point.parameters.emplace(name, value);
  }

  const Names& settings_of(const std::string& structure) {
    const auto [found, is_new] = settings_.try_emplace(structure);
    if (is_new) found->second = setting_names_of(structure);
    return found->second;
  }

  std::map<std::string, Names> settings_;
};

struct Side {
  std::vector<std::pair<Point, const Row*>> rows;  // in the order of the file
  std::map<Curve, Names> names;                    // of the parameters of a curve
};

Side side_of(const std::vector<Row>& rows, PointReader& reader) {
  Side side;
  for (const Row& row : rows) {
    Point point = reader.point_of(row);
    Names& names = side.names[{point.experiment, point.series}];
    for (const auto& [name, value] : point.parameters) names.insert(name);
    side.rows.emplace_back(std::move(point), &row);
  }
  return side;
}

void keep_shared_parameters(Side& side, const std::map<Curve, Names>& others, Names& left_out) {
  for (auto& [point, row] : side.rows) {
    const auto other = others.find({point.experiment, point.series});
    if (other == others.end()) continue;
    std::erase_if(point.parameters, [&](const auto& parameter) {
      const bool unknown = !other->second.contains(parameter.first);
      if (unknown) left_out.insert(parameter.first);
      return unknown;
    });
  }
}

// Two rows of one phase and repetition cannot be of one point.
bool is_ambiguous(const std::vector<Row>& rows) {
  std::set<std::pair<std::string, std::string>> seen;
  return std::ranges::any_of(rows, [&](const Row& row) { return !seen.insert({row["phase"], row["repeat"]}).second; });
}

std::map<Point, std::vector<Row>> by_point(const Side& side) {
  std::map<Point, std::vector<Row>> points;
  for (const auto& [point, row] : side.rows) points[point].push_back(*row);
  return points;
}

void note_count(std::vector<std::string>& notes, std::size_t count, const std::string& what) {
  if (count > 0) notes.push_back(fmt::format("{} point{} {}", count, count == 1 ? "" : "s", what));
}

}  // namespace

MatchedPoints match_points(const std::vector<Row>& a, const std::vector<Row>& b) {
  PointReader reader;
  Side side_a = side_of(a, reader), side_b = side_of(b, reader);
  MatchedPoints result;
  Names left_out;
  keep_shared_parameters(side_a, side_b.names, left_out);
  keep_shared_parameters(side_b, side_a.names, left_out);
  for (const std::string& name : left_out) {
    result.notes.push_back(fmt::format("parameter {} is in only one of the two; not taken into account", name));
  }
  const std::map<Point, std::vector<Row>> points_a = by_point(side_a), points_b = by_point(side_b);
  std::set<Point> done;
  std::size_t only_a = 0, ambiguous = 0;
  for (const auto& [point, row] : side_a.rows) {
    if (!done.insert(point).second) continue;
    const auto other = points_b.find(point);
    if (other == points_b.end()) {
      ++only_a;
    } else if (is_ambiguous(points_a.at(point)) || is_ambiguous(other->second)) {
      ++ambiguous;
    } else {
      result.points.push_back({point, points_a.at(point), other->second});
    }
  }
  note_count(result.notes, only_a, "only in the first");
  note_count(result.notes, points_b.size() - result.points.size() - ambiguous, "only in the second");
  note_count(result.notes, ambiguous, "there more than once, left out");
  return result;
}

std::string distinguishing(const Point& point, const std::vector<MatchedPoint>& all) {
  std::string text;
  for (const auto& [name, value] : point.parameters) {
    const bool differs = std::ranges::any_of(all, [&](const MatchedPoint& other) {
      if (other.point.experiment != point.experiment || other.point.series != point.series) return false;
      const auto found = other.point.parameters.find(name);
      return found == other.point.parameters.end() || found->second != value;
    });
    if (differs) text += fmt::format("{}{}={}", text.empty() ? "" : ";", name, value);
  }
  return text;
}

}  // namespace bloomery
