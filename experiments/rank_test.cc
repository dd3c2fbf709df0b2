#include "experiments/rank_test.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace bloomery {
namespace {

using Ranks = std::vector<std::size_t>;  // twice the rank, so that the mean rank of a tie is whole

constexpr std::size_t kExact = 40;

Ranks doubled_ranks(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  Ranks ranks;
  for (const double value : values) {
    const auto [first, last] = std::ranges::equal_range(sorted, value);
    ranks.push_back(static_cast<std::size_t>((first - sorted.begin()) + (last - sorted.begin())) + 1);
  }
  return ranks;
}

// ways[sum]: how many choices of `chosen` of the ranks have this sum.
std::vector<double> choices_by_sum(const Ranks& ranks, std::size_t chosen) {
  const std::size_t most = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(most + 1, 0));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t taken = chosen; taken > 0; --taken) {
      for (std::size_t sum = most; sum >= rank; --sum) ways[taken][sum] += ways[taken - 1][sum - rank];
    }
  }
  return ways[chosen];
}

double exact_p(const Ranks& ranks, std::size_t chosen, std::size_t sum) {
  const std::vector<double> ways = choices_by_sum(ranks, chosen);
  const auto end = ways.begin() + static_cast<std::ptrdiff_t>(sum + 1);
  return std::accumulate(ways.begin(), end, 0.0) / std::accumulate(ways.begin(), ways.end(), 0.0);
}

double normal_p(const Ranks& ranks, std::size_t chosen, std::size_t sum) {
  const auto n = static_cast<double>(chosen), all = static_cast<double>(ranks.size());
  const double mean_rank = std::accumulate(ranks.begin(), ranks.end(), 0.0) / all;
  double squares = 0;
  for (const std::size_t rank : ranks) squares += std::pow(static_cast<double>(rank) - mean_rank, 2);
  const double deviation = std::sqrt(n * (all - n) / (all * (all - 1)) * squares);
  if (deviation == 0) return 1;
  return 0.5 * std::erfc(-(static_cast<double>(sum) + 1 - n * mean_rank) / deviation / std::sqrt(2.0));
}

}  // namespace

double rank_sum_p(const std::vector<double>& low, const std::vector<double>& high) {
  if (low.empty() || high.empty()) return 1;
  std::vector<double> all = low;
  all.insert(all.end(), high.begin(), high.end());
  const Ranks ranks = doubled_ranks(all);
  const auto end = ranks.begin() + static_cast<std::ptrdiff_t>(low.size());
  const std::size_t sum = std::accumulate(ranks.begin(), end, std::size_t{0});
  return all.size() <= kExact ? exact_p(ranks, low.size(), sum) : normal_p(ranks, low.size(), sum);
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> corrected(p.size());
  double before = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    before = std::max(before, std::min(1.0, p[order[i]] * static_cast<double>(p.size() - i)));
    corrected[order[i]] = before;
  }
  return corrected;
}

}  // namespace bloomery
