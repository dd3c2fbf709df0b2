#include "experiments/picture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/curves.h"
#include "experiments/legend.h"
#include "experiments/numbers.h"

namespace bloomery {
namespace {

constexpr const char* kInk = "#333333";

// Values of the x axis and where they stand: numbers at themselves; categories in a row, each as wide as its bars.
class Places {
 public:
  Places(std::vector<std::string> values, bool bars, bool log, std::size_t bars_each)
      : values_(std::move(values)), bars_(bars), bars_each_(static_cast<double>(bars_each)) {
    numeric_ = !bars && std::all_of(values_.begin(), values_.end(), [](const auto& v) { return parse_real(v); });
    log_ = log && numeric_;
  }

  // A value without rows. An axis of numbers has a place for it.
  void add(const std::string& value) {
    const auto same = [&](const std::string& v) { return same_value(v, value); };
    if (!numeric_ || !at(value) || std::any_of(values_.begin(), values_.end(), same)) return;
    const auto next = std::find_if(values_.begin(), values_.end(),
                                   [&](const auto& v) { return *parse_real(v) > *parse_real(value); });
    values_.insert(next, value);
  }

  std::optional<double> at(const std::string& value) const {
    if (numeric_) {
      const auto number = parse_real(value);
      return number && (!log_ || *number > 0) ? number : std::nullopt;
    }
    const auto found =
        std::find_if(values_.begin(), values_.end(), [&](const std::string& v) { return same_value(v, value); });
    if (found == values_.end()) return std::nullopt;
    return static_cast<double>(found - values_.begin()) * group();
  }

  // Of a curve's bar from the middle of its category.
  double bar_offset(std::size_t bar) const { return bars_ ? static_cast<double>(bar) - (bars_each_ - 1) / 2 : 0; }

  Scale scale(const Bounds& bounds) const {
    if (numeric_) return scale_around(bounds, log_);
    const double margin = group() / 2 + (bars_ ? 0.1 : 0);
    return {false, -margin, static_cast<double>(values_.size() - 1) * group() + margin};
  }

  Ticks ticks(const Scale& scale) const {
    if (log_) return log_ticks(scale, values_);
    return numeric_ ? ticks_at_values() : categories(scale);
  }

 private:
  double group() const { return bars_ ? bars_each_ + kBarWidth : 1; }

  // Few values that are well apart are marked themselves.
  Ticks ticks_at_values() const {
    Ticks ticks;
    for (const std::string& value : values_) {
      ticks.at.push_back(*parse_real(value));
      ticks.labels.push_back(readable(value));
    }
    double gap = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < ticks.at.size(); ++i) gap = std::min(gap, ticks.at[i] - ticks.at[i - 1]);
    const bool clear = ticks.at.size() <= 9 && (ticks.at.back() - ticks.at.front()) / gap <= 14;
    return clear ? ticks : Ticks{};
  }

  Ticks categories(const Scale& scale) const {
    Ticks ticks;
    const double room = group() / (scale.high - scale.low) * kAxesWidth;
    for (const std::string& value : values_) {
      ticks.at.push_back(*at(value));
      ticks.labels.push_back(plain_text(wrapped(readable(value), kFontPoints, room)));
    }
    return ticks;
  }

  std::vector<std::string> values_;
  bool bars_;
  double bars_each_;
  bool numeric_ = true;
  bool log_ = false;
};

std::size_t count_measured(const std::vector<Curve>& curves) {
  const auto count = std::count_if(curves.begin(), curves.end(), [](const Curve& curve) { return !curve.theory; });
  return static_cast<std::size_t>(count);
}

bool drawable(double y, bool log) { return std::isfinite(y) && (!log || y > 0); }

class Layout {
 public:
  Layout(const FigureSpec& figure, const Experiment& experiment, const std::vector<Row>& rows)
      : figure_(figure),
        experiment_(experiment),
        bars_(figure.kind == "bar"),
        log_y_(figure.yscale == "log"),
        curves_(curves_of(figure, experiment, rows)),
        published_(published_on(figure, experiment, curves_, rows)),
        places_(x_values(figure, experiment, curves_), bars_, figure.xscale == "log", count_measured(curves_)) {}

  Picture picture() {
    write_words();
    for (std::size_t i = 0; i < curves_.size(); ++i) place_curve(i);
    place_published();
    set_scales();
    for (std::size_t i = 0; i < curves_.size(); ++i) place_intervals(i);
    place_legend();
    picture_.xticks = places_.ticks(picture_.x);
    if (log_y_) picture_.yticks = log_ticks(picture_.y);
    return std::move(picture_);
  }

 private:
  void write_words() {
    picture_.title = figure_.title;
    picture_.xlabel = x_label(figure_);
    picture_.ylabel = y_label(figure_);
  }

  // Theory is a line, across the middles of the categories if there are any.
  bool is_bar(std::size_t curve) const { return bars_ && !curves_[curve].theory; }

  std::optional<double> x_of(std::size_t curve, const std::string& value) const {
    const std::optional<double> middle = places_.at(value);
    return middle && is_bar(curve) ? *middle + places_.bar_offset(curve) : middle;
  }

  void place_curve(std::size_t index) {
    const Curve& curve = curves_[index];
    PlacedCurve placed;
    placed.name = legend_name(curve, picture_.ylabel);
    if (curve.theory && named(placed.name)) placed.name.clear();  // one formula for every series: named once
    placed.look = look_of(curve, figure_, experiment_);
    placed.bars = is_bar(index);
    placed.points = figure_.kind == "points" && !curve.theory;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const auto at = x_of(index, curve.x[i]);
      if (!at || !drawable(curve.y[i].median, log_y_)) continue;
      placed.x.push_back(*at);
      placed.y.push_back(curve.y[i].median);
    }
    picture_.curves.push_back(std::move(placed));
  }

  bool named(const std::string& name) const {
    return std::ranges::find(picture_.curves, name, &PlacedCurve::name) != picture_.curves.end();
  }

  std::size_t source_index(const std::string& source) {
    const std::string name = source == "paper" ? "published" : source;
    auto& sources = picture_.sources;
    const auto found = std::find(sources.begin(), sources.end(), name);
    const auto index = static_cast<std::size_t>(found - sources.begin());
    if (found == sources.end()) sources.push_back(name);
    return index;
  }

  void place_published() {
    for (const PublishedPoint& point : published_) {
      const auto at = x_of(point.curve, point.x);
      if (!at || !drawable(point.value, log_y_)) continue;
      places_.add(point.x);
      const Look& look = picture_.curves[point.curve].look;
      picture_.published.push_back(
          {*at, point.value, source_index(point.source), bars_ ? kInk : look.color, look.marker});
    }
    if (bars_) spread_sources();
    mark_sources();
  }

  // By a shape a source, unless the shape has to tell metrics apart because the colour tells series apart.
  void mark_sources() {
    const bool colors_repeat = figure_.y.size() > 1 && curves_.front().series != curves_.back().series;
    if (!bars_ && colors_repeat && picture_.sources.size() == 1) {
      picture_.sources.front() += " (hollow)";
      return;
    }
    for (PlacedNumber& number : picture_.published) number.marker = hollow_marker(number.source);
  }

  // On a bar, numbers of several sources stand side by side.
  void spread_sources() {
    const double count = static_cast<double>(picture_.sources.size());
    for (PlacedNumber& number : picture_.published) {
      number.x += kBarWidth / count * (static_cast<double>(number.source) - (count - 1) / 2);
    }
  }

  void set_scales() {
    Bounds x, y;
    for (const PlacedCurve& curve : picture_.curves) {
      for (const double value : curve.x) x.add(value);
      for (const double value : curve.y) y.add(value);
    }
    for (const PlacedNumber& number : picture_.published) {
      x.add(number.x);
      y.add(number.y);
    }
    add_intervals(y);
    picture_.x = places_.scale(x);
    picture_.y = scale_of_heights(y, log_y_, bars_);
    if (bars_) picture_.y = picture_.y.grown(0, 1.3 * kSmallPoints / kAxesHeight);  // for the values on them
  }

  // One disturbed repetition must not flatten every curve of a linear axis: an interval may run out of it.
  void add_intervals(Bounds& y) const {
    const double most = log_y_ ? std::numeric_limits<double>::infinity() : 1.4 * y.high;
    for (const Curve& curve : curves_) {
      for (const Summary& value : curve.y) {
        if (drawable(value.low, log_y_)) y.add(value.low);
        if (drawable(value.high, log_y_)) y.add(std::min(value.high, most));
      }
    }
  }

  // An interval shorter than a marker would only blur it.
  void place_intervals(std::size_t index) {
    const Curve& curve = curves_[index];
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const auto at = x_of(index, curve.x[i]);
      const Summary& value = curve.y[i];
      // On a logarithmic axis an interval from zero comes up from below: of a share of which not one was seen.
      const double low = log_y_ ? std::max(value.low, picture_.y.low) : value.low;
      if (!at || !drawable(low, log_y_) || !drawable(value.high, log_y_) || low >= value.high) continue;
      const double length = picture_.y.fraction(value.high) - picture_.y.fraction(low);
      if (length > 0.015) picture_.curves[index].intervals.push_back({*at, low, value.high});
    }
  }

  // Above the bar, its interval and the published numbers on it.
  double top_of_bar(const PlacedCurve& curve, std::size_t bar) const {
    double top = curve.y[bar];
    for (const PlacedInterval& interval : curve.intervals) {
      if (interval.x == curve.x[bar]) top = std::max(top, interval.high);
    }
    constexpr double kHalfMarker = 3.5 / kAxesHeight;
    for (const PlacedNumber& number : picture_.published) {
      const bool here = std::abs(number.x - curve.x[bar]) <= kBarWidth / 2;
      if (here) top = std::max(top, picture_.y.value_at(picture_.y.fraction(number.y) + kHalfMarker));
    }
    constexpr double kGap = 1.5 / kAxesHeight, kText = 1.0 * kSmallPoints / kAxesHeight;
    return picture_.y.value_at(std::min(picture_.y.fraction(top) + kGap, 1 - kText));
  }

  // With as many digits as have room; none if two are too many.
  void place_values() {
    for (const int digits : {3, 2}) {
      if (place_values(digits)) return;
    }
    picture_.values.clear();
  }

  bool place_values(int digits) {
    const double unit = kAxesWidth / (picture_.x.high - picture_.x.low);  // from one bar to the next, in points
    picture_.values.clear();
    for (const PlacedCurve& curve : picture_.curves) {
      for (std::size_t i = 0; curve.bars && i < curve.x.size(); ++i) {
        const std::string text = short_number(curve.y[i], digits);
        const double width = text_width(text, kSmallPoints);
        if (width > unit - 2) return false;
        picture_.values.push_back({curve.x[i] - width / unit / 2, top_of_bar(curve, i), text});
      }
    }
    return true;
  }

  // If no corner is free the y axis may grow to make one, before the legend goes outside.
  void place_legend() {
    std::vector<std::string> names = picture_.sources;
    for (const PlacedCurve& curve : picture_.curves) {
      if (!curve.name.empty()) names.push_back(curve.name);
    }
    picture_.legend = names.size() > 1;
    const Scale tight = picture_.y;
    for (const double growth : {0.0, 0.1, 0.2, 0.3, 0.4, 0.0}) {  // at last as if there were no legend
      picture_.y = tight.grown(0, growth);
      if (bars_) place_values();
      if (!picture_.legend) return;
      picture_.corner = free_corner(names, drawn());
      if (picture_.corner) return;
    }
  }

  // In fractions of the axes.
  std::vector<Segment> drawn() const {
    const Scale &x = picture_.x, &y = picture_.y;
    std::vector<Segment> segments;
    const auto add = [&](double x0, double y0, double x1, double y1) {
      segments.push_back({x.fraction(x0), y.fraction(y0), x.fraction(x1), y.fraction(y1)});
    };
    for (const PlacedCurve& curve : picture_.curves) {
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        const std::size_t before = i == 0 || curve.bars || curve.points ? i : i - 1;
        add(curve.x[before], curve.y[before], curve.x[i], curve.y[i]);
        if (curve.bars) add(curve.x[i] - kBarWidth / 2, curve.y[i], curve.x[i] + kBarWidth / 2, curve.y[i]);
        if (curve.bars) add(curve.x[i], y.low, curve.x[i], curve.y[i]);
      }
      for (const PlacedInterval& interval : curve.intervals) add(interval.x, interval.low, interval.x, interval.high);
    }
    for (const PlacedNumber& number : picture_.published) add(number.x, number.y, number.x, number.y);
    for (const PlacedText& value : picture_.values) {
      const double top = y.value_at(y.fraction(value.y) + kSmallPoints / kAxesHeight);
      add(value.x, top, value.x + kBarWidth, top);
    }
    return segments;
  }

  const FigureSpec& figure_;
  const Experiment& experiment_;
  bool bars_;
  bool log_y_;
  std::vector<Curve> curves_;
  std::vector<PublishedPoint> published_;
  Places places_;
  Picture picture_;
};

}  // namespace

Picture lay_out(const FigureSpec& figure, const Experiment& experiment, const std::vector<Row>& rows) {
  return Layout(figure, experiment, rows).picture();
}

}  // namespace bloomery
