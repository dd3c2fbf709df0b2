#include "experiments/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "experiments/errors.h"
#include "experiments/metrics.h"
#include "experiments/numbers.h"
#include "experiments/theory_curves.h"

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

struct Sample {
  std::string repeat;
  double value;
};
using Samples = std::map<std::string, std::vector<Sample>>;  // by place on the x axis

Summary summary_of(const std::vector<Sample>& samples) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.value);
  return summarize(std::move(values));
}

// A name that is both is a column's.
bool is_metric(const std::string& name) {
  const bool column = std::ranges::find(kColumns, name) != kColumns.end();
  return !column && std::ranges::find(metrics(), name, &Metric::name) != metrics().end();
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

// The x axis of a figure: a column or setting, or a metric. What is measured at the same sweep values has one place
// there, and where the axis is a metric the place stands at the median of that metric.
class XAxis {
 public:
  XAxis(const FigureSpec& figure, const Experiment& experiment)
      : name_(figure.x), metric_(is_metric(figure.x) ? &find_metric(figure.x) : nullptr), order_(figure, experiment) {
    for (const Axis& axis : experiment.sweep) swept_.push_back(axis.name);
  }

  std::string place_of(const Row& row) const {
    if (!metric_) return row.get(name_);
    std::string place;
    for (const std::string& name : swept_) place += row.get(name) + ";";
    return place + row.get("setting") + ";";  // of an optimiser: many rows a point of the sweep
  }

  // Where the places of one series stand, in order: {x, place}.
  std::vector<std::pair<std::string, std::string>> stand(const Samples& at, const std::vector<const Row*>& rows) const {
    std::map<std::string, std::string> places;  // by x
    std::vector<std::string> xs;
    const Samples measured = metric_ ? samples_of(*metric_, rows, *this) : Samples();
    for (const auto& [place, samples] : at) {
      if (metric_ && !measured.contains(place)) continue;
      const std::string x = metric_ ? fmt::format("{}", summary_of(measured.at(place)).median) : place;
      if (places.emplace(x, place).second) xs.push_back(x);
    }
    order_.sort(xs);
    std::vector<std::pair<std::string, std::string>> result;
    for (const std::string& x : xs) result.emplace_back(x, places.at(x));
    return result;
  }

  static Samples samples_of(const Metric& metric, const std::vector<const Row*>& rows, const XAxis& axis) {
    Samples samples;
    for (const Row* row : rows) {
      const std::string place = axis.place_of(*row);
      const std::optional<double> value = value_of(*row, metric);
      if (!place.empty() && value) samples[place].push_back({row->get("repeat"), *value});
    }
    return samples;
  }

 private:
  std::string name_;
  const Metric* metric_;
  XOrder order_;
  std::vector<std::string> swept_;
};

// Against the base in the same repetition at the same place: what slows one moment down slows both.
Samples relative_to(const Samples& base, const Samples& own, bool speedup) {
  Samples result;
  for (const auto& [place, samples] : own) {
    const auto there = base.find(place);
    if (there == base.end()) continue;
    for (const Sample& sample : samples) {
      std::vector<Sample> same;
      std::ranges::copy_if(there->second, std::back_inserter(same),
                           [&](const Sample& other) { return other.repeat == sample.repeat; });
      if (same.empty()) continue;
      const double reference = summary_of(same).median;
      const double ratio = speedup ? reference / sample.value : sample.value / reference;
      if (std::isfinite(ratio)) result[place].push_back({sample.repeat, ratio});
    }
  }
  return result;
}

class CurveMaker {
 public:
  CurveMaker(const FigureSpec& figure, const Experiment& experiment, const std::vector<const Row*>& rows)
      : figure_(figure), axis_(figure, experiment), rows_(rows) {}

  // An axis of series has no curve a series: one curve a metric runs over all of them.
  void add_over_series(const std::vector<std::string>& series, std::vector<Curve>& curves) const {
    const std::vector<const Row*> drawn = rows_of_series(rows_, series);
    for (const std::string& metric : figure_.y) curves.push_back(curve(find_metric(metric).label, "", metric, drawn));
  }

  void add_each_series(const std::vector<std::string>& series, std::vector<Curve>& curves) const {
    for (const std::string& name : series) {
      for (const std::string& metric : figure_.y) {
        const std::string& label = find_metric(metric).label;
        const std::string full = figure_.y.size() == 1 ? name : series.size() == 1 ? label : name + ", " + label;
        curves.push_back(curve(full, name, metric, rows_of_series(rows_, {name})));
      }
    }
  }

  void add_theory(const Theory& theory, const std::vector<std::string>& series, std::vector<Curve>& curves) const {
    if (!theory.each_series) return curves.push_back(theory_curve(theory, rows_of_series(rows_, series)));
    for (const std::string& name : series) curves.push_back(theory_curve(theory, rows_of_series(rows_, {name})));
  }

 private:
  Curve curve(std::string name, std::string series, const std::string& metric,
              const std::vector<const Row*>& rows) const {
    Curve result{std::move(name), {}, {}, false, std::move(series), metric};
    Samples samples = XAxis::samples_of(find_metric(metric), rows, axis_);
    if (!figure_.base.empty()) samples = relative_to(base_of(metric, samples), samples, figure_.speedup);
    for (const auto& [x, place] : axis_.stand(samples, rows)) {
      result.x.push_back(x);
      const std::optional<Trials> trials = pooled(find_metric(metric), rows, place);
      result.y.push_back(trials ? share_of(*trials) : summary_of(samples.at(place)));
    }
    return result;
  }

  // The trials of all repetitions at a place, if the metric is a share of trials.
  std::optional<Trials> pooled(const Metric& metric, const std::vector<const Row*>& rows,
                               const std::string& place) const {
    if (metric.trials == nullptr || !figure_.base.empty()) return std::nullopt;
    Trials all;
    for (const Row* row : rows) {
      const bool here = axis_.place_of(*row) == place && value_of(*row, metric);
      const std::optional<Trials> trials = here ? metric.trials(*row) : std::nullopt;
      if (trials) all = {all.successes + trials->successes, all.of + trials->of};
    }
    return all.of > 0 ? std::optional(all) : std::nullopt;
  }

  // On an axis of series the base stands at one place and is compared with all.
  Samples base_of(const std::string& metric, const Samples& own) const {
    Samples base = XAxis::samples_of(find_metric(metric), rows_of_series(rows_, {figure_.base}), axis_);
    if (figure_.x != "series" || !base.contains(figure_.base)) return base;
    Samples everywhere;
    for (const auto& [place, samples] : own) everywhere[place] = base.at(figure_.base);
    return everywhere;
  }

  // With the settings of the first row at every place that has what the formula needs.
  Curve theory_curve(const Theory& theory, const std::vector<const Row*>& rows) const {
    Curve result{theory.label, {}, {}, true, "", theory.name};
    std::map<std::string, std::vector<const Row*>> rows_at;
    Samples places;
    for (const Row* row : rows) {
      const std::string place = axis_.place_of(*row);
      if (place.empty()) continue;
      rows_at[place].push_back(row);
      places[place];
    }
    for (const auto& [x, place] : axis_.stand(places, rows)) {
      for (const Row* row : rows_at.at(place)) {
        const std::optional<double> value = theory.value(*row, x);
        if (!value) continue;
        result.x.push_back(x);
        result.y.push_back({*value, *value, *value, 1});
        break;
      }
    }
    return result;
  }

  const FigureSpec& figure_;
  XAxis axis_;
  std::vector<const Row*> rows_;
};

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
  std::vector<std::string> needed = series;
  if (!figure.base.empty()) needed.push_back(figure.base);
  const std::vector<const Row*> rows = rows_of_series(matching(all_rows, figure.where), needed);
  const std::string name = name_of(figure, experiment);
  require_rows(needed, rows, name);
  const CurveMaker maker(figure, experiment, rows);
  std::vector<Curve> curves;
  if (figure.x == "series") {
    maker.add_over_series(series, curves);
  } else {
    maker.add_each_series(series, curves);
  }
  std::erase_if(curves, [](const Curve& curve) { return curve.x.empty(); });
  if (curves.empty()) {
    throw InputError(fmt::format("{}: no row has a value of {} over {}; run the experiment first", name,
                                 fmt::join(figure.y, ", "), figure.x));
  }
  for (const std::string& theory : figure.curves) maker.add_theory(find_theory(theory), series, curves);
  return curves;
}

std::string legend_name(const Curve& curve, const std::string& y_label) {
  std::string name = curve.name;
  if (!y_label.empty() && name.size() > y_label.size() && name.ends_with(" " + y_label)) {
    name.erase(name.size() - y_label.size() - 1);
    if (name.ends_with(',')) name.pop_back();
  }
  return name;
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
  if (!figure.base.empty()) return points;  // the numbers are no ratios
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
