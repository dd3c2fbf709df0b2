#include "experiments/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "experiments/errors.h"
#include "experiments/metrics.h"
#include "experiments/numbers.h"
#include "structures/theory.h"

namespace bloomery {
namespace {

using Values = std::map<std::string, std::string>;

bool matches(const Row& row, const Values& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const auto& entry) { return same_value(row.get(entry.first), entry.second); });
}

std::vector<const Row*> matching(const std::vector<Row>& rows, const Values& values) {
  std::vector<const Row*> kept;
  for (const Row& row : rows) {
    if (matches(row, values)) kept.push_back(&row);
  }
  return kept;
}

std::string name_of(const FigureSpec& figure, const Experiment& experiment) {
  return "figure " + figure.id + " of " + experiment.id;
}

std::vector<std::string> series_of(const FigureSpec& figure, const Experiment& experiment) {
  if (!figure.series.empty()) return figure.series;
  std::vector<std::string> names;
  for (const Series& series : experiment.series) names.push_back(series.name);
  return names;
}

std::vector<const Row*> rows_of_series(const std::vector<const Row*>& rows, const std::vector<std::string>& series) {
  std::vector<const Row*> kept;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(kept), [&](const Row* row) {
    return std::find(series.begin(), series.end(), row->get("series")) != series.end();
  });
  return kept;
}

// The order of the x axis.
class XOrder {
 public:
  XOrder(const FigureSpec& figure, const Experiment& experiment) {
    if (figure.x == "series") listed_ = series_of(figure, experiment);
    if (const Axis* axis = find_axis(experiment, figure.x)) {
      for (const Setting& value : axis->values) listed_.push_back(value.text);
    }
  }

  // By size if all are numbers, else as the config lists them, and what it does not list after that.
  void sort(std::vector<std::string>& values) const {
    const bool numeric = std::all_of(values.begin(), values.end(), [](const auto& v) { return parse_real(v); });
    std::stable_sort(values.begin(), values.end(), [&](const std::string& a, const std::string& b) {
      return numeric ? *parse_real(a) < *parse_real(b) : position(a) < position(b);
    });
  }

 private:
  std::ptrdiff_t position(const std::string& value) const {
    const auto found =
        std::find_if(listed_.begin(), listed_.end(), [&](const auto& listed) { return same_value(listed, value); });
    return found - listed_.begin();
  }

  std::vector<std::string> listed_;
};

std::optional<double> value_of(const Row& row, const Metric& metric) {
  const std::optional<double> value = row["phase"] == metric.phase ? metric.value(row) : std::nullopt;
  return value && std::isfinite(*value) ? value : std::nullopt;
}

void summarize_into(Curve& curve, const std::vector<const Row*>& rows, const std::string& x, const XOrder& order) {
  const Metric& metric = find_metric(curve.metric);
  std::map<std::string, std::vector<double>> values;
  for (const Row* row : rows) {
    const std::string at = row->get(x);
    const std::optional<double> value = value_of(*row, metric);
    if (at.empty() || !value) continue;
    std::vector<double>& here = values[at];
    if (here.empty()) curve.x.push_back(at);
    here.push_back(*value);
  }
  order.sort(curve.x);
  for (const std::string& at : curve.x) curve.y.push_back(summarize(values[at]));
}

// An axis of series has no curve a series: one curve a metric runs over all of them.
std::vector<Curve> curves_over_series(const FigureSpec& figure, const std::vector<const Row*>& rows,
                                      const XOrder& order) {
  std::vector<Curve> curves;
  for (const std::string& metric : figure.y) {
    Curve& curve = curves.emplace_back();
    curve.name = find_metric(metric).label;
    curve.metric = metric;
    summarize_into(curve, rows, figure.x, order);
  }
  return curves;
}

std::vector<Curve> curves_a_series(const FigureSpec& figure, const std::vector<std::string>& series,
                                   const std::vector<const Row*>& rows, const XOrder& order) {
  std::vector<Curve> curves;
  for (const std::string& name : series) {
    const std::vector<const Row*> own = rows_of_series(rows, {name});
    for (const std::string& metric : figure.y) {
      Curve& curve = curves.emplace_back();
      curve.name = figure.y.size() > 1 ? name + ", " + find_metric(metric).label : name;
      curve.series = name;
      curve.metric = metric;
      summarize_into(curve, own, figure.x, order);
    }
  }
  return curves;
}

// A series whose rows say "unsupported" has no curve; one without any row was never run.
void require_rows(const std::vector<std::string>& series, const std::vector<const Row*>& rows,
                  const std::string& figure) {
  std::vector<std::string> absent;
  std::copy_if(series.begin(), series.end(), std::back_inserter(absent),
               [&](const std::string& name) { return rows_of_series(rows, {name}).empty(); });
  if (absent.empty()) return;
  throw InputError(
      fmt::format("{}: no rows of series \"{}\"; run the experiment first", figure, fmt::join(absent, "\", \"")));
}

struct Theory {
  std::string name;
  std::string label;
  double children;  // of a node, in multiples of d
};

const Theory& find_theory(const std::string& name, const std::string& figure) {
  static const std::array<Theory, 2> kTheories = {
      {{"ideal_full", "ideal, full nodes (l = 2d)", 2}, {"ideal_min", "ideal, minimal nodes (l = d)", 1}}};
  for (const Theory& theory : kTheories) {
    if (theory.name == name) return theory;
  }
  throw InputError(figure + ": there is no curve \"" + name + "\"; known are ideal_full and ideal_min");
}

// Over the x values of the rows, with the N and d of a row there: structures without an order leave d empty.
Curve theory_curve(const Theory& theory, const std::string& x, const std::vector<const Row*>& rows,
                   const XOrder& order) {
  Curve curve;
  curve.name = theory.label;
  curve.theory = true;
  curve.metric = theory.name;
  std::map<std::string, double> values;
  for (const Row* row : rows) {
    const std::string at = row->get(x);
    const auto sets = row->number("N");
    const auto d = row->number("d");
    if (at.empty() || !sets || !d || *d * theory.children <= 1) continue;
    if (values.emplace(at, ideal_search_cost(*d * theory.children, *sets)).second) curve.x.push_back(at);
  }
  order.sort(curve.x);
  for (const std::string& at : curve.x) curve.y.push_back({values[at], values[at], values[at], 1});
  return curve;
}

// A published number belongs on a figure that has rows with its settings, at any x: a quick run has not every x of the
// paper.
bool comparable(const Published& published, const FigureSpec& figure, const std::vector<const Row*>& rows) {
  Values others = published.at;
  others.erase(figure.x);
  others["series"] = published.series;
  return std::any_of(rows.begin(), rows.end(), [&](const Row* row) { return matches(*row, others); });
}

// Where it stands on the x axis; nothing if the axis is of something that the number does not come with.
std::optional<std::string> x_of(const Published& published, const std::string& x) {
  if (x == "series") return published.series;
  const auto at = published.at.find(x);
  return at == published.at.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace

bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto x = parse_real(a);
  const auto y = parse_real(b);
  return x && y && std::abs(*x - *y) <= 1e-12 * std::max(std::abs(*x), std::abs(*y));
}

std::vector<Curve> curves_of(const FigureSpec& figure, const Experiment& experiment, const std::vector<Row>& all_rows) {
  const std::vector<std::string> series = series_of(figure, experiment);
  const std::vector<const Row*> rows = rows_of_series(matching(all_rows, figure.where), series);
  const std::string name = name_of(figure, experiment);
  require_rows(series, rows, name);
  const XOrder order(figure, experiment);
  std::vector<Curve> curves =
      figure.x == "series" ? curves_over_series(figure, rows, order) : curves_a_series(figure, series, rows, order);
  std::erase_if(curves, [](const Curve& curve) { return curve.x.empty(); });
  if (curves.empty()) {
    throw InputError(fmt::format("{}: no row has a value of {} over {}; run the experiment first", name,
                                 fmt::join(figure.y, ", "), figure.x));
  }
  for (const std::string& theory : figure.curves) {
    curves.push_back(theory_curve(find_theory(theory, name), figure.x, rows, order));
  }
  return curves;
}

std::vector<std::string> x_values(const FigureSpec& figure, const Experiment& experiment,
                                  const std::vector<Curve>& curves) {
  std::vector<std::string> values;
  for (const Curve& curve : curves) {
    for (const std::string& x : curve.x) {
      if (std::find(values.begin(), values.end(), x) == values.end()) values.push_back(x);
    }
  }
  XOrder(figure, experiment).sort(values);
  return values;
}

std::vector<PublishedPoint> published_on(const FigureSpec& figure, const Experiment& experiment,
                                         const std::vector<Curve>& curves, const std::vector<Row>& all_rows) {
  const std::vector<const Row*> rows = matching(all_rows, figure.where);
  std::vector<PublishedPoint> points;
  for (const Published& published : experiment.published) {
    const std::optional<std::string> x = x_of(published, figure.x);
    if (!x || !comparable(published, figure, rows)) continue;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const bool same_series = curves[i].series == published.series || figure.x == "series";
      if (curves[i].metric != published.metric || !same_series) continue;
      points.push_back({i, *x, published.value, published.source.substr(0, published.source.find(','))});
    }
  }
  return points;
}

std::optional<Summary> measured(const Published& published, const std::vector<Row>& rows) {
  const Metric& metric = find_metric(published.metric);
  Values at = published.at;
  at["series"] = published.series;
  std::vector<double> values;
  for (const Row* row : matching(rows, at)) {
    if (const std::optional<double> value = value_of(*row, metric)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return summarize(std::move(values));
}

}  // namespace bloomery
