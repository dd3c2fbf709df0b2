// What theory predicts of filters whose keys fall into blocks.
#ifndef BLOOMERY_STRUCTURES_BLOCK_THEORY_H_
#define BLOOMERY_STRUCTURES_BLOCK_THEORY_H_

#include <algorithm>
#include <cmath>

namespace bloomery {

// The mean of rate(load) over the loads of the blocks that n keys fall into by chance: binomial, with n / blocks keys a
// block on average. Weights are taken relative to the most likely load and end where they no longer matter.
template <class Rate>
double mean_over_block_loads(double n, double blocks, Rate rate) {
  if (blocks <= 1) return rate(n);
  constexpr double kNegligible = 1e-20;
  const double odds = 1 / (blocks - 1), mode = std::min(n, std::floor((n + 1) / blocks));
  double sum = rate(mode), weights = 1, weight = 1;
  for (double load = mode; load < n && weight > kNegligible; ++load) {
    weight *= (n - load) / (load + 1) * odds;
    weights += weight;
    sum += weight * rate(load + 1);
  }
  weight = 1;
  for (double load = mode; load > 0 && weight > kNegligible; --load) {
    weight *= load / (n - load + 1) / odds;
    weights += weight;
    sum += weight * rate(load - 1);
  }
  return sum / weights;
}

// False positive probability of one block of so many bits that holds `load` keys. The mean of fill^k, not the fill's
// mean to the power k: in blocks as small as a cache line the fill varies enough to matter, so the second-order term is
// kept, with the exact variance of occupancy. Positions that fall on one of the `head` bits are left out, and so count
// as set.
inline double block_false_positive_rate(double bits, double k, double load, double head = 0) {
  if (load <= 0) return 0;
  const double throws = k * load, used = 1 - head / bits;
  const double empty = std::pow(1 - 1 / bits, throws), both_empty = std::pow(1 - 2 / bits, throws);
  const double fill = 1 - used * empty;
  const double variance = used * std::max(0.0, empty / bits + (used - 1 / bits) * both_empty - used * empty * empty);
  return std::min(1.0, std::pow(fill, k) + k * (k - 1) / 2 * std::pow(fill, k - 2) * variance);
}

// Kaler, section 4: the key's block is chosen by chance, so its load is binomial.
inline double blocked_false_positive_rate(double blocks, double block_bits, double k, double n) {
  return mean_over_block_loads(n, blocks,
                               [&](double load) { return block_false_positive_rate(block_bits, k, load); });
}

// Kaler, section 4, the ideal case: as many keys in every block, but for one where n is no multiple of the blocks.
inline double balanced_false_positive_rate(double blocks, double block_bits, double k, double n) {
  const double low = std::floor(n / blocks), with_one_more = n / blocks - low;
  return (1 - with_one_more) * block_false_positive_rate(block_bits, k, low) +
         with_one_more * block_false_positive_rate(block_bits, k, low + 1);
}

// Blocks of `lanes` lanes; a key sets one bit in each lane of its block. The lanes of a block are independent.
inline double split_block_false_positive_rate(double blocks, double lanes, double lane_bits, double n) {
  return mean_over_block_loads(n, blocks, [&](double load) {
    return std::pow(1 - std::pow(1 - 1 / lane_bits, load), lanes);
  });
}

// The least number, to one in a million, at which a falling rate is no longer above rho; no more than `most`.
template <class Rate>
double least_for_rate(double rho, double most, Rate rate) {
  double low = 0, high = 1;
  while (high < most && rate(high) > rho) {
    low = high;
    high *= 2;
  }
  while (high - low > high * 1e-6) {
    const double middle = (low + high) / 2;
    (rate(middle) > rho ? low : high) = middle;
  }
  return std::min(high, most);
}

// Blocks that take no more than `capacity` keys: a query that meets a full one goes on to the next level, and `next` is
// the rate there.
template <class Rate>
double overflow_false_positive_rate(double n, double blocks, double capacity, double next, Rate rate) {
  const double full = rate(capacity), of_full = full + (1 - full) * next;
  return mean_over_block_loads(n, blocks, [&](double load) { return load < capacity ? rate(load) : of_full; });
}

// Keys that a block gets beyond its capacity: their mean, and the mean of their square.
inline double expected_spill(double n, double blocks, double capacity) {
  return mean_over_block_loads(n, blocks, [&](double load) { return std::max(0.0, load - capacity); });
}
inline double expected_square_of_spill(double n, double blocks, double capacity) {
  return mean_over_block_loads(n, blocks, [&](double load) { return std::pow(std::max(0.0, load - capacity), 2); });
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BLOCK_THEORY_H_
