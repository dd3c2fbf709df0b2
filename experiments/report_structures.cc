#include "experiments/report_structures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "experiments/axes.h"
#include "experiments/html.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

// Where structures can be compared: the same keys, sets and queries, and filters of about the same size (a power of two
// bits a key). What has no filters fits any size.
using Place = std::pair<Workload, std::optional<double>>;

Place place_of(const MeasuredPoint& point) {
  const bool sized = point.k && point.bits > 0;
  return {point.workload, sized ? std::optional(std::round(std::log2(point.bits))) : std::nullopt};
}

// Steps apart: a doubling of a size is one.
double distance(const Place& a, const Place& b) {
  const auto doublings = [](double x, double y) { return std::abs(std::log2(std::max(x, 1e-9) / std::max(y, 1e-9))); };
  return doublings(a.first.sets, b.first.sets) + doublings(a.first.keys, b.first.keys) +
         doublings(a.first.threads, b.first.threads) + doublings(a.first.batch, b.first.batch) / 4 +
         3 * std::abs(a.first.hit_rate - b.first.hit_rate) +
         (a.second && b.second ? std::abs(*a.second - *b.second) / 4 : 0);
}

std::vector<const MeasuredPoint*> points_of_kind(const MeasuredPoints& all, bool many_sets) {
  std::vector<const MeasuredPoint*> kept;
  for (const MeasuredPoint& point : all.points) {
    if (all.variants[point.variant].many_sets == many_sets) kept.push_back(&point);
  }
  return kept;
}

// What speaks for comparing at a place: structures, measurements of maintenance, one thread, keys in all.
struct Census {
  std::set<std::string> structures;
  int maintained = 0;

  void count(const MeasuredPoints& all, const MeasuredPoint& point) {
    structures.insert(all.variants[point.variant].structure);
    maintained += point.insert_ns.has_value() + point.update_ns.has_value() + point.erase_ns.has_value();
  }
};

std::optional<Place> common_place(const MeasuredPoints& all, const std::vector<const MeasuredPoint*>& points) {
  std::map<Place, Census> places;
  for (const MeasuredPoint* point : points) places[place_of(*point)].count(all, *point);
  for (const MeasuredPoint* point : points) {
    if (place_of(*point).second) continue;
    for (auto& [place, census] : places) {
      if (place.first == point->workload) census.count(all, *point);
    }
  }
  const auto rank = [](const auto& entry) {
    const Workload& workload = entry.first.first;
    return std::tuple(entry.second.structures.size(), -workload.threads, entry.second.maintained,
                      workload.sets * workload.keys);
  };
  const auto best = std::ranges::max_element(places, {}, rank);
  return best == places.end() ? std::nullopt : std::optional(best->first);
}

std::string maintenance(const Variant& variant, const std::optional<double>& ns, const char* phase) {
  if (ns) return short_number(*ns / 1e3, 3);
  return variant.many_sets && variant.unsupported.contains(phase) ? "cannot" : "";
}

std::string concurrency(const Variant& variant) {
  std::string text = "queries";
  if (variant.concurrent_inserts) text += ", key inserts";
  if (variant.concurrent_maintenance) text += ", sets come and go";
  return text;
}

std::vector<std::string> cells_of(const StructureLine& line, bool many_sets) {
  const MeasuredPoint& point = *line.point;
  const double keys = point.workload.sets * point.workload.keys;
  std::vector<std::string> cells = {fmt::format("<b>{}</b><br><span class=\"soft\">{}</span>", html::escape(line.name),
                                                html::escape(line.variant->parameters)),
                                    short_number(point.search_ns, 3), rate_text(point),
                                    short_number(point.storage_bytes * 8 / keys, 3),
                                    short_number(point.memory_bytes / 1e6, 3)};
  if (many_sets) {
    cells.push_back(maintenance(*line.variant, point.insert_ns, "insert"));
    cells.push_back(maintenance(*line.variant, point.update_ns, "update"));
    cells.push_back(maintenance(*line.variant, point.erase_ns, "erase"));
  } else {
    cells.push_back(point.fill_ns ? short_number(*point.fill_ns, 3) : "");
  }
  cells.push_back(concurrency(*line.variant));
  cells.push_back(fmt::format("<span class=\"soft\">{}</span>", workload_text(point.workload, many_sets)));
  cells.push_back(std::to_string(line.points));
  return cells;
}

std::string table_of(const MeasuredPoints& points, bool many_sets) {
  const std::vector<StructureLine> lines = structure_lines(points, many_sets);
  if (lines.empty()) return html::paragraph("None has been measured.", "soft");
  std::vector<html::Column> columns = {{"structure"},
                                       {"a query (ns)", true},
                                       {"false positive rate", true},
                                       {"bits a key", true},
                                       {"memory (MB)", true}};
  if (many_sets) {
    for (const char* what : {"new set (µs)", "keys added (µs)", "set gone (µs)"}) columns.push_back({what, true});
  } else {
    columns.push_back({"insert (ns)", true});
  }
  columns.insert(columns.end(), {{"at the same time"}, {"measured at"}, {"points", true}});
  std::vector<std::vector<std::string>> rows;
  for (const StructureLine& line : lines) rows.push_back(cells_of(line, many_sets));
  return html::table(columns, rows, html::Rows::kSortable);
}

}  // namespace

std::vector<StructureLine> structure_lines(const MeasuredPoints& all, bool many_sets) {
  const std::vector<const MeasuredPoint*> points = points_of_kind(all, many_sets);
  const std::optional<Place> common = common_place(all, points);
  std::map<std::string, StructureLine> lines;
  const auto rank = [&](const MeasuredPoint& point) {
    return std::pair(distance(place_of(point), *common), point.search_ns);
  };
  for (const MeasuredPoint* point : points) {
    const Variant& variant = all.variants[point->variant];
    StructureLine& line = lines[variant.structure];
    ++line.points;
    if (line.point && rank(*line.point) <= rank(*point)) continue;
    line.name = variant.structure;
    line.about = find_structure(variant.structure).about;
    line.point = point;
    line.variant = &variant;
    line.elsewhere = distance(place_of(*point), *common) > 0;
  }
  std::vector<StructureLine> sorted;
  for (auto& [name, line] : lines) sorted.push_back(std::move(line));
  std::ranges::stable_sort(sorted, {},
                           [](const auto& line) { return std::pair(line.elsewhere, line.point->search_ns); });
  return sorted;
}

std::string workload_text(const Workload& workload, bool many_sets) {
  const auto number = [](double value) { return short_number(value, 12); };
  std::string text = many_sets ? fmt::format("N = {}, ", number(workload.sets)) : "";
  return text + fmt::format("n = {}, hit rate {:g}, {:g} {}, batch {}", number(workload.keys), workload.hit_rate,
                            workload.threads, workload.threads == 1 ? "thread" : "threads", number(workload.batch));
}

std::string rate_text(const MeasuredPoint& point) {
  if (point.trials <= 0) return "";
  if (point.false_positives == 0) return fmt::format("0 of {}", short_number(point.trials, 2));
  return short_number(point.false_positives / point.trials, 3);
}

std::string time_text(double nanoseconds) {
  if (nanoseconds < 1e3) return short_number(nanoseconds, 3) + " ns";
  return nanoseconds < 1e6 ? short_number(nanoseconds / 1e3, 3) + " µs" : short_number(nanoseconds / 1e6, 3) + " ms";
}

std::string structures_section(const MeasuredPoints& points) {
  return "<h2 id=\"structures\">Structures, as measured</h2>\n<section>" +
         html::paragraph(
             "Each at the workload that most were measured at, or at the nearest of its own; the fastest of its "
             "variants "
             "there. Times are medians. The last column counts all workloads that a structure was measured at: the "
             "advisor below answers for any of yours.",
             "soft") +
         "<h4>Which of many sets may hold a key?</h4>" + table_of(points, true) + "<h4>Does one set hold a key?</h4>" +
         table_of(points, false) + "</section>\n";
}

}  // namespace bloomery
