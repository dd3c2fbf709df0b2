#include "structures/bloom.h"

#include <cmath>
#include <cstring>

namespace bloomery {
namespace {

// Keys hashed together: enough lines in flight to hide memory, few enough positions to stay in L1.
constexpr std::size_t kGroup = 32;

}  // namespace

Bloom::Bloom(Params& params) : shape_(params, "double"), arena_(shape_.words()) { arena_.allocate(); }

Cost Bloom::insert(SetId, Keys keys) {
  const std::uint64_t k = shape_.hasher.k();
  std::uint64_t positions[kGroup * 64];
  with_policy(shape_.atomic, [&](auto policy) {
    for (std::size_t begin = 0; begin < keys.size(); begin += kGroup) {
      const std::size_t count = std::min(kGroup, keys.size() - begin);
      shape_.hasher.positions(keys.data() + begin, count, positions);
      for (std::size_t i = 0; i < count * k; ++i) __builtin_prefetch(bits() + positions[i] / 64, 1, 3);
      for (std::size_t i = 0; i < count * k; ++i) policy.set(bits(), positions[i]);
    }
  });
  return {.filters = 1, .nodes = 1};
}

Cost Bloom::insert_filter(SetId, FilterBits filter) {
  or_into(bits(), filter.data(), shape_.words());
  return {.filters = 2, .nodes = 1};
}

Cost Bloom::replace(SetId id, Keys keys) {
  std::memset(bits(), 0, shape_.words() * sizeof(Word));
  return insert(id, keys);
}

template <bool kCount>
Cost Bloom::query(Keys keys, Matches& out) const {
  const std::uint64_t k = shape_.hasher.k();
  std::uint64_t positions[kGroup * 64];
  Cost cost;
  out.ensure(keys.size());
  for (std::size_t begin = 0; begin < keys.size(); begin += kGroup) {
    const std::size_t count = std::min(kGroup, keys.size() - begin);
    shape_.hasher.positions(keys.data() + begin, count, positions);
    for (std::size_t i = 0; i < count * k; ++i) prefetch(bits() + positions[i] / 64);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t hits = leading_hits(bits(), positions + i * k, k);
      out.push(static_cast<std::uint32_t>(begin + i), 0, hits == k);
      if constexpr (kCount) cost += {.bf_checks = 1, .words = std::min<std::uint64_t>(hits + 1, k)};
    }
  }
  return cost;
}

template Cost Bloom::query<true>(Keys, Matches&) const;
template Cost Bloom::query<false>(Keys, Matches&) const;

Footprint Bloom::footprint() const {
  return {.storage_bytes = shape_.words() * sizeof(Word), .memory_bytes = arena_.resident_bytes(), .nodes = 1};
}

double Bloom::posterior_false_positive_rate() const {
  const double fill = static_cast<double>(count_ones(bits(), shape_.words())) / static_cast<double>(shape_.hasher.m());
  return std::pow(fill, static_cast<double>(shape_.hasher.k()));
}

}  // namespace bloomery
