#include "experiments/claim_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/curves.h"
#include "experiments/numbers.h"
#include "experiments/window.h"
#include "structures/params.h"

namespace bloomery {
namespace {

const std::string kDay = "day";

bool runs_on(const Unit& unit, const std::string& day) {
  return unit.scenario == "window" && std::ranges::any_of(window_days(unit), [&](std::uint64_t sampled) {
           return same_value(std::to_string(sampled), day);
         });
}

bool stands_at(const Unit& unit, const Point& point) {
  return std::ranges::all_of(point, [&](const auto& entry) {
    const auto& [name, value] = entry;
    if (name == kDay) return runs_on(unit, value);
    const auto own = unit.settings.find(name);
    return own == unit.settings.end() || same_value(own->second, value);
  });
}

// By size if all are numbers.
std::vector<std::string> sorted(const std::set<std::string>& values) {
  std::vector<std::string> result(values.begin(), values.end());
  if (std::ranges::all_of(result, [](const std::string& v) { return parse_real(v).has_value(); })) {
    std::ranges::sort(result, {}, [](const std::string& v) { return *parse_real(v); });
  }
  return result;
}

bool same_settings(const Row& row, const Unit& unit) {
  if (row["series"] != unit.series || row["repeat"] != std::to_string(unit.repeat)) return false;
  return std::ranges::all_of(unit.settings, [&](const auto& setting) {
    const std::string cell = row.get(setting.first);
    return cell.empty() || same_value(cell, setting.second);
  });
}

}  // namespace

std::string text_of(const Point& point) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : point) parts.push_back(name + " = " + value);
  return fmt::format("{}", fmt::join(parts, ", "));
}

ClaimPlan::ClaimPlan(const Experiment& experiment) : experiment_(experiment), units_(make_plan(experiment)) {}

std::vector<const Unit*> ClaimPlan::units(const Expression& metric, const Point& point) const {
  const std::string phase = find_metric(metric.text).phase;
  std::vector<const Unit*> found;
  for (const Unit& unit : units_) {
    if (unit.series == metric.series && stands_at(unit, point)) found.push_back(&unit);
  }
  if (found.empty()) fail_unplanned(metric, point);
  const std::vector<std::string>& phases = found.front()->phases;
  if (std::ranges::find(phases, phase) == phases.end()) {
    throw UnplannedError(metric.begin, fmt::format("{} needs the phase {}, which is not measured; measured here: {}",
                                                   metric.text, phase, fmt::join(phases, ", ")));
  }
  for (const Unit* unit : found) {
    if (unit->settings != found.front()->settings) fail_open(metric, found);
  }
  if (phase == "window" && !point.contains(kDay)) {
    throw ExpressionError(metric.begin, fmt::format("{} is measured on many days; say which: {}[{} @ day = 0]",
                                                    metric.text, metric.text, metric.series));
  }
  return found;
}

// Names the first setting of the point that keeps the series from being run there.
void ClaimPlan::fail_unplanned(const Expression& metric, const Point& point) const {
  Point so_far;
  for (const auto& [name, value] : point) {
    const std::set<std::string> known = values_of(name, metric.series, so_far);
    so_far[name] = value;
    if (!values_of(name, metric.series, so_far).empty() || known.empty()) continue;
    throw UnplannedError(metric.begin, fmt::format("'{}' is not run at {}; {} is {}", metric.series, text_of(so_far),
                                                   name, fmt::join(sorted(known), ", ")));
  }
  throw UnplannedError(metric.begin, fmt::format("'{}' is not run", metric.series));
}

void ClaimPlan::fail_open(const Expression& metric, const std::vector<const Unit*>& units) const {
  // A swept setting first: what follows from it differs, too.
  std::vector<std::string> names;
  for (const Axis& axis : experiment_.sweep) names.push_back(axis.name);
  for (const auto& [name, value] : units.front()->settings) names.push_back(name);
  for (const std::string& name : names) {
    std::set<std::string> values;
    for (const Unit* unit : units) {
      if (unit->settings.contains(name)) values.insert(unit->settings.at(name));
    }
    if (values.size() < 2) continue;
    throw ExpressionError(metric.begin,
                          fmt::format("{}[{}] is measured at {} = {}; say which in 'at' (every: at each of them)",
                                      metric.text, metric.series, name, fmt::join(sorted(values), ", ")));
  }
  throw ExpressionError(metric.begin, fmt::format("'{}' is run with several settings", metric.series));
}

std::set<std::string> ClaimPlan::values_of(const std::string& setting, const std::string& series,
                                           const Point& point) const {
  std::set<std::string> values;
  for (const Unit& unit : units_) {
    if (unit.series != series || !stands_at(unit, point)) continue;
    if (setting == kDay && unit.scenario == "window") {
      for (const std::uint64_t day : window_days(unit)) {
        if (!point.contains(kDay) || same_value(point.at(kDay), std::to_string(day)))
          values.insert(std::to_string(day));
      }
    } else if (const auto own = unit.settings.find(setting); own != unit.settings.end()) {
      values.insert(own->second);
    }
  }
  return values;
}

std::vector<std::string> ClaimPlan::values(const std::string& setting, const std::set<std::string>& series,
                                           const Point& point, std::size_t offset) const {
  std::set<std::string> common;
  bool first = true;
  for (const std::string& name : series) {
    const std::set<std::string> own = values_of(setting, name, point);
    if (first) common = own;
    if (!first) std::erase_if(common, [&](const std::string& value) { return !own.contains(value); });
    first = false;
  }
  if (common.empty()) throw UnplannedError(offset, fmt::format("no run has a {} here", setting));
  return sorted(common);
}

double ClaimPlan::number(const Expression& name, const Point& point, const std::set<std::string>& series) const {
  std::set<std::string> values;
  if (const auto fixed = point.find(name.text); fixed != point.end()) {
    values.insert(fixed->second);
  } else {
    for (const std::string& one : series) values.merge(values_of(name.text, one, point));
  }
  if (values.empty()) throw UnplannedError(name.begin, fmt::format("no run has a {} here", name.text));
  if (values.size() > 1) {
    throw ExpressionError(
        name.begin, fmt::format("{} is {} here; say which in 'at'", name.text, fmt::join(sorted(values), " and ")));
  }
  const auto value = parse_real(*values.begin());
  if (!value) throw ExpressionError(name.begin, fmt::format("{} is '{}', no number", name.text, *values.begin()));
  return *value;
}

const Row* find_row(const std::vector<Row>& rows, const Unit& unit, const Metric& metric, const Point& point) {
  const Row* older = nullptr;
  const auto day = metric.phase == "window" ? point.find(kDay) : point.end();
  for (const Row& row : rows) {
    if (row["phase"] != metric.phase || (day != point.end() && !same_value(row.get(kDay), day->second))) continue;
    if (row["run_id"] == unit.run_id) return &row;
    if (!older && same_settings(row, unit)) older = &row;
  }
  return older;
}

}  // namespace bloomery
