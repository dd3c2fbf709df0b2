#include "structures/blocked_bloom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "structures/block_kernels.h"
#include "structures/block_theory.h"
#include "structures/filter_shape.h"
#include "structures/lookahead.h"
#include "structures/rolling.h"
#include "structures/stripes.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kLeastBytes = sizeof(Word), kMostBytes = 1 << 20;

void expect_reachable(const BlockSizes& sizes, double rate, double rho) {
  if (rate <= rho * 1.01) return;
  throw ParamError("c", fmt::format("c gives, in blocks of {} bytes, a rate of {:.2g}, not the {:g} of rho; leave out "
                                    "one of the two",
                                    sizes.block_bytes, rate, rho));
}

}  // namespace

BlockedBloom::Shape::Shape(Params& params)
    : balanced(params.flag("balanced", false, "the block of key x is x mod b, not one by its hash")) {
  sizes.block_bytes = ask_block_bytes(params, kLeastBytes, kMostBytes);
  const FilterSizes standard(params);
  Params answered = params;  // so that they are not listed twice
  const Wanted wanted(answered);
  const bool sized = params.given("m") || params.given("c"), by_rate = params.given("rho") || !params.given("k");
  k = by_rate && !sized && !params.given("k") ? best_hashes_for(wanted, standard.k) : standard.k;
  const double bits = by_rate && !sized ? bits_for(wanted, k) : static_cast<double>(standard.m);
  const char* name = params.given("m") ? "m" : params.given("c") ? "c" : "n_exp";
  sizes = BlockSizes(name, sizes.block_bytes, bits);
  if (params.given("c") && params.given("rho") && !params.given("k") && !params.given("m")) {
    expect_reachable(sizes, rate(static_cast<double>(sizes.blocks), k, wanted.n_exp), wanted.rho);
  }
}

double BlockedBloom::Shape::rate(double blocks, std::uint64_t hashes, std::uint64_t n) const {
  const auto rate_by = balanced ? balanced_false_positive_rate : blocked_false_positive_rate;
  return rate_by(blocks, static_cast<double>(sizes.block_bits()), static_cast<double>(hashes),
                 static_cast<double>(n));
}

double BlockedBloom::Shape::bits_for(const Wanted& wanted, std::uint64_t hashes) const {
  return bits_for_rate(wanted, sizes.block_bytes, [&](double blocks) { return rate(blocks, hashes, wanted.n_exp); });
}

// Loads that vary make fewer hash functions than the standard filter's the better choice, in small blocks above all.
std::uint64_t BlockedBloom::Shape::best_hashes_for(const Wanted& wanted, std::uint64_t most) const {
  double bits = bits_for(wanted, most);
  for (std::uint64_t hashes = most; hashes > 1; --hashes) {
    const double fewer = bits_for(wanted, hashes - 1);
    if (fewer >= bits) return hashes;
    bits = fewer;
  }
  return 1;
}

BlockedBloom::BlockedBloom(Params& params)
    : shape_(params),
      seed_(ask_mixed_seed(params)),
      atomic_(ask_atomic(params)),
      stripes_(atomic_ && one_line() ? std::make_unique<Stripes>(shape_.sizes.blocks) : nullptr),
      arena_(shape_.sizes.bytes() / sizeof(Word)) {
  arena_.allocate();
}

// The positions of a key in blocks of more than a line, counted from the filter's first bit.
struct BlockedBloom::Source {
  const BlockedBloom& filter;

  std::uint64_t k() const { return filter.shape_.k; }
  void positions(const Key* keys, std::size_t count, std::uint64_t* out) const {
    const std::uint64_t bits = filter.shape_.sizes.block_bits(), hashes = k();
    for (std::size_t i = 0; i < count; ++i) {
      const Place place = filter.place_of(keys[i]);
      PairedProbes probes(place.hash, bits);
      for (std::uint64_t j = 0; j < hashes; ++j) *out++ = place.block * bits + probes.next();
    }
  }
};

template <class Kernel>
void BlockedBloom::insert_lines(const Kernel& kernel, Keys keys) {
  insert_blocks(
      stripes_, keys.size(),
      [&](std::size_t i) {
        const Place place = place_of(keys[i]);
        kernel.fetch(line(place), place.hash);
        return place;
      },
      [](const Place& place) { return place.block; },
      [&](const Place& place) { put_mask(line(place), kernel.mask(place.hash)); });
}

Cost BlockedBloom::insert(SetId, Keys keys) {
  if (one_line()) {
    with_line<0>(shape_.k, [&](auto kernel) { insert_lines(kernel, keys); });
  } else {
    with_policy(atomic_, [&](auto policy) {
      for_positions_ahead(
          Source{*this}, keys, [&](std::uint64_t p) { __builtin_prefetch(bits() + p / 64, 1, 3); },
          [&](std::uint64_t p) { policy.set(bits(), p); });
    });
  }
  return {.filters = 1, .nodes = 1};
}

Cost BlockedBloom::replace(SetId id, Keys keys) {
  std::memset(bits(), 0, shape_.sizes.bytes());
  return insert(id, keys);
}

template <class Kernel>
void BlockedBloom::query_lines(const Kernel& kernel, Keys keys, Matches& out) const {
  Matches::Writer writer(out, keys.size());
  const auto ask = [&](std::size_t i) {
    const Place place = place_of(keys[i]);
    kernel.fetch(line(place), place.hash);
    return place;
  };
  roll(keys.size(), ask, [&](std::size_t i, const Place& place) {
    writer.push(static_cast<std::uint32_t>(i), 0, kernel.test(line(place), place.hash));
  });
}

template <bool kCount>
Cost BlockedBloom::query(Keys keys, Matches& out) const {
  if (one_line()) {
    with_line<0>(shape_.k, [&](auto kernel) { query_lines(kernel, keys, out); });
    if constexpr (!kCount) return {};
    return {.bf_checks = keys.size(), .words = keys.size() * block_words(), .lines = keys.size()};
  }
  std::uint64_t tests = 0;
  look_up(
      Source{*this}, keys, out, [&](std::uint64_t p) { return bits() + p / 64; },
      [&](std::uint64_t p) {
        if constexpr (kCount) ++tests;
        return test_bit(bits(), p);
      });
  if constexpr (!kCount) return {};
  return {.bf_checks = keys.size(), .words = tests, .lines = tests};
}

template Cost BlockedBloom::query<true>(Keys, Matches&) const;
template Cost BlockedBloom::query<false>(Keys, Matches&) const;

Footprint BlockedBloom::footprint() const {
  return {.storage_bytes = shape_.sizes.bytes(), .memory_bytes = arena_.resident_bytes() + bytes_of(stripes_), .nodes = 1};
}

double BlockedBloom::expected_false_positive_rate(std::uint64_t n) const {
  return shape_.rate(static_cast<double>(shape_.sizes.blocks), shape_.k, n);
}

double BlockedBloom::posterior_false_positive_rate() const {
  double sum = 0;
  for (std::uint64_t b = 0; b < shape_.sizes.blocks; ++b) {
    const auto ones = static_cast<double>(count_ones(bits() + b * block_words(), block_words()));
    sum += std::pow(ones / static_cast<double>(shape_.sizes.block_bits()), static_cast<double>(shape_.k));
  }
  return sum / static_cast<double>(shape_.sizes.blocks);
}

BlockLoads BlockedBloom::loads(Keys keys) const {
  std::vector<std::uint64_t> loads(shape_.sizes.blocks);
  for (Key key : keys) ++loads[block_of(key, mix64(key ^ seed_))];
  const auto [least, most] = std::ranges::minmax(loads);
  return {.least = least, .most = most, .mean = static_cast<double>(keys.size()) / static_cast<double>(loads.size())};
}

}  // namespace bloomery
