#include "structures/naive.h"

#include <cstring>
#include <utility>

namespace bloomery {
namespace {

// Filters ahead of the one tested whose first probe is being fetched. Every probe is a cache miss once the filters
// outgrow the cache, and a core keeps a dozen or two misses in flight.
constexpr std::size_t kAhead = 24;
constexpr std::size_t kGroup = 32;  // keys hashed together on insert

}  // namespace

Naive::Naive(Params& params) : shape_(params), arena_(shape_.words()) {}

Word* Naive::filter_of(SetId id) {
  if (id >= place_of_.size()) place_of_.resize(std::size_t{id} + 1, kNone);
  if (place_of_[id] == kNone) {
    place_of_[id] = static_cast<std::uint32_t>(filters_.size());
    filters_.push_back({id, arena_.allocate()});
  }
  return arena_.at(filters_[place_of_[id]].slot);
}

void Naive::set_bits(Word* filter, Keys keys) {
  const std::uint64_t k = shape_.hasher.k();
  std::uint64_t positions[kGroup * 64];
  with_policy(shape_.atomic, [&](auto policy) {
    for (std::size_t begin = 0; begin < keys.size(); begin += kGroup) {
      const std::size_t count = std::min(kGroup, keys.size() - begin);
      shape_.hasher.positions(keys.data() + begin, count, positions);
      for (std::size_t i = 0; i < count * k; ++i) policy.set(filter, positions[i]);
    }
  });
}

Cost Naive::build(Sets sets, const Executor& executor) {
  for (SetId id = 0; id < sets.size(); ++id) filter_of(id);
  executor.for_chunks(sets.size(), 16, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t id = begin; id < end; ++id) set_bits(arena_.at(filters_[place_of_[id]].slot), sets[id]);
  });
  return {.filters = sets.size(), .nodes = sets.size()};
}

Cost Naive::insert(SetId id, Keys keys) {
  set_bits(filter_of(id), keys);
  return {.filters = 1, .nodes = 1};
}

Cost Naive::insert_filter(SetId id, FilterBits bits) {
  or_into(filter_of(id), bits.data(), shape_.words());
  return {.filters = 2, .nodes = 1};
}

Cost Naive::erase(SetId id) {
  if (id >= place_of_.size() || place_of_[id] == kNone) return {};
  const std::uint32_t place = std::exchange(place_of_[id], kNone);
  arena_.free(filters_[place].slot);
  const Filter last = filters_.back();
  filters_.pop_back();
  if (last.id != id) {
    filters_[place] = last;
    place_of_[last.id] = place;
  }
  return {.filters = 1, .nodes = 1};
}

Cost Naive::replace(SetId id, Keys keys) {
  Word* filter = filter_of(id);
  std::memset(filter, 0, shape_.words() * sizeof(Word));
  set_bits(filter, keys);
  return {.filters = 1, .nodes = 1};
}

template <bool kCount>
Cost Naive::query(Keys keys, Matches& out) const {
  const std::uint64_t k = shape_.hasher.k();
  std::uint64_t* positions = out.scratch(0, keys.size() * k);
  shape_.hasher.positions(keys.data(), keys.size(), positions);
  Cost cost;
  const std::size_t count = filters_.size();
  for (std::size_t q = 0; q < keys.size(); ++q) {
    const std::uint64_t* probes = positions + q * k;
    out.ensure(count);
    for (std::size_t f = 0; f < count; ++f) {
      if (f + kAhead < count) prefetch(arena_.at(filters_[f + kAhead].slot) + probes[0] / 64);
      const std::size_t hits = leading_hits(arena_.at(filters_[f].slot), probes, k);
      out.push(static_cast<std::uint32_t>(q), filters_[f].id, hits == k);
      if constexpr (kCount) cost += {.bf_checks = 1, .words = std::min<std::uint64_t>(hits + 1, k)};
    }
  }
  return cost;
}

template Cost Naive::query<true>(Keys, Matches&) const;
template Cost Naive::query<false>(Keys, Matches&) const;

Footprint Naive::footprint() const {
  return {.storage_bytes = filters_.size() * shape_.words() * sizeof(Word),
          .memory_bytes = arena_.resident_bytes() + bytes_of(filters_) + bytes_of(place_of_),
          .nodes = filters_.size()};
}

}  // namespace bloomery
