#include "experiments/claim_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "experiments/metrics.h"
#include "experiments/numbers.h"

namespace bloomery {
namespace {

using Kind = Expression::Kind;
using Function = std::function<double(const Draw&)>;

Number constant(double value) {
  return {[value](const Draw&) { return value; }, 0};
}

// Sizes in which there is no chance: one repetition says all.
bool is_exact(const std::string& metric) {
  static const std::set<std::string> exact = {"storage", "bits_per_key", "mean_load"};
  return exact.contains(metric);
}

// A rate says how surely it is known: by the events it rests on.
void add_events(const Row& row, const std::string& metric, Observation& observation) {
  const auto events = row.number("false_positives"), ops = row.number("ops"), sets = row.number("N"),
             matches = row.number("matches");
  if (metric != "false_positive_rate" || !events || !ops || !sets || !matches) return;
  observation.events = *events;
  observation.trials = *ops * *sets - (*matches - *events);
  observation.source = XXH3_64bits(row["run_id"].data(), row["run_id"].size());
}

// The numbers of a machine without counters come from a model, which was not what the paper looked at.
bool is_modelled(const Row& row, const std::string& metric) {
  return metric.starts_with("cache_") && row.get("cache") == "model";
}

double apply(const std::string& name, double x) {
  static const std::map<std::string, double (*)(double)> functions = {
      {"log", [](double v) { return std::log(v); }},     {"log2", [](double v) { return std::log2(v); }},
      {"exp", [](double v) { return std::exp(v); }},     {"sqrt", [](double v) { return std::sqrt(v); }},
      {"floor", [](double v) { return std::floor(v); }}, {"ceil", [](double v) { return std::ceil(v); }},
      {"abs", [](double v) { return std::abs(v); }},
  };
  return functions.at(name)(x);
}

double apply(char sign, double a, double b) {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return std::pow(a, b);
  }
}

// A number made of a whole curve: its slope, its least value or the place of it.
double of_curve(const std::string& name, const std::vector<double>& places, const std::vector<double>& values) {
  if (name == "slope") {
    std::vector<double> x, y;
    for (const double place : places) x.push_back(std::log(place));
    for (const double value : values) y.push_back(std::log(value));
    return slope_of_line(x, y);
  }
  const auto [least, greatest] = std::ranges::minmax_element(values);
  const auto found = name.starts_with("l") ? least : greatest;  // lowest, least; highest, greatest
  const bool place = name == "lowest" || name == "highest";
  return place ? places[static_cast<std::size_t>(found - values.begin())] : *found;
}

}  // namespace

std::string short_text(double value) {
  const double size = std::abs(value);
  if (size >= 1000 && size < 1e12) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

int fewer(int a, int b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

std::vector<double> Along::at(const Draw& draw) const {
  std::vector<double> result;
  for (const Function& value : values) result.push_back(value(draw));
  return result;
}

ClaimNumbers::ClaimNumbers(const Claim& claim, const ClaimPlan& plan, const std::vector<Row>* rows)
    : claim_(claim), plan_(plan), rows_(rows) {
  collect(*claim.expression);
}

void ClaimNumbers::collect(const Expression& e) {
  if (e.kind == Kind::kMetric) series_.insert(e.series);
  if (e.kind == Kind::kFunction) {
    const std::size_t axis = find_claim_function(e.text)->axis;
    if (axis != kNoAxis) axes_.insert(e.parts[axis].text);
  }
  for (const Expression& part : e.parts) collect(part);
}

std::vector<std::string> ClaimNumbers::values_along(const std::string& setting, const Point& point,
                                                    std::size_t offset) const {
  const auto said = std::ranges::find(claim_.at, setting, &ClaimAt::name);
  if (said != claim_.at.end() && !said->values.empty()) return said->values;
  return plan_.values(setting, series_, point, offset);
}

Along ClaimNumbers::along(const Expression& e, const std::string& axis, const Point& point) {
  Along result;
  result.axis = axis;
  result.places = values_along(axis, point, e.begin);
  if (result.places.size() < 2) {
    throw UnplannedError(
        e.begin, fmt::format("{} has one value here, {}; it takes two to go along it", axis, result.places.front()));
  }
  for (const std::string& place : result.places) {
    Point here = point;
    here[axis] = place;
    const Number value = number(e, here);
    result.values.push_back(value.value);
    result.repetitions = fewer(result.repetitions, value.repetitions);
  }
  return result;
}

Number ClaimNumbers::number(const Expression& e, const Point& point) {
  switch (e.kind) {
    case Kind::kNumber:
      return constant(e.number);
    case Kind::kName:
      return name(e, point);
    case Kind::kMetric:
      return metric(e, point);
    case Kind::kArithmetic:
      return arithmetic(e, point);
    default:
      return function(e, point);
  }
}

Number ClaimNumbers::name(const Expression& e, const Point& point) {
  if (e.text != "published") return constant(plan_.number(e, point, series_));
  const auto value = parse_real(claim_.published);
  if (!value) {
    throw ExpressionError(e.begin, claim_.published.empty()
                                       ? "the claim has no 'published'; add the paper's number"
                                       : fmt::format("published is '{}', no number", claim_.published));
  }
  return constant(*value);
}

Number ClaimNumbers::arithmetic(const Expression& e, const Point& point) {
  const Number left = number(e.parts[0], point), right = number(e.parts[1], point);
  return {
      [sign = e.text[0], a = left.value, b = right.value](const Draw& draw) { return apply(sign, a(draw), b(draw)); },
      fewer(left.repetitions, right.repetitions)};
}

Number ClaimNumbers::function(const Expression& e, const Point& point) {
  if (find_claim_function(e.text)->axis == kNoAxis) {
    const Number inner = number(e.parts[0], point);
    return {[name = e.text, x = inner.value](const Draw& draw) { return apply(name, x(draw)); }, inner.repetitions};
  }
  const Along curve = along(e.parts[0], e.parts[1].text, point);
  std::vector<double> places;
  for (const std::string& place : curve.places) {
    const auto value = parse_real(place);
    if (!value) throw ExpressionError(e.parts[1].begin, fmt::format("{} is '{}', no number", curve.axis, place));
    places.push_back(*value);
  }
  return {[name = e.text, places, curve](const Draw& draw) { return of_curve(name, places, curve.at(draw)); },
          curve.repetitions};
}

Number ClaimNumbers::metric(const Expression& e, const Point& point) {
  Point here = point;
  for (const auto& [name, value] : e.at) here[name] = value;
  const std::vector<const Unit*> units = plan_.units(e, here);
  if (!rows_) return constant(1);
  const Metric& metric = find_metric(e.text);
  auto observations = std::make_shared<std::vector<Observation>>();
  for (const Unit* unit : units) {
    const Row* row = find_row(*rows_, *unit, metric, here);
    take(row, *unit, metric, here, *observations);
  }
  if (observations->size() < units.size()) return constant(std::nan(""));
  const bool has_noise = !is_exact(e.text) && observations->front().events < 0;
  return {[observations](const Draw& draw) { return median_at(*observations, draw); },
          has_noise ? static_cast<int>(observations->size()) : 0};
}

// Where there is nothing to take, why is then known.
void ClaimNumbers::take(const Row* row, const Unit& unit, const Metric& metric, const Point& point,
                        std::vector<Observation>& observations) {
  const std::string status = row ? (*row)["status"] : "";
  if (status != "ok" && status != "false_negative" && status != "unsupported") {
    add_missing(fmt::format("{}: {} of series '{}'{}{}, repetition {}", metric.phase,
                            row ? "row is " + status : "no row", unit.series, point.empty() ? "" : ", ", text_of(point),
                            unit.repeat + 1));
    return;
  }
  used_.insert(row);
  const std::optional<double> value = metric.value(*row);
  if (status == "unsupported")
    unsupported_ = fmt::format("{} cannot {}", unit.structure, metric.phase);
  else if (!value || !std::isfinite(*value))
    unsupported_ = fmt::format("rows of {} have no {}", unit.series, metric.name);
  else if (is_modelled(*row, metric.name))
    unsupported_ = fmt::format("{} is of a model here, not counted", metric.name);
  if (!unsupported_.empty()) return;
  Observation observation{.value = *value};
  add_events(*row, metric.name, observation);
  observations.push_back(observation);
}

void ClaimNumbers::add_missing(const std::string& what) {
  if (!absent_.insert(what).second || absent_.size() > 1) return;
  missing_ = what;
}

std::string ClaimNumbers::missing() const {
  if (absent_.size() < 2) return missing_;
  return fmt::format("{}; and {} more", missing_, absent_.size() - 1);
}

}  // namespace bloomery
