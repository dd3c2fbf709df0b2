#include "experiments/claim_statistics.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace bloomery {
namespace {

constexpr std::size_t kDraws = 1000;
constexpr std::size_t kTail = kDraws / 40;  // 2.5 % on either side
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Splitmix: a generator that costs nothing to start, the same on every machine.
class Random {
 public:
  Random(std::uint64_t a, std::uint64_t b) : state_(a * 0x9E3779B97F4A7C15 ^ (b + 0xD1B54A32D192ED03)) { next(); }

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

 private:
  std::uint64_t state_;
};

// Marsaglia and Tsang's method, for shapes from 1/2.
double gamma(double shape, Random& random) {
  if (shape < 1) return gamma(shape + 1, random) * std::pow(random.uniform(), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal();
    const double v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log(random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// The 97.5 % quantile of Student's t.
double student(int degrees) {
  constexpr std::array<double, 20> kTable = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                             2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
  return degrees <= 20 ? kTable.at(static_cast<std::size_t>(degrees) - 1) : 1.96 + 2.5 / degrees;
}

// By how much the percentiles of a bootstrap of so few are too narrow.
double widening(int repetitions) {
  if (repetitions == 0) return 1;
  return student(repetitions - 1) / 1.96 * std::sqrt(repetitions / (repetitions - 1.0));
}

const std::vector<Draw>& draws() {
  static const std::vector<Draw> all = [] {
    std::vector<Draw> made;
    for (std::uint64_t i = 1; i <= kDraws; ++i) made.emplace_back(i);
    return made;
  }();
  return all;
}

struct Line {
  double slope = 0, residual = 0;
};

Line fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  const auto size = static_cast<Eigen::Index>(x.size());
  Eigen::MatrixXd columns(size, 2);
  columns.col(0).setOnes();
  columns.col(1) = Eigen::Map<const Eigen::VectorXd>(x.data(), size);
  const Eigen::Map<const Eigen::VectorXd> values(y.data(), size);
  const Eigen::VectorXd solution = columns.colPivHouseholderQr().solve(values);
  return {solution(1), (columns * solution - values).squaredNorm()};
}

}  // namespace

const std::vector<std::size_t>& Draw::picks(std::size_t count) const {
  std::vector<std::size_t>& picked = picks_[count];
  if (!picked.empty()) return picked;
  Random random(number_, count);
  for (std::size_t i = 0; i < count; ++i) picked.push_back(is_estimate() ? i : random.next() % count);
  return picked;
}

double Draw::count_again(double count, std::uint64_t source) const {
  if (is_estimate()) return count;
  Random random(number_, source);
  return gamma(count + 0.5, random);  // what the rate may be after so many events, by Jeffreys' prior
}

double median_at(const std::vector<Observation>& observations, const Draw& draw) {
  std::vector<double> values;
  for (const std::size_t pick : draw.picks(observations.size())) {
    const Observation& o = observations[pick];
    values.push_back(o.events < 0 ? o.value : draw.count_again(o.events, o.source) / o.trials);
  }
  return median_of(std::move(values));
}

Interval interval_of(const std::function<double(const Draw&)>& statistic, int repetitions) {
  Interval result;
  result.estimate = statistic(Draw(0));
  result.low = -kInfinity, result.high = kInfinity;
  if (repetitions == 1) return result;
  std::vector<double> values;
  for (const Draw& draw : draws()) values.push_back(statistic(draw));
  if (!std::isfinite(result.estimate) || std::ranges::any_of(values, [](double v) { return std::isnan(v); }))
    return result;
  std::ranges::sort(values);
  const double wider = widening(repetitions);
  result.low = result.estimate - wider * std::max(0.0, result.estimate - values[kTail]);
  result.high = result.estimate + wider * std::max(0.0, values[kDraws - 1 - kTail] - result.estimate);
  return result;
}

double residual_of_line(const std::vector<double>& x, const std::vector<double>& y) { return fit_line(x, y).residual; }
double slope_of_line(const std::vector<double>& x, const std::vector<double>& y) { return fit_line(x, y).slope; }

}  // namespace bloomery
