#include "experiments/stats.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>

namespace bloomery {
namespace {

constexpr std::size_t kResamples = 1000;
constexpr std::size_t kTail = kResamples / 40;  // 2.5 % on either side

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<double> resampled_medians(const std::vector<double>& values) {
  // A fixed seed and no std::distribution, whose results differ between libraries: the same rows give the same figure
  // everywhere. The bias of the modulo is below 1e-15 for any number of repetitions we could run.
  std::mt19937_64 random(20090301);
  std::vector<double> sample(values.size());
  std::vector<double> medians(kResamples);
  for (double& median : medians) {
    for (double& value : sample) value = values[random() % values.size()];
    median = median_of(sample);
  }
  std::sort(medians.begin(), medians.end());
  return medians;
}

}  // namespace

Summary share_of(const Trials& trials) {
  if (!(trials.of > 0)) throw std::invalid_argument("a share needs at least one trial");
  constexpr double kZ = 1.959963984540054;  // of the normal distribution, 2.5 % on either side
  const double n = trials.of, share = trials.successes / n, slack = kZ * kZ / n;
  const double middle = (share + slack / 2) / (1 + slack);
  const double half = kZ * std::sqrt(share * (1 - share) / n + slack / (4 * n)) / (1 + slack);
  const double low = trials.successes == 0 ? 0 : middle - half;  // free of rounding at either end
  const double high = trials.successes == n ? 1 : middle + half;
  return {.median = share, .low = low, .high = high, .count = 1};
}

Summary summarize(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("summarize needs at least one value");
  std::sort(values.begin(), values.end());  // the order of the rows must not matter to the resampling
  Summary summary;
  summary.count = static_cast<int>(values.size());
  const std::vector<double> sorted = values;
  summary.median = median_of(values);
  summary.low = summary.high = summary.median;
  if (sorted.front() == sorted.back()) return summary;
  const std::vector<double> medians = resampled_medians(sorted);
  summary.low = medians[kTail];
  summary.high = medians[kResamples - 1 - kTail];
  return summary;
}

}  // namespace bloomery
