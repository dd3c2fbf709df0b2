#include "experiments/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "experiments/compare_points.h"
#include "experiments/errors.h"
#include "experiments/metrics.h"
#include "experiments/rank_test.h"
#include "experiments/ratios.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

// What can get better or worse, each quantity once. What is counted is the same in every run of the same program.
struct Quantity {
  const char* metric;
  bool counted;
};
constexpr std::array<Quantity, 20> kQuantities = {{{"search_time", false},
                                                   {"build_time", false},
                                                   {"insert_time", false},
                                                   {"update_time", false},
                                                   {"erase_time", false},
                                                   {"window_time", false},
                                                   {"memory", false},
                                                   {"search_bf_cost", true},
                                                   {"window_bf_cost", true},
                                                   {"words_per_query", true},
                                                   {"lines_per_query", true},
                                                   {"false_positive_rate", true},
                                                   {"messages", true},
                                                   {"storage", true},
                                                   {"insert_filters_cost", true},
                                                   {"update_filters_cost", true},
                                                   {"erase_filters_cost", true},
                                                   {"insert_nodes_cost", true},
                                                   {"update_nodes_cost", true},
                                                   {"erase_nodes_cost", true}}};
constexpr std::array<std::string_view, 3> kRates = {"throughput", "read_rate", "fill_rate"};  // more of it is better

bool is_counted(const std::string& metric) {
  const auto found = std::ranges::find_if(kQuantities, [&](const Quantity& q) { return q.metric == metric; });
  return found != kQuantities.end() && found->counted;
}

bool is_rate(const std::string& metric) { return std::ranges::find(kRates, metric) != kRates.end(); }

std::vector<const Metric*> chosen_metrics(const std::vector<std::string>& names) {
  std::vector<const Metric*> chosen;
  for (const std::string& name : names) chosen.push_back(&find_metric(name));
  if (names.empty()) {
    for (const Quantity& quantity : kQuantities) chosen.push_back(&find_metric(quantity.metric));
  }
  return chosen;
}

std::map<std::string, double> by_repetition(const std::vector<Row>& rows, const Metric& metric) {
  std::map<std::string, double> values;
  for (const Row& row : rows) {
    if (const auto value = metric.value(row)) values[row["repeat"]] = *value;
  }
  return values;
}

double median(const std::vector<double>& values) { return summarize(values).median; }

std::optional<Comparison> comparison_of(const MatchedPoint& matched, const Metric& metric) {
  Comparison result;
  result.metric = metric.name;
  std::map<std::string, double> a = by_repetition(matched.a, metric), b = by_repetition(matched.b, metric);
  if (is_counted(metric.name)) {
    std::erase_if(a, [&](const auto& value) { return !b.contains(value.first); });
    std::erase_if(b, [&](const auto& value) { return !a.contains(value.first); });
  }
  if (a.empty() || b.empty()) return std::nullopt;
  for (const auto& [repeat, value] : a) result.a.push_back(value);
  for (const auto& [repeat, value] : b) result.b.push_back(value);
  result.median_a = median(result.a);
  result.median_b = median(result.b);
  const bool same = result.a == result.b;
  if (!same && (std::ranges::min(result.a) <= 0 || std::ranges::min(result.b) <= 0)) {
    const double ratio = result.median_a > 0 ? result.median_b / result.median_a : std::nan("");
    result.ratio = {ratio, std::nan(""), std::nan(""), static_cast<int>(result.a.size())};
  } else {
    result.ratio = same ? Summary{1, 1, 1, static_cast<int>(result.a.size())} : ratio_of_medians(result.a, result.b);
  }
  return result;
}

double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// Every pair must point the same way, and the totals must differ by more than the margin.
Change judge_counted(const Comparison& c, double margin) {
  const double a = total(c.a), b = total(c.b);
  if (b <= a * (1 + margin) && a <= b * (1 + margin)) return Change::kEqual;
  const bool no_pair_less = std::ranges::equal(c.a, c.b, std::ranges::less_equal());
  const bool no_pair_more = std::ranges::equal(c.a, c.b, std::ranges::greater_equal());
  return no_pair_less ? Change::kSlower : no_pair_more ? Change::kFaster : Change::kInconclusive;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

// p-values of a timed comparison: that there is a difference, and that it is within the margin.
struct Evidence {
  double different = 1;
  double equal = 1;
};

Evidence evidence_of(const Comparison& c, double margin) {
  const double less = rank_sum_p(c.b, c.a), more = rank_sum_p(c.a, c.b);
  const double not_above = rank_sum_p(c.b, scaled(c.a, 1 + margin));
  const double not_below = rank_sum_p(c.a, scaled(c.b, 1 + margin));
  return {std::min(1.0, 2 * std::min(less, more)), std::max(not_above, not_below)};
}

Change judge_timed(const Comparison& c, const Evidence& corrected, double level) {
  if (corrected.equal < level) return Change::kEqual;
  if (corrected.different >= level) return Change::kInconclusive;
  return (c.median_b > c.median_a) == is_rate(c.metric) ? Change::kFaster : Change::kSlower;
}

void judge(std::vector<Comparison>& points, const CompareRules& rules) {
  std::vector<Comparison*> timed;
  std::vector<double> different, equal;
  for (Comparison& point : points) {
    if (is_counted(point.metric)) {
      point.change = judge_counted(point, rules.margin);
      continue;
    }
    const Evidence evidence = evidence_of(point, rules.margin);
    timed.push_back(&point);
    different.push_back(evidence.different);
    equal.push_back(evidence.equal);
  }
  different = holm(different);
  equal = holm(equal);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    timed[i]->change = judge_timed(*timed[i], {different[i], equal[i]}, rules.level);
  }
}

void add_rows(const fs::path& file, std::vector<Row>& rows, std::vector<std::string>& notes) {
  RowsFile found = read_rows(file);
  if (!found.problem.empty()) notes.push_back(fmt::format("{}: {}", file.string(), found.problem));
  rows.insert(rows.end(), std::make_move_iterator(found.rows.begin()), std::make_move_iterator(found.rows.end()));
}

}  // namespace

std::string to_string(Change change) {
  switch (change) {
    case Change::kFaster:
      return "faster";
    case Change::kSlower:
      return "slower";
    case Change::kEqual:
      return "equal";
    case Change::kInconclusive:
      return "inconclusive";
  }
  return "";
}

std::vector<Row> rows_below(const fs::path& folder, std::vector<std::string>& notes) {
  if (!fs::is_directory(folder)) throw InputError(folder.string() + ": no such folder");
  std::vector<fs::path> files = {folder / "rows.csv"};
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path() / "rows.csv");
  std::ranges::sort(files);
  std::vector<Row> rows;
  for (const fs::path& file : files) {
    if (fs::exists(file)) add_rows(file, rows, notes);
  }
  return rows;
}

CompareResult compare(const std::vector<Row>& a, const std::vector<Row>& b, const CompareRules& rules) {
  const std::vector<const Metric*> metrics = chosen_metrics(rules.metrics);
  MatchedPoints matched = match_points(a, b);
  CompareResult result{{}, std::move(matched.notes)};
  for (const MatchedPoint& point : matched.points) {
    const std::string name = distinguishing(point.point, matched.points);
    for (const Metric* metric : metrics) {
      std::optional<Comparison> compared = comparison_of(point, *metric);
      if (!compared) continue;
      compared->experiment = point.point.experiment;
      compared->series = point.point.series;
      compared->point = name;
      result.points.push_back(std::move(*compared));
    }
  }
  judge(result.points, rules);
  return result;
}

}  // namespace bloomery
