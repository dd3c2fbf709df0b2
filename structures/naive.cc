#include "structures/naive.h"

#include <utility>

namespace bloomery {
namespace {

// Filters ahead of the one tested whose first probe is being fetched. Every probe is a cache miss once the filters
// outgrow the cache, and a core keeps a dozen or two misses in flight.
constexpr std::size_t kAhead = 24;
constexpr std::size_t kGroup = 32;  // keys hashed together on insert

}  // namespace

Naive::Naive(Params& params, std::unique_ptr<Epochs> epochs)
    : shape_(params), maintenance_(params, std::move(epochs)), arena_(shape_.words()) {
  if (maintenance_.readers_stay()) arena_.allocate();  // kEmptyFilter
}

// --- the list --------------------------------------------------------------------------------------------------------

void Naive::recycle() {
  unlinked_.release(maintenance_, [this](std::uint32_t slot) { arena_.free(slot); });
}

// A set whose filter is complete before any query can see it.
template <class Fill>
void Naive::create(SetId id, Fill fill) {
  const std::uint32_t slot = arena_.allocate();
  fill(arena_.at(slot));
  publish(id, slot);
}

void Naive::publish(SetId id, std::uint32_t slot) {
  if (id >= place_of_.size()) place_of_.resize(std::size_t{id} + 1, kNone);
  const Word entry = std::bit_cast<Word>(Filter{id, slot});
  ++sets_;
  if (empty_places_.empty()) {
    place_of_[id] = static_cast<std::uint32_t>(filters_.size());
    filters_.push_back(entry);
  } else {
    place_of_[id] = empty_places_.back();
    empty_places_.pop_back();
    store_release(&filters_[place_of_[id]], entry);
  }
}

// The last set takes the place, unless a query may be on its way from one to the other.
void Naive::leave_place(std::uint32_t place) {
  --sets_;
  if (maintenance_.readers_stay()) {
    store_release(&filters_[place], std::bit_cast<Word>(Filter{kNone, kEmptyFilter}));
    empty_places_.push_back(place);
    return;
  }
  const Filter last = filter_at(filters_.size() - 1);
  filters_[place] = std::bit_cast<Word>(last);
  if (place + std::size_t{1} != filters_.size()) place_of_[last.id] = place;
  filters_.pop_back();
}

// --- maintenance -----------------------------------------------------------------------------------------------------

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
  for (SetId id = 0; id < sets.size(); ++id) publish(id, arena_.allocate());
  executor.for_chunks(sets.size(), 16, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t id = begin; id < end; ++id) set_bits(bits_of(static_cast<SetId>(id)), sets[id]);
  });
  return {.filters = sets.size(), .nodes = sets.size()};
}

// Keys into a set that exists share the structure; only a set that does not needs it alone, and by then it may exist.
Cost Naive::insert(SetId id, Keys keys) {
  {
    const Adding adding(maintenance_);
    if (place_of(id) != kNone) {
      set_bits(bits_of(id), keys);
      return {.filters = 1, .nodes = 1};
    }
  }
  const Changing changing(maintenance_);
  recycle();
  if (place_of(id) != kNone) {
    set_bits(bits_of(id), keys);
  } else {
    create(id, [&](Word* filter) { set_bits(filter, keys); });
  }
  return {.filters = 1, .nodes = 1};
}

Cost Naive::insert_filter(SetId id, FilterBits bits) {
  const Changing changing(maintenance_);
  recycle();
  if (place_of(id) != kNone) {
    or_into(bits_of(id), bits.data(), shape_.words());
  } else {
    create(id, [&](Word* filter) { or_into(filter, bits.data(), shape_.words()); });
  }
  return {.filters = 2, .nodes = 1};
}

Cost Naive::erase(SetId id) {
  const Changing changing(maintenance_);
  if (place_of(id) == kNone) return {};
  const std::uint32_t place = std::exchange(place_of_[id], kNone), slot = filter_at(place).slot;
  leave_place(place);
  unlinked_.add(slot, maintenance_);
  recycle();
  return {.filters = 1, .nodes = 1};
}

// Word by word from the old filter to the new one, so that a key that is in both is never missed.
Cost Naive::replace(SetId id, Keys keys) {
  const Changing changing(maintenance_);
  recycle();
  if (place_of(id) == kNone) {
    create(id, [&](Word* filter) { set_bits(filter, keys); });
  } else {
    std::vector<Word> fresh(shape_.words());
    set_bits(fresh.data(), keys);
    copy_into(bits_of(id), fresh.data(), shape_.words());
  }
  return {.filters = 1, .nodes = 1};
}

template <bool kCount>
Cost Naive::query(Keys keys, Matches& out) const {
  const std::uint64_t k = shape_.hasher.k();
  std::uint64_t* positions = out.scratch(0, keys.size() * k);
  shape_.hasher.positions(keys.data(), keys.size(), positions);
  Cost cost;
  const Reading reading(maintenance_);
  const std::size_t count = filters_.size();
  for (std::size_t q = 0; q < keys.size(); ++q) {
    const std::uint64_t* probes = positions + q * k;
    out.ensure(count);
    for (std::size_t f = 0; f < count; ++f) {
      if (f + kAhead < count) prefetch(arena_.at(filter_at(f + kAhead).slot) + probes[0] / 64);
      const Filter filter = filter_at(f);
      const std::size_t hits = leading_hits(arena_.at(filter.slot), probes, k);
      out.push(static_cast<std::uint32_t>(q), filter.id, hits == k);
      if constexpr (kCount) {
        if (filter.id != kNone) cost += {.bf_checks = 1, .words = std::min<std::uint64_t>(hits + 1, k)};
      }
    }
  }
  return cost;
}

template Cost Naive::query<true>(Keys, Matches&) const;
template Cost Naive::query<false>(Keys, Matches&) const;

Footprint Naive::footprint() const {
  return {.storage_bytes = sets_ * shape_.words() * sizeof(Word),
          .memory_bytes = arena_.resident_bytes() + filters_.memory_bytes() + bytes_of(place_of_),
          .nodes = sets_};
}

}  // namespace bloomery
