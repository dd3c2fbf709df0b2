#include "structures/exact.h"

#include <bit>

#include "structures/arena.h"
#include "structures/hash.h"

namespace bloomery {

std::size_t Exact::home(Key key) const { return mix64(key) & (table_.size() - 1); }

void Exact::rehash(std::size_t live) {
  std::vector<Entry> old(std::bit_ceil(std::max<std::size_t>(live * 2, 64)));
  old.swap(table_);
  occupied_ = live_ = 0;
  for (const Entry& entry : old) {
    if (entry.set < kErased) add(entry.key, entry.set);
  }
}

void Exact::add(Key key, SetId id) {
  for (std::size_t i = home(key);; i = (i + 1) & (table_.size() - 1)) {
    Entry& entry = table_[i];
    if (entry.set == id && entry.key == key) return;
    if (entry.set != kEmpty) continue;
    entry = {key, id};
    ++occupied_;
    ++live_;
    return;
  }
}

Cost Exact::build(Sets sets, const Executor&) {
  std::size_t total = 0;
  for (Keys keys : sets) total += keys.size();
  rehash(total);
  Cost cost;
  for (SetId id = 0; id < sets.size(); ++id) cost += insert(id, sets[id]);
  return cost;
}

Cost Exact::insert(SetId id, Keys keys) {
  if ((occupied_ + keys.size()) * 4 > table_.size() * 3) rehash(live_ + keys.size());
  for (Key key : keys) add(key, id);
  return {.filters = 1, .nodes = 1};
}

Cost Exact::erase(SetId id) {
  for (Entry& entry : table_) {
    if (entry.set != id) continue;
    entry.set = kErased;
    --live_;
  }
  return {.filters = 1, .nodes = 1};
}

Cost Exact::replace(SetId id, Keys keys) {
  Cost cost = erase(id);
  return cost += insert(id, keys);
}

template <bool kCount>
Cost Exact::query(Keys keys, Matches& out) const {
  constexpr std::size_t kAhead = 16;
  Cost cost;
  for (std::size_t q = 0; q < keys.size(); ++q) {
    if (q + kAhead < keys.size()) prefetch(&table_[home(keys[q + kAhead])]);
    std::size_t i = home(keys[q]);
    for (; table_[i].set != kEmpty; i = (i + 1) & (table_.size() - 1)) {
      out.ensure(1);
      out.push(static_cast<std::uint32_t>(q), table_[i].set, table_[i].key == keys[q] && table_[i].set != kErased);
      if constexpr (kCount) cost.words += 2;
    }
    if constexpr (kCount) ++cost.bf_checks;
  }
  return cost;
}

template Cost Exact::query<true>(Keys, Matches&) const;
template Cost Exact::query<false>(Keys, Matches&) const;

Footprint Exact::footprint() const {
  return {.storage_bytes = table_.size() * sizeof(Entry), .memory_bytes = bytes_of(table_), .nodes = 1};
}

}  // namespace bloomery
