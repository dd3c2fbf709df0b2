#include "experiments/claim_evaluator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "experiments/claim_numbers.h"
#include "experiments/claim_plan.h"
#include "experiments/claim_statistics.h"
#include "experiments/numbers.h"

namespace bloomery {
namespace {

using Kind = Expression::Kind;

std::string shown(const Interval& interval) {
  if (interval.low == interval.high) return "";
  if (std::isinf(interval.low)) return "[?, ?]";
  return fmt::format("[{}, {}]", short_text(interval.low), short_text(interval.high));
}

ClaimVerdict opposite(ClaimVerdict verdict) {
  if (verdict == ClaimVerdict::kHolds) return ClaimVerdict::kFails;
  return verdict == ClaimVerdict::kFails ? ClaimVerdict::kHolds : verdict;
}

// Of something that must be above zero, or at least zero.
ClaimVerdict above_zero(const Interval& interval, bool or_equal) {
  if (or_equal ? interval.low >= 0 : interval.low > 0) return ClaimVerdict::kHolds;
  return (or_equal ? interval.high < 0 : interval.high <= 0) ? ClaimVerdict::kFails : ClaimVerdict::kUndecided;
}

ClaimVerdict equal_to_zero(const Interval& interval) {
  if (interval.low == 0 && interval.high == 0) return ClaimVerdict::kHolds;
  return interval.low > 0 || interval.high < 0 ? ClaimVerdict::kFails : ClaimVerdict::kUndecided;
}

std::string why_undecided(int repetitions) {
  return repetitions == 1 ? "one repetition, so its noise is not known" : "the noise is larger than the difference";
}

// One that fails decides, else one that is undecided.
Finding all_of(std::vector<Finding> findings) {
  constexpr std::size_t kShown = 3;
  for (const ClaimVerdict verdict : {ClaimVerdict::kFails, ClaimVerdict::kUndecided}) {
    const auto found = std::ranges::find(findings, verdict, &Finding::verdict);
    if (found != findings.end()) return *found;
  }
  Finding result;
  const auto add = [](std::string& to, const std::string& part) {
    if (!part.empty()) to += (to.empty() ? "" : "; ") + part;
  };
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings.size() > kShown && i == 1) add(result.measured, "...");
    if (findings.size() > kShown && i > 0 && i + 1 < findings.size()) continue;
    add(result.measured, findings[i].measured);
    add(result.interval, findings[i].interval);
  }
  return result;
}

Finding any_of(std::vector<Finding> findings) {
  for (const ClaimVerdict verdict : {ClaimVerdict::kHolds, ClaimVerdict::kUndecided}) {
    const auto found = std::ranges::find(findings, verdict, &Finding::verdict);
    if (found != findings.end()) return *found;
  }
  return findings.back();
}

class Evaluator {
 public:
  Evaluator(const Claim& claim, const Experiment& experiment, const std::vector<Row>* rows)
      : claim_(claim), plan_(experiment), numbers_(claim, plan_, rows), measured_(rows != nullptr) {}

  Finding run() {
    std::vector<Finding> findings;
    at_every(claim_.at, {}, {}, findings);
    Finding result = all_of(std::move(findings));
    result.rows = numbers_.rows_used();
    if (numbers_.missing().empty() && numbers_.unsupported().empty()) return result;
    result.measured = result.interval = "";
    result.verdict = numbers_.missing().empty() ? ClaimVerdict::kNotTestable : ClaimVerdict::kMissing;
    result.reason = numbers_.missing().empty() ? numbers_.unsupported() : numbers_.missing();
    return result;
  }

 private:
  // Each of several values of `at` that no function goes along, in turn. `told`: those of them that were chosen from
  // several.
  void at_every(std::vector<ClaimAt> left, const Point& point, const Point& told, std::vector<Finding>& findings) {
    if (left.empty()) {
      findings.push_back(truth(*claim_.expression, point));
      if (!told.empty()) findings.back().measured = fmt::format("{}: {}", text_of(told), findings.back().measured);
      return;
    }
    const std::string name = left.front().name;
    left.erase(left.begin());
    if (numbers_.is_axis(name)) return at_every(left, point, told, findings);
    const std::vector<std::string> values = numbers_.values_along(name, point, 0);
    for (const std::string& value : values) {
      Point here = point, telling = told;
      here[name] = value;
      if (values.size() > 1) telling[name] = value;
      at_every(left, here, telling, findings);
    }
  }

  Finding truth(const Expression& e, const Point& point) {
    switch (e.kind) {
      case Kind::kComparison:
        return compare(e, point);
      case Kind::kWithin:
        return within(e, point);
      case Kind::kNot: {
        Finding inner = truth(e.parts[0], point);
        inner.verdict = opposite(inner.verdict);
        return inner;
      }
      case Kind::kFunction:
        return function(e, point);
      default: {
        std::vector<Finding> parts;
        for (const Expression& part : e.parts) parts.push_back(truth(part, point));
        return e.kind == Kind::kOr ? any_of(std::move(parts)) : all_of(std::move(parts));
      }
    }
  }

  Interval interval(const std::function<double(const Draw&)>& statistic, int repetitions) const {
    return measured_ && numbers_.complete() ? interval_of(statistic, repetitions) : Interval();
  }

  double estimate(const Number& number) const { return measured_ ? number.value(Draw(0)) : 0; }

  Finding finding(ClaimVerdict verdict, std::string measured, std::string interval, int repetitions) const {
    Finding result{verdict, std::move(measured), std::move(interval), "", 0};
    if (verdict == ClaimVerdict::kUndecided) result.reason = why_undecided(repetitions);
    return result;
  }

  Finding compare(const Expression& e, const Point& point) {
    const Number left = numbers_.number(e.parts[0], point), right = numbers_.number(e.parts[1], point);
    const bool less = e.text.starts_with("<");
    const int repetitions = fewer(left.repetitions, right.repetitions);
    const Interval difference =
        interval([&](const Draw& draw) { return left.value(draw) - right.value(draw); }, repetitions);
    const Interval wanted = less ? Interval{-difference.estimate, -difference.high, -difference.low} : difference;
    const ClaimVerdict verdict = e.text == "==" ? equal_to_zero(difference) : above_zero(wanted, e.text.size() == 2);
    const double a = estimate(left), b = estimate(right);
    // What was found, and not what was claimed, stands between the two.
    const std::string text = fmt::format("{} {} {}", short_text(a), a < b ? "<" : a > b ? ">" : "=", short_text(b));
    return finding(verdict, text, labelled("left - right", difference), repetitions);
  }

  static std::string labelled(const std::string& what, const Interval& interval) {
    const std::string text = shown(interval);
    return text.empty() ? "" : what + " " + text;
  }

  Finding within(const Expression& e, const Point& point) {
    const Number value = numbers_.number(e.parts[0], point), tolerance = numbers_.number(e.parts[1], point),
                 target = numbers_.number(e.parts[2], point);
    const int repetitions = fewer(value.repetitions, target.repetitions);
    const auto off = [&](const Draw& draw) { return value.value(draw) / target.value(draw) - 1; };
    const Interval deviation = interval(off, repetitions);
    const double allowed = estimate(tolerance);
    ClaimVerdict verdict = ClaimVerdict::kUndecided;
    if (deviation.low >= -allowed && deviation.high <= allowed) verdict = ClaimVerdict::kHolds;
    if (deviation.low > allowed || deviation.high < -allowed) verdict = ClaimVerdict::kFails;
    const std::string text = fmt::format("{} against {}, {:+.1f} %", short_text(estimate(value)),
                                         short_text(estimate(target)), 100 * deviation.estimate);
    const Interval percent{100 * deviation.estimate, 100 * deviation.low, 100 * deviation.high};
    return finding(verdict, text, labelled("% off", percent), repetitions);
  }

  // ---- along an axis ----

  Finding function(const Expression& e, const Point& point) {
    if (e.text == "crosses") return crosses(e, point);
    const Along along = numbers_.along(e.parts[0], e.parts[1 + (e.text == "fits")].text, point);
    if (e.text == "fits") return fits(e, along, point);
    const double tolerance = e.parts.size() > 2 ? estimate(numbers_.number(e.parts[2], point)) : 0;
    if (e.text == "constant") return constant(along, tolerance);
    return monotone(along, e.text == "rises" ? 1 : -1, tolerance);
  }

  Finding monotone(const Along& along, int sign, double tolerance) {
    const auto gain = [&](std::size_t from, std::size_t to, double allowed) {
      return interval(
          [&, from, to, allowed](const Draw& draw) {
            const double a = along.values[from](draw), b = along.values[to](draw);
            return sign * (b - a) + allowed * std::abs(a);
          },
          along.repetitions);
    };
    const std::size_t last = along.values.size() - 1;
    const Interval total = gain(0, last, 0);
    ClaimVerdict verdict = above_zero(total, false);
    std::string where;
    for (std::size_t i = 0; i < last && where.empty(); ++i) {
      if (!measured_ || gain(i, i + 1, tolerance).high >= 0) continue;
      verdict = ClaimVerdict::kFails;
      where = fmt::format("; not from {} = {} to {}", along.axis, along.places[i], along.places[i + 1]);
    }
    return finding(verdict, shown_along(along) + where, labelled(sign > 0 ? "last - first" : "first - last", total),
                   along.repetitions);
  }

  Finding constant(const Along& along, double tolerance) {
    const Interval spread = interval(
        [&](const Draw& draw) {
          const std::vector<double> values = along.at(draw);
          const auto [least, greatest] = std::ranges::minmax_element(values);
          return *greatest / *least;
        },
        along.repetitions);
    const Interval room{0, 1 + tolerance - spread.high, 1 + tolerance - spread.low};
    return finding(above_zero(room, true), shown_along(along), labelled("largest / smallest", spread),
                   along.repetitions);
  }

  Finding crosses(const Expression& e, const Point& point) {
    const std::string& axis = e.parts[2].text;
    const Along left = numbers_.along(e.parts[0], axis, point), right = numbers_.along(e.parts[1], axis, point);
    const int repetitions = fewer(left.repetitions, right.repetitions);
    const std::size_t last = left.values.size() - 1;
    const auto over = [&](std::size_t i, int sign) {
      return interval([&, i, sign](const Draw& d) { return sign * (left.values[i](d) - right.values[i](d)); },
                      repetitions);
    };
    const Interval first = over(0, -1), end = over(last, 1);
    const auto text = [&](std::size_t i) {
      const double a = estimate_at(left, i), b = estimate_at(right, i);
      return fmt::format("{} {} {} at {} = {}", short_text(a), a < b ? "<" : ">", short_text(b), axis, left.places[i]);
    };
    std::vector<Finding> both = {
        finding(above_zero(first, false), text(0), labelled("right - left, first", first), repetitions),
        finding(above_zero(end, false), text(last), labelled("left - right, last", end), repetitions)};
    Finding result = all_of(both);
    result.measured = both[0].measured + "; " + both[1].measured;
    return result;
  }

  Finding fits(const Expression& e, const Along& along, const Point& point) {
    const Along model = numbers_.along(e.parts[1], along.axis, point);
    std::vector<double> axis;
    for (const std::string& place : along.places) axis.push_back(parse_real(place).value_or(std::nan("")));
    if (along.places.size() < 3) {
      throw UnplannedError(e.begin, fmt::format("a fit takes at least three values of {}; here are {}", along.axis,
                                                fmt::join(along.places, ", ")));
    }
    // Relative to the values, so that an exact fit of both is no better of one.
    const auto ratio = [&](const Draw& draw) {
      const std::vector<double> y = along.at(draw);
      double scale = 0;
      for (const double value : y) scale += value * value;
      const double none = scale * 1e-18;
      return std::log((residual_of_line(model.at(draw), y) + none) / (residual_of_line(axis, y) + none));
    };
    const Interval log_ratio = interval(ratio, fewer(along.repetitions, model.repetitions));
    const Interval better{-log_ratio.estimate, -log_ratio.high, -log_ratio.low};
    const Interval residuals{std::exp(log_ratio.estimate), std::exp(log_ratio.low), std::exp(log_ratio.high)};
    return finding(
        above_zero(better, false),
        fmt::format("residual {} of a straight line's; {}", short_text(residuals.estimate), shown_along(along)),
        labelled("residual / line's", residuals), along.repetitions);
  }

  double estimate_at(const Along& along, std::size_t i) const { return measured_ ? along.values[i](Draw(0)) : 0; }

  std::string shown_along(const Along& along) const {
    constexpr std::size_t kShown = 8;
    std::vector<std::string> values;
    for (std::size_t i = 0; i < along.values.size(); ++i) {
      if (along.values.size() > kShown && i == kShown / 2) values.emplace_back("...");
      if (along.values.size() > kShown && i >= kShown / 2 && i + kShown / 2 < along.values.size()) continue;
      values.push_back(short_text(estimate_at(along, i)));
    }
    return fmt::format("{} over {} = {} ... {}", fmt::join(values, ", "), along.axis, along.places.front(),
                       along.places.back());
  }

  const Claim& claim_;
  const ClaimPlan plan_;
  ClaimNumbers numbers_;
  const bool measured_;
};

}  // namespace

void expect_planned(const Claim& claim, const Experiment& experiment) { Evaluator(claim, experiment, nullptr).run(); }

Finding evaluate(const Claim& claim, const Experiment& experiment, const std::vector<Row>& rows) {
  return Evaluator(claim, experiment, &rows).run();
}

}  // namespace bloomery
