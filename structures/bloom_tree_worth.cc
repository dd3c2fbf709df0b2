// What a tree is worth: fills, posteriors, and its size when it is sent.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "structures/bit_windows.h"
#include "structures/bloom_tree.h"

namespace bloomery {
namespace {

double power(double fill, std::uint64_t k) { return std::pow(fill, static_cast<double>(k)); }

// Of a filter of m bits with 0, 1 ... m of them set: how likely it says yes to any key.
std::vector<double> rates_of_filters(std::uint64_t m, std::uint64_t k) {
  std::vector<double> rates;
  for (std::uint64_t ones = 0; ones <= m; ++ones)
    rates.push_back(power(static_cast<double>(ones) / static_cast<double>(m), k));
  return rates;
}

}  // namespace

// Calls visit(level, filter) for every filter that the key visits, each once; filters count within their level.
template <class Visit>
void BloomTree::visit_filters(Key key, const Visit& visit) const {
  visit(std::size_t{0}, std::uint64_t{0});
  with_hashes(shape_, [&](auto kind) {
    const decltype(kind) hashes(mix64(key ^ shape_.seed));
    std::vector<std::uint64_t> different(branches());
    for (std::uint64_t j = 0; j < branches(); ++j) different[j] = shape_.branch(hashes, j);
    std::ranges::sort(different);
    different.erase(std::unique(different.begin(), different.end()), different.end());
    for (std::uint64_t branch : different) {
      walk(shape_, hashes, branch, [&](std::size_t level, std::uint64_t place, Word) {
        visit(level, (branch >> shape_.folds) * shape_.levels[level].siblings + place);
        return true;
      });
    }
  });
}

std::uint64_t BloomTree::ones_of(std::size_t level, std::uint64_t filter) const {
  const std::uint64_t m = filter_bits(level);
  return count_ones_between(bits(), shape_.levels[level].first_bit + filter * m, m);
}

double BloomTree::fill_of(std::size_t level, std::uint64_t filter) const {
  return static_cast<double>(ones_of(level, filter)) / static_cast<double>(filter_bits(level));
}

double BloomTree::fill(std::size_t level) const {
  const BitStretch all = stretch(level);
  return static_cast<double>(count_ones_between(bits(), all.first, all.bits)) / static_cast<double>(all.bits);
}

std::vector<double> BloomTree::fills(std::size_t level) const {
  std::vector<double> result(filters(level));
  for (std::uint64_t f = 0; f < result.size(); ++f) result[f] = fill_of(level, f);
  return result;
}

std::vector<std::uint32_t> BloomTree::keys_a_filter(std::size_t level, Keys keys) const {
  std::vector<std::uint32_t> counts(filters(level));
  for (Key key : keys) {
    visit_filters(key, [&](std::size_t at, std::uint64_t filter) {
      if (at == level) ++counts[filter];
    });
  }
  return counts;
}

std::vector<double> BloomTree::posterior_rates(Keys keys, std::optional<std::size_t> level) const {
  const double root = power(fill(0), branches());
  std::vector<std::vector<double>> by_ones(depth());
  for (std::size_t at = 1; at < depth(); ++at) by_ones[at] = rates_of_filters(filter_bits(at), shape_.levels[at].k);
  std::vector<double> rates(keys.size(), 1);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    visit_filters(keys[i], [&](std::size_t at, std::uint64_t filter) {
      if (level && at != *level) return;
      rates[i] *= at == 0 ? root : by_ones[at][ones_of(at, filter)];
    });
  }
  return rates;
}

BloomTree::GeometricMean BloomTree::geometric_mean_rate(Keys keys) const {
  GeometricMean mean;
  double logarithms = 0;
  for (double rate : posterior_rates(keys)) {
    mean.zeros += rate == 0;
    if (rate != 0) logarithms += std::log(rate);
  }
  const std::size_t counted = keys.size() - mean.zeros;
  mean.rate = counted == 0 ? 0 : std::exp(logarithms / static_cast<double>(counted));
  return mean;
}

double BloomTree::expected_false_positive_rate(Keys keys) const {
  const std::vector<double> rates = posterior_rates(keys, depth() - 1);
  return std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
}

// A query that is told yes has been through all filters of the key.
Worth BloomTree::worth(Keys sample) const {
  const GeometricMean mean = geometric_mean_rate(sample);
  double hashes = 0, filters = 1;
  for (const TreeLevel& level : shape_.levels) hashes += filters *= static_cast<double>(level.k);
  return {.geometric_rate = mean.rate,
          .zero_share = static_cast<double>(mean.zeros) / static_cast<double>(sample.size()),
          .expected_rate = expected_false_positive_rate(sample),
          .array_bits = size_in_bits(),
          .sent_bits = compressed_bits(),
          .hashes = hashes};
}

// --- to be sent ------------------------------------------------------------------------------------------------------

PackedShape BloomTree::packed_shape() const {
  PackedShape packed{.numbers = {kPackedTree, shape_.independent, shape_.seed, shape_.part, shape_.folds},
                     .stretch_bits = {}};
  for (std::size_t level = 0; level < depth(); ++level) {
    packed.numbers.push_back(shape_.levels[level].m);
    packed.numbers.push_back(shape_.levels[level].k);
    packed.stretch_bits.push_back(shape_.bits(level));
  }
  return packed;
}

Bytes BloomTree::save() const { return pack_filter(packed_shape(), bits()); }

void BloomTree::load(ByteView bytes) {
  expect_without_counters("loaded: counters are not sent");
  const std::vector<Word> words = unpack_filter(packed_shape(), bytes);
  if (const std::string problem = broken_link(words.data()); !problem.empty()) throw PackedFilterError(problem);
  std::ranges::copy(words, bits());
}

std::uint64_t BloomTree::compressed_bits() const { return coded_bits(packed_shape(), bits()); }

std::uint64_t BloomTree::zstd_bits() const { return bloomery::zstd_bits(packed_shape(), bits()); }

FilterwiseCode BloomTree::code_filterwise(std::size_t level) const {
  return encode_filterwise(bits(), stretch(level), filter_bits(level));
}

}  // namespace bloomery
