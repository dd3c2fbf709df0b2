#include "experiments/stats.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>

#include "experiments/ratios.h"

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

// Sorted results of `statistic`, each of a sample of its own that it draws by the number below a bound it is given.
template <class Statistic>
std::vector<double> resampled(Statistic statistic) {
  // A fixed seed and no std::distribution, whose results differ between libraries: the same rows give the same figure
  // everywhere. The bias of the modulo is below 1e-15 for any number of repetitions we could run.
  std::mt19937_64 random(20090301);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  std::vector<double> results(kResamples);
  for (double& result : results) result = statistic(below);
  std::sort(results.begin(), results.end());
  return results;
}

template <class Below>
void draw(const std::vector<double>& values, std::vector<double>& sample, Below& below) {
  for (std::size_t i = 0; i < values.size(); ++i) sample.push_back(values[below(values.size())]);
}

template <class Below>
double drawn_median(const std::vector<double>& values, std::vector<double>& sample, Below& below) {
  sample.clear();
  draw(values, sample, below);
  return median_of(sample);
}

Summary with_interval(double median, std::size_t count, const std::vector<double>& sorted_results) {
  return {median, sorted_results[kTail], sorted_results[kResamples - 1 - kTail], static_cast<int>(count)};
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
  const std::vector<double> sorted = values;
  const double median = median_of(values);
  if (sorted.front() == sorted.back()) return {median, median, median, static_cast<int>(sorted.size())};
  return with_interval(median, sorted.size(),
                       resampled([&](auto& below) { return drawn_median(sorted, values, below); }));
}

Summary summarize_groups(const std::vector<std::vector<double>>& groups) {
  std::vector<double> sample;
  for (const std::vector<double>& group : groups) sample.insert(sample.end(), group.begin(), group.end());
  if (sample.empty()) throw std::invalid_argument("summarize_groups needs at least one value");
  const std::size_t count = sample.size();
  const double median = median_of(sample);
  return with_interval(median, count, resampled([&](auto& below) {
                         sample.clear();
                         for (std::size_t i = 0; i < groups.size(); ++i)
                           draw(groups[below(groups.size())], sample, below);
                         return median_of(sample);
                       }));
}

Summary ratio_of_medians(std::vector<double> a, std::vector<double> b) {
  if (a.empty() || b.empty()) throw std::invalid_argument("ratio_of_medians needs values on either side");
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<double> sample = a;
  const double median_a = median_of(sample);
  sample = b;
  const double ratio = median_of(sample) / median_a;
  return with_interval(ratio, std::min(a.size(), b.size()), resampled([&](auto& below) {
                         const double of_b = drawn_median(b, sample, below);
                         return of_b / drawn_median(a, sample, below);
                       }));
}

}  // namespace bloomery
