#include "experiments/figures.h"

// Only calls that work with the upstream header too (Python 3.11, matplotlib 3.6) are used: no subplot, no numeric
// keywords, no reading back of limits. Numbers that matplotlib needs go through rcparams.
#include <matplotlibcpp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <system_error>

#include "experiments/errors.h"
#include "experiments/metrics.h"
#include "structures/theory.h"

namespace bloomery {
namespace {

namespace plt = matplotlibcpp;
using Keywords = std::map<std::string, std::string>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::optional<double> to_number(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !std::isfinite(number)) return std::nullopt;
  return number;
}

// "0.01" in a config and "1e-2" in a row are the same value.
bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto x = to_number(a);
  const auto y = to_number(b);
  return x && y && std::abs(*x - *y) <= 1e-12 * std::max(std::abs(*x), std::abs(*y));
}

bool matches(const Row& row, const std::map<std::string, std::string>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const auto& entry) { return same_value(row.get(entry.first), entry.second); });
}

std::string name_of(const FigureSpec& figure, const Experiment& experiment) {
  return "figure " + figure.id + " of " + experiment.id;
}

// ---------------------------------------------------------------------------------------------------------------------
// From rows to curves.

std::vector<const Row*> rows_of(const FigureSpec& figure, const std::vector<Row>& rows) {
  std::vector<const Row*> kept;
  for (const Row& row : rows) {
    if (matches(row, figure.where)) kept.push_back(&row);
  }
  return kept;
}

std::vector<std::string> series_of(const FigureSpec& figure, const Experiment& experiment) {
  if (!figure.series.empty()) return figure.series;
  std::vector<std::string> names;
  for (const Series& series : experiment.series) names.push_back(series.name);
  return names;
}

// The values of the x axis: by size if they are numbers, else as the config lists them, else as the rows have them.
class XOrder {
 public:
  XOrder(const std::string& x, const Experiment& experiment, const std::vector<std::string>& series,
         const std::vector<const Row*>& rows) {
    if (x == "series") listed_ = series;
    for (const Axis& axis : experiment.sweep) {
      if (axis.name != x) continue;
      for (const Setting& value : axis.values) listed_.push_back(value.text);
    }
    for (const Row* row : rows) {
      const std::string value = row->get(x);
      if (value.empty()) continue;
      if (std::find(listed_.begin(), listed_.end(), value) == listed_.end()) listed_.push_back(value);
      numeric_ = numeric_ && to_number(value);
    }
  }

  void sort(std::vector<std::string>& values) const {
    std::stable_sort(values.begin(), values.end(), [&](const std::string& a, const std::string& b) {
      return numeric_ ? *to_number(a) < *to_number(b) : position(a) < position(b);
    });
  }

 private:
  std::ptrdiff_t position(const std::string& value) const {
    return std::find(listed_.begin(), listed_.end(), value) - listed_.begin();
  }

  std::vector<std::string> listed_;
  bool numeric_ = true;
};

// A curve and what decides its style.
struct StyledCurve {
  Curve curve;
  std::string series;
  std::string metric;
  std::size_t series_index = 0;
  std::size_t metric_index = 0;
};

Curve summarized(const std::string& name, const std::vector<const Row*>& rows, const std::string& x,
                 const Metric& metric, const XOrder& order) {
  std::map<std::string, std::vector<double>> values;
  Curve curve;
  curve.name = name;
  for (const Row* row : rows) {
    const std::string at = row->get(x);
    const std::optional<double> value = row->get("phase") == metric.phase ? metric.value(*row) : std::nullopt;
    if (at.empty() || !value || !std::isfinite(*value)) continue;
    std::vector<double>& here = values[at];
    if (here.empty()) curve.x.push_back(at);
    here.push_back(*value);
  }
  order.sort(curve.x);
  for (const std::string& at : curve.x) curve.y.push_back(summarize(values[at]));
  return curve;
}

std::vector<const Row*> rows_of_series(const std::vector<const Row*>& rows, const std::string& series) {
  std::vector<const Row*> kept;
  for (const Row* row : rows) {
    if (row->get("series") == series) kept.push_back(row);
  }
  return kept;
}

// An axis of series has no curve a series: one curve a metric runs over all of them.
std::vector<StyledCurve> curves_over_series(const FigureSpec& figure, const std::vector<std::string>& series,
                                            const std::vector<const Row*>& rows, const XOrder& order) {
  std::vector<const Row*> drawn;
  for (const Row* row : rows) {
    if (std::find(series.begin(), series.end(), row->get("series")) != series.end()) drawn.push_back(row);
  }
  std::vector<StyledCurve> curves;
  for (std::size_t m = 0; m < figure.y.size(); ++m) {
    const Metric& metric = find_metric(figure.y[m]);
    curves.push_back({summarized(metric.label, drawn, figure.x, metric, order), "", metric.name, m, m});
  }
  return curves;
}

std::vector<StyledCurve> curves_a_series(const FigureSpec& figure, const Experiment& experiment,
                                         const std::vector<std::string>& series, const std::vector<const Row*>& rows,
                                         const XOrder& order) {
  std::vector<StyledCurve> curves;
  for (std::size_t s = 0; s < series.size(); ++s) {
    const std::vector<const Row*> own = rows_of_series(rows, series[s]);
    // A series whose rows say "unsupported" has no curve; one without any row was never run.
    if (own.empty()) {
      throw InputError(name_of(figure, experiment) + ": no rows of series \"" + series[s] + "\"; run the experiment");
    }
    for (std::size_t m = 0; m < figure.y.size(); ++m) {
      const Metric& metric = find_metric(figure.y[m]);
      const std::string name = figure.y.size() > 1 ? series[s] + ", " + metric.label : series[s];
      curves.push_back({summarized(name, own, figure.x, metric, order), series[s], metric.name, s, m});
    }
  }
  return curves;
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
Curve theory_curve(const Theory& theory, const FigureSpec& figure, const std::vector<const Row*>& rows,
                   const XOrder& order) {
  Curve curve;
  curve.name = theory.label;
  curve.theory = true;
  std::map<std::string, double> values;
  for (const Row* row : rows) {
    const std::string at = row->get(figure.x);
    const auto sets = row->number("N");
    const auto d = row->number("d");
    if (at.empty() || !sets || !d || *d * theory.children <= 1) continue;
    if (values.emplace(at, ideal_search_cost(*d * theory.children, *sets)).second) curve.x.push_back(at);
  }
  order.sort(curve.x);
  for (const std::string& at : curve.x) curve.y.push_back({values[at], values[at], values[at], 1});
  return curve;
}

std::vector<StyledCurve> styled_curves(const FigureSpec& figure, const Experiment& experiment,
                                       const std::vector<Row>& all_rows) {
  const std::vector<const Row*> rows = rows_of(figure, all_rows);
  const std::vector<std::string> series = series_of(figure, experiment);
  const XOrder order(figure.x, experiment, series, rows);
  std::vector<StyledCurve> curves = figure.x == "series"
                                        ? curves_over_series(figure, series, rows, order)
                                        : curves_a_series(figure, experiment, series, rows, order);
  std::erase_if(curves, [](const StyledCurve& styled) { return styled.curve.x.empty(); });
  if (curves.empty()) {
    throw InputError(name_of(figure, experiment) + ": no rows with a value of " + figure.y.front() + " over " +
                     figure.x + "; run the experiment");
  }
  for (std::size_t i = 0; i < figure.curves.size(); ++i) {
    const Theory& theory = find_theory(figure.curves[i], name_of(figure, experiment));
    curves.push_back({theory_curve(theory, figure, rows, order), "", "", i, 0});
  }
  return curves;
}

// ---------------------------------------------------------------------------------------------------------------------
// Labels.

std::string axis_label(const std::string& name) {
  static const std::map<std::string, std::string> kLabels = {
      {"N", "N, number of filters"},
      {"d", "d, order"},
      {"m", "m, bits a filter"},
      {"k", "k, hash functions"},
      {"n", "n, keys a filter"},
      {"n_exp", "keys a filter is sized for"},
      {"rho", "ρ, desired false positive rate"},
      {"metric", "distance"},
      {"distribution", "distribution of keys"},
      {"construction", "construction"},
      {"hash", "hash function"},
      {"threads", "threads"},
      {"backend", "threading library"},
      {"batch", "queries a batch"},
      {"hit_rate", "share of queries that hit"},
      {"structure", "structure"},
      {"series", ""},
  };
  const auto found = kLabels.find(name);
  return found == kLabels.end() ? name : found->second;
}

// The words that all labels end with: "insert time (µs)" and "update time (µs)" share "time (µs)".
std::string common_ending(const std::vector<std::string>& labels) {
  std::string ending = labels.front();
  for (const std::string& label : labels) {
    while (!label.ends_with(ending)) {
      const std::size_t space = ending.find(' ');
      if (space == std::string::npos) return "";
      ending.erase(0, space + 1);
    }
  }
  return ending;
}

std::string y_label(const FigureSpec& figure) {
  std::vector<std::string> labels;
  for (const std::string& name : figure.y) labels.push_back(find_metric(name).label);
  return common_ending(labels);
}

// What the axis says already need not stand in the legend.
std::string legend_name(const Curve& curve, const std::string& ylabel) {
  std::string name = curve.name;
  if (!ylabel.empty() && name.size() > ylabel.size() && name.ends_with(" " + ylabel)) {
    name.erase(name.size() - ylabel.size() - 1);
  }
  return name;
}

// matplotlib reads text between two dollars as mathematics.
std::string plain_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '$') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// matplotlib leaves what starts with an underscore out of the legend.
std::string legend_text(const std::string& text) {
  return text.starts_with('_') ? " " + plain_text(text) : plain_text(text);
}

// ---------------------------------------------------------------------------------------------------------------------
// Style.

// After Okabe and Ito: told apart by the colour-blind, and in an order in which neighbours differ in lightness too, so
// that they are told apart in grey.
constexpr std::array<const char*, 8> kColors = {"#0072B2", "#E69F00", "#000000", "#56B4E9",
                                                "#D55E00", "#CC79A7", "#009E73", "#8A8A8A"};
constexpr std::array<const char*, 10> kMarkers = {"o", "s", "^", "D", "v", "P", "X", "<", ">", "p"};
constexpr std::array<const char*, 3> kDashes = {"-", "--", "-."};
constexpr std::array<const char*, 8> kHatches = {"", "//", "\\\\", "xx", "--", "||", "++", ".."};
constexpr std::array<const char*, 2> kTheoryDashes = {":", "--"};

template <std::size_t kSize>
std::string pick(const std::array<const char*, kSize>& styles, std::size_t index) {
  return styles[index % kSize];
}

// One number decides a curve's look, unless there are several metrics: then colour says series and dashes say metric.
struct Style {
  std::string color, marker, dash, hatch;
};

Style style_of(const StyledCurve& styled, std::size_t index, bool several_metrics) {
  if (styled.curve.theory) return {"#555555", "", pick(kTheoryDashes, styled.series_index), ""};
  return {pick(kColors, styled.series_index), pick(kMarkers, index),
          pick(kDashes, several_metrics ? styled.metric_index : styled.series_index), pick(kHatches, index)};
}

constexpr std::size_t kWidth = 500;  // hundredths of an inch
constexpr std::size_t kHeight = 340;
constexpr int kDpi = 150;
constexpr double kAxesLeft = 0.14, kAxesRight = 0.97;
constexpr double kLegendPoints = 7.5;
constexpr std::size_t kInsideAtMost = 6;

void set_look() {
  // Without a date in the file, the same rows give the same SVG.
  setenv("SOURCE_DATE_EPOCH", "0", 0);
  plt::backend("Agg");
  plt::rcparams({{"font.size", "9"},
                 {"font.family", "DejaVu Sans"},
                 {"axes.titlesize", "9.5"},
                 {"axes.labelsize", "9"},
                 {"axes.spines.top", "False"},
                 {"axes.spines.right", "False"},
                 {"axes.linewidth", "0.8"},
                 {"axes.axisbelow", "True"},
                 {"axes.formatter.useoffset", "False"},
                 {"axes.formatter.limits", "-4, 6"},
                 {"axes.formatter.use_mathtext", "True"},
                 {"grid.color", "#DDDDDD"},
                 {"grid.linewidth", "0.6"},
                 {"lines.linewidth", "1.3"},
                 {"lines.markersize", "4.5"},
                 {"lines.markeredgewidth", "0.9"},
                 {"hatch.linewidth", "0.5"},
                 {"figure.subplot.left", std::to_string(kAxesLeft)},
                 {"figure.subplot.right", std::to_string(kAxesRight)},
                 {"figure.subplot.bottom", "0.15"},
                 {"figure.subplot.top", "0.91"},
                 {"legend.fontsize", std::to_string(kLegendPoints)},
                 {"legend.framealpha", "0.85"},
                 {"legend.edgecolor", "#CCCCCC"},
                 {"legend.handlelength", "2.6"},
                 {"legend.labelspacing", "0.35"},
                 {"legend.numpoints", "1"},
                 {"savefig.bbox", "tight"},
                 {"savefig.pad_inches", "0.04"},
                 {"svg.hashsalt", "bloomery"}});
}

// Many names, or any beside bars, would cover what is drawn, so they go to the right of the axes. Upstream takes no
// anchor for a legend; a padding as wide as the axes has the same effect.
void draw_legend(std::size_t entries, bool bars) {
  if (entries <= 1) return;
  const bool outside = bars || entries > kInsideAtMost;
  const double axes_points = static_cast<double>(kWidth) / 100 * (kAxesRight - kAxesLeft) * 72;
  plt::rcparams({{"legend.borderaxespad", outside ? std::to_string(axes_points / kLegendPoints + 1) : "0.5"},
                 {"legend.frameon", outside ? "False" : "True"}});
  plt::legend({{"loc", outside ? "center left" : "best"}});
}

// Upstream reports some failures by its result instead of an exception.
void require(bool drawn, const char* what) {
  if (!drawn) throw std::runtime_error(std::string("matplotlib could not draw ") + what);
}

void draw_line(const std::vector<double>& x, const std::vector<double>& y, const Keywords& keywords) {
  require(plt::plot(x, y, keywords), "a curve");
}

// ---------------------------------------------------------------------------------------------------------------------
// One figure.

struct Bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

class Figure {
 public:
  Figure(const FigureSpec& spec, const Experiment& experiment, const std::vector<Row>& rows)
      : spec_(spec), experiment_(experiment), rows_(rows), curves_(styled_curves(spec, experiment, rows)),
        ylabel_(y_label(spec)), log_x_(spec.xscale == "log"), log_y_(spec.yscale == "log") {
    place_values();
    several_metrics_ = spec.y.size() > 1 && spec.x != "series";
  }

  void draw() {
    plt::figure_size(kWidth, kHeight);
    set_scales();
    plt::grid(true);
    bars() ? draw_bars() : draw_lines();
    draw_published();
    finish_axes();
    draw_legend(entries_, bars());
  }

 private:
  bool bars() const { return spec_.kind == "bar"; }

  // Categories stand at 0, 1, 2, ...; bars of one category side by side, one apart, because upstream's bars have a
  // fixed width of 0.8.
  double group_width() const { return bars() ? static_cast<double>(measured_) + 0.8 : 1; }

  void place_values() {
    std::set<std::string> seen;
    std::vector<std::string> values;
    for (const StyledCurve& styled : curves_) {
      measured_ += styled.curve.theory ? 0 : 1;
      for (const std::string& value : styled.curve.x) {
        if (seen.insert(value).second) values.push_back(value);
      }
    }
    XOrder(spec_.x, experiment_, series_of(spec_, experiment_), rows_of(spec_, rows_)).sort(values);
    numeric_ = !bars() && std::all_of(values.begin(), values.end(), [](const auto& v) { return to_number(v); });
    log_x_ = log_x_ && numeric_;
    values_ = values;
  }

  std::optional<double> position(const std::string& value) const {
    if (numeric_) {
      const auto number = to_number(value);
      return number && (!log_x_ || *number > 0) ? number : std::nullopt;
    }
    const auto found =
        std::find_if(values_.begin(), values_.end(), [&](const std::string& v) { return same_value(v, value); });
    if (found == values_.end()) return std::nullopt;
    return static_cast<double>(found - values_.begin()) * group_width();
  }

  double bar_offset(std::size_t index) const {
    return static_cast<double>(index) - (static_cast<double>(measured_) - 1) / 2;
  }

  bool drawable(double y) const { return std::isfinite(y) && (!log_y_ || y > 0); }

  // The scales are set with an empty curve, since the functions that set them take no keywords upstream.
  void set_scales() const {
    const std::vector<double> none;
    if (log_x_ && log_y_) {
      require(plt::loglog(none, none, ""), "logarithmic axes");
    } else if (log_x_) {
      require(plt::semilogx(none, none, ""), "a logarithmic axis");
    } else if (log_y_) {
      require(plt::semilogy(none, none, ""), "a logarithmic axis");
    }
  }

  void draw_lines() {
    std::size_t index = 0;
    for (const StyledCurve& styled : curves_) {
      const Style style = style_of(styled, index++, several_metrics_);
      std::vector<double> x, y;
      points_of(styled.curve, 0, x, y);
      Keywords keywords = {{"color", style.color}, {"linestyle", style.dash}, {"label", label_of(styled)}};
      if (!styled.curve.theory) keywords["marker"] = style.marker;
      if (styled.curve.theory) keywords["linewidth"] = "1.1";
      draw_line(x, y, keywords);
      ++entries_;
      for (const double value : y) bounds_.add(value);
    }
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      draw_intervals(curves_[i].curve, 0, style_of(curves_[i], i, several_metrics_).color);
    }
  }

  void draw_bars() {
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      const StyledCurve& styled = curves_[i];
      const Style style = style_of(styled, i, several_metrics_);
      const double offset = styled.curve.theory ? 0 : bar_offset(i);
      std::vector<double> x, y;
      points_of(styled.curve, offset, x, y);
      if (styled.curve.theory) {
        draw_line(x, y, {{"color", style.color}, {"linestyle", style.dash}, {"label", label_of(styled)}});
      } else {
        const Keywords look = {{"facecolor", bar_color(styled)}, {"hatch", style.hatch}, {"label", label_of(styled)}};
        require(plt::bar(x, y, "#333333", "-", 0.7, look), "bars");
      }
      ++entries_;
      for (const double value : y) bounds_.add(value);
    }
    for (std::size_t i = 0; i < curves_.size(); ++i) draw_intervals(curves_[i].curve, bar_offset(i), "#333333");
  }

  // Hatches are black: on a black bar they would not show.
  static std::string bar_color(const StyledCurve& styled) {
    const std::string color = pick(kColors, styled.series_index);
    return color == "#000000" ? "#F5F5F5" : color;
  }

  void points_of(const Curve& curve, double offset, std::vector<double>& x, std::vector<double>& y) const {
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const auto at = position(curve.x[i]);
      if (!at || !drawable(curve.y[i].median)) continue;
      x.push_back(*at + offset);
      y.push_back(curve.y[i].median);
    }
  }

  // Upstream's errorbar knows only bars of equal length up and down, which a bootstrap interval has not; and its
  // numbers cannot be styled. So an interval is a line between two dashes, and a gap (NaN) parts it from the next.
  void draw_intervals(const Curve& curve, double offset, const std::string& color) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const auto at = position(curve.x[i]);
      const Summary& value = curve.y[i];
      if (!at || !drawable(value.low) || !drawable(value.high) || !visible(value)) continue;
      x.insert(x.end(), {*at + offset, *at + offset, kNan});
      y.insert(y.end(), {value.low, value.high, kNan});
      bounds_.add(value.low);
      bounds_.add(value.high);
    }
    if (x.empty()) return;
    draw_line(x, y, {{"color", color}, {"marker", "_"}, {"markersize", "6"}, {"linewidth", "1"}, {"linestyle", "-"}});
  }

  // An interval shorter than a hundredth of the axis would only blur the marker.
  bool visible(const Summary& value) const {
    if (!(value.high > value.low)) return false;
    if (log_y_) return std::log(value.high / value.low) > 0.01 * std::log(std::max(bounds_.high / bounds_.low, 10.0));
    return value.high - value.low > 0.01 * std::max(bounds_.high, 0.0);
  }

  std::string label_of(const StyledCurve& styled) const { return legend_text(legend_name(styled.curve, ylabel_)); }

  void draw_published() {
    bool any = false;
    for (const Published& published : experiment_.published) {
      for (std::size_t i = 0; i < curves_.size(); ++i) any = draw_published_on(published, i) || any;
    }
    if (!any) return;
    const std::vector<double> none;
    draw_line(none, none, hollow("#000000", "published"));
    ++entries_;
  }

  bool draw_published_on(const Published& published, std::size_t index) {
    const StyledCurve& styled = curves_[index];
    const bool over_series = spec_.x == "series";
    if (styled.curve.theory || styled.metric != published.metric) return false;
    if (!over_series && styled.series != published.series) return false;
    const auto at = published.at.find(spec_.x);
    if (!over_series && at == published.at.end()) return false;
    const auto x = position(over_series ? published.series : at->second);
    if (!x || !drawable(published.value) || !comparable(published)) return false;
    const double offset = bars() ? bar_offset(index) : 0;
    draw_line({*x + offset}, {published.value}, hollow(bars() ? "#000000" : pick(kColors, styled.series_index), ""));
    bounds_.add(published.value);
    return true;
  }

  // A published number belongs here if this figure has rows with its settings, at any x: a quick run has not every x
  // of the paper.
  bool comparable(const Published& published) const {
    std::map<std::string, std::string> others = published.at;
    others.erase(spec_.x);
    others["series"] = published.series;
    const std::vector<const Row*> rows = rows_of(spec_, rows_);
    return std::any_of(rows.begin(), rows.end(), [&](const Row* row) { return matches(*row, others); });
  }

  Keywords hollow(const std::string& color, const std::string& label) const {
    Keywords keywords = {{"linestyle", "none"}, {"marker", bars() ? "D" : "o"}, {"markersize", bars() ? "5.5" : "8.5"},
                         {"markeredgecolor", color}, {"markerfacecolor", bars() ? "white" : "none"}};
    if (!label.empty()) keywords["label"] = label;
    return keywords;
  }

  void finish_axes() {
    if (numeric_) {
      set_numeric_ticks();
    } else {
      set_categories();
    }
    // From zero, so that the eye compares lengths that mean something.
    if (!log_y_ && bounds_.low >= 0 && bounds_.high > 0) plt::ylim(0.0, bounds_.high * 1.08);
    const std::string label = axis_label(spec_.x);
    if (!label.empty()) plt::xlabel(plain_text(label));
    plt::ylabel(plain_text(ylabel_.empty() && spec_.y.size() == 1 ? spec_.y.front() : ylabel_));
    if (!spec_.title.empty()) plt::title(plain_text(spec_.title));
  }

  // Few values that are well apart are marked themselves.
  void set_numeric_ticks() const {
    if (log_x_ || values_.size() > 9 || values_.size() < 2) return;
    std::vector<double> ticks;
    for (const std::string& value : values_) ticks.push_back(*to_number(value));
    double gap = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < ticks.size(); ++i) gap = std::min(gap, ticks[i] - ticks[i - 1]);
    if ((ticks.back() - ticks.front()) / gap <= 14) plt::xticks(ticks, values_);
  }

  void set_categories() const {
    std::vector<double> ticks;
    std::vector<std::string> labels;
    for (const std::string& value : values_) {
      ticks.push_back(*position(value));
      labels.push_back(plain_text(value));
    }
    plt::xticks(ticks, labels);
    const double margin = group_width() / 2 + (bars() ? 0.2 : 0);
    plt::xlim(ticks.front() - margin, ticks.back() + margin);
  }

  const FigureSpec& spec_;
  const Experiment& experiment_;
  const std::vector<Row>& rows_;
  std::vector<StyledCurve> curves_;
  std::string ylabel_;
  bool log_x_, log_y_;
  bool numeric_ = true;
  bool several_metrics_ = false;
  std::vector<std::string> values_;  // of the x axis
  std::size_t measured_ = 0;         // curves that are not theory
  std::size_t entries_ = 0;          // of the legend
  Bounds bounds_;
};

// Closes the figure whatever happens, or pyplot would keep it and draw the next one over it.
class OpenFigure {
 public:
  OpenFigure() = default;
  OpenFigure(const OpenFigure&) = delete;
  OpenFigure& operator=(const OpenFigure&) = delete;
  ~OpenFigure() {
    try {
      plt::close();
    } catch (const std::exception&) {  // the error that led here is the one to report
    }
  }
};

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError("cannot create " + folder.string() + ": " + error.message());
}

void save(const std::filesystem::path& file) {
  try {
    plt::save(file.string(), kDpi);
  } catch (const std::runtime_error& error) {
    throw IoError("cannot write " + file.string() + ": " + error.what());
  }
}

}  // namespace

std::vector<Curve> curves_of(const FigureSpec& figure, const Experiment& experiment, const std::vector<Row>& rows) {
  std::vector<Curve> curves;
  for (StyledCurve& styled : styled_curves(figure, experiment, rows)) curves.push_back(std::move(styled.curve));
  return curves;
}

std::vector<std::filesystem::path> draw_figures(const Experiment& experiment, const std::vector<Row>& rows,
                                                const std::filesystem::path& folder, const std::string& only) {
  std::vector<std::filesystem::path> written;
  for (const FigureSpec& spec : experiment.figures) {
    if (!only.empty() && spec.id != only) continue;
    Figure figure(spec, experiment, rows);  // throws before anything is drawn or written
    make_folder(folder);
    set_look();
    const OpenFigure open;
    figure.draw();
    for (const char* extension : {".svg", ".png"}) {
      written.push_back(folder / (spec.id + extension));
      save(written.back());
    }
  }
  return written;
}

}  // namespace bloomery
