#include "structures/dynamic_blocked_bloom.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "structures/block_head.h"
#include "structures/filter_shape.h"
#include "structures/places.h"
#include "structures/probes.h"

namespace bloomery {
namespace {

constexpr std::size_t kGroup = 32;  // keys whose blocks are fetched together; their answers fit a mask
constexpr std::size_t kLineWords = 8;
constexpr std::uint32_t kFirstProbes = 2;  // three of four keys that a block does not hold end here

// Of a cell whose first word is taken.
std::uint64_t bits_of(std::uint64_t words) { return (words - 1) * 64; }

void fetch(const Word* head, std::uint64_t hash, std::uint64_t m, std::uint32_t probes) {
  PairedProbes positions(hash, m);
  prefetch(head);
  for (; probes > 0; --probes) prefetch(head + 1 + positions.next() / 64);
}

}  // namespace

DynamicBlockedBloom::Sizes::Sizes(Params& params, const ChainShape& shape) {
  const std::uint64_t n_exp = params.integer("n_exp", 10000, 1, 1ULL << 36, "keys expected");
  const std::uint64_t bytes =
      params.integer("block_bytes", 256, 16, 1 << 16, "of a block's first cell, a word of them its head");
  if (bytes % sizeof(Word) != 0)
    throw ParamError("block_bytes", fmt::format("block_bytes is {}; it must be whole words of 8", bytes));
  words = bytes / sizeof(Word);
  const double fraction = params.real("fraction", 0.25, 0, 16, "bytes of a growth cell over those of the first");
  grow_words =
      std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::round(fraction * static_cast<double>(words))));
  most_links = params.integer("most_links", 48, 1, 64, "cells of a block; the last one then takes whatever comes");
  const std::uint64_t capacity = places_in(shape.link(0), bits_of(words));
  if (capacity == 0) {
    throw ParamError("block_bytes",
                     fmt::format("block_bytes is {}; a key alone needs {:.0f} bits", bytes, shape.link(0).c));
  }
  blocks = (n_exp + capacity - 1) / capacity;
  expect_fits_memory("n_exp", static_cast<double>(blocks) * static_cast<double>(bytes) * 8);
}

DynamicBlockedBloom::DynamicBlockedBloom(Params& params)
    : shape_(params, 0), sizes_(params, shape_), first_(kLineWords), growth_(sizes_.grow_words) {
  for (std::uint64_t i = 0; i < sizes_.most_links; ++i) {
    // A growth cell has the padding of its slot as well.
    const LinkShape shape = shape_.link(i);
    const std::uint64_t m = bits_of(i == 0 ? sizes_.words : growth_.stride());
    links_.push_back({shape, m, std::max<std::uint64_t>(1, places_in(shape, m))});
  }
  first_.allocate_run((sizes_.blocks * sizes_.words + kLineWords - 1) / kLineWords);
}

template <bool kCount>
bool DynamicBlockedBloom::cell_holds(const Word* cell, std::uint64_t i, std::uint64_t hash, Cost& cost) const {
  const Link& link = links_[i];
  std::uint32_t read = 0;
  const PairedProbes probes(link_hash(hash, i), link.m);
  const bool yes = all_set(cell + 1, 0, probes, link.shape.hashes_of(hash), read);
  if constexpr (kCount) {
    const std::uint64_t words = std::uint64_t{read} + 1, lines = (link.m / 64 + kLineWords) / kLineWords;
    cost += {.bf_checks = 1, .words = words, .lines = std::min(words, lines)};
  }
  return yes;
}

// From the newest cell back.
template <bool kCount>
bool DynamicBlockedBloom::growth_holds(Word state, std::uint64_t hash, Cost& cost) const {
  std::uint32_t at = link_of(state);
  for (std::uint64_t i = cells_of(state); i > 0; --i) {
    const Word* cell = growth_.at(at);
    if (cell_holds<kCount>(cell, i, hash, cost)) return true;
    at = static_cast<std::uint32_t>(*cell);
  }
  return false;
}

// Links a new cell to a block that has no place left; not if another thread was first.
bool DynamicBlockedBloom::grow(Word* head) {
  const std::lock_guard lock(growing_);
  const Word state = acquire_word(head);
  if (taken_of(state) < links_[cells_of(state)].capacity) return false;
  const std::uint32_t fresh = growth_.allocate();
  *growth_.at(fresh) = link_of(state);
  const std::uint64_t cells = cells_of(state) + 1;
  // Nobody else writes a head without places, so that a store is enough; release, for the cell to be seen with it.
  __atomic_store_n(head, pack_head(fresh, cells, 0), __ATOMIC_RELEASE);
  return true;
}

// Returns how many cells it linked.
template <class Policy>
std::uint64_t DynamicBlockedBloom::insert_key(Policy policy, Word* head, std::uint64_t hash) {
  std::uint64_t grown = 0;
  Cost unused;
  Word state = acquire_word(head);
  if (cell_holds<false>(head, 0, hash, unused) || growth_holds<false>(state, hash, unused)) return 0;
  for (;;) {
    const bool full = taken_of(state) == links_[cells_of(state)].capacity;
    if (full && cells_of(state) + 1 < links_.size()) {
      grown += grow(head);
      state = acquire_word(head);
    } else if (full || update_word<Policy>(head, state, state + 1)) {
      break;
    }
  }
  const std::uint64_t i = cells_of(state);
  Word* cell = i == 0 ? head : growth_.at(link_of(state));
  set_all(policy, cell + 1, 0, PairedProbes(link_hash(hash, i), links_[i].m), links_[i].shape.hashes_of(hash));
  return grown;
}

Cost DynamicBlockedBloom::insert(SetId, Keys keys) {
  std::uint64_t hashes[kGroup];
  std::uint64_t grown = 0;
  with_policy(shape_.atomic, [&](auto policy) {
    for (std::size_t begin = 0; begin < keys.size(); begin += kGroup) {
      const std::size_t count = std::min(kGroup, keys.size() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        hashes[i] = mix64(keys[begin + i] ^ shape_.seed);
        fetch(head(scaled(hashes[i], sizes_.blocks)), hashes[i], links_[0].m, links_[0].shape.hashes);
      }
      for (std::size_t i = 0; i < count; ++i) {
        grown += insert_key(policy, head(scaled(hashes[i], sizes_.blocks)), hashes[i]);
      }
    }
  });
  return {.filters = 1 + grown, .nodes = 1 + grown, .reshapes = grown};
}

// Each pass over the group reads what the one before asked for: head and first bits, the other bits of the few keys
// that have those, the growth cells of blocks that have grown. No branch depends on a bit of a key that is not there.
template <bool kCount>
std::uint32_t DynamicBlockedBloom::query_group(const Key* keys, std::size_t count, Cost& cost) const {
  const Link& first = links_[0];
  std::uint64_t hashes[kGroup];
  const Word* heads[kGroup];
  for (std::size_t i = 0; i < count; ++i) {
    hashes[i] = mix64(keys[i] ^ shape_.seed);
    heads[i] = head(scaled(hashes[i], sizes_.blocks));
    fetch(heads[i], hashes[i], first.m, kFirstProbes);
  }
  std::uint32_t likely = 0, grown = 0, hits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Word state = load_word(heads[i]);
    prefetch(growth_.at(link_of(state)));  // of a block that has not grown this is one that is in a cache
    grown |= std::uint32_t{cells_of(state) > 0} << i;
    std::uint32_t read = 0;
    const std::uint32_t few = std::min(kFirstProbes, first.shape.hashes);
    likely |= std::uint32_t{all_set(heads[i] + 1, 0, PairedProbes(hashes[i], first.m), few, read)} << i;
  }
  if constexpr (kCount) {
    const auto settled = count - static_cast<std::size_t>(std::popcount(likely));  // the others are read from the start
    cost += {.bf_checks = settled, .words = settled * (1 + kFirstProbes)};
  }
  for_each_bit(likely, [&](std::size_t i) { fetch(heads[i], hashes[i], first.m, first.shape.hashes); });
  for_each_bit(likely,
               [&](std::size_t i) { hits |= std::uint32_t{cell_holds<kCount>(heads[i], 0, hashes[i], cost)} << i; });
  for_each_bit(grown & ~hits, [&](std::size_t i) {
    hits |= std::uint32_t{growth_holds<kCount>(acquire_word(heads[i]), hashes[i], cost)} << i;
  });
  return hits;
}

template <bool kCount>
Cost DynamicBlockedBloom::query(Keys keys, Matches& out) const {
  Cost cost;
  out.ensure(keys.size());
  for (std::size_t begin = 0; begin < keys.size(); begin += kGroup) {
    const std::size_t count = std::min(kGroup, keys.size() - begin);
    const std::uint32_t hits = query_group<kCount>(keys.data() + begin, count, cost);
    for (std::size_t i = 0; i < count; ++i) out.push(static_cast<std::uint32_t>(begin + i), 0, (hits >> i) & 1);
  }
  return cost;
}

template Cost DynamicBlockedBloom::query<true>(Keys, Matches&) const;
template Cost DynamicBlockedBloom::query<false>(Keys, Matches&) const;

Footprint DynamicBlockedBloom::footprint() const {
  Footprint result{.nodes = sizes_.blocks + growth_.used()};
  result.storage_bytes = (sizes_.blocks * sizes_.words + growth_.used() * growth_.stride()) * sizeof(Word);
  result.memory_bytes = first_.resident_bytes() + growth_.resident_bytes() + bytes_of(links_);
  for (std::uint64_t b = 0; b < sizes_.blocks; ++b) result.height = std::max(result.height, cells_of(*head(b)));
  return result;
}

std::string DynamicBlockedBloom::check(std::uint64_t block) const {
  const Word state = *head(block);
  const std::uint64_t newest = cells_of(state), capacity = links_[newest].capacity;
  if (taken_of(state) > capacity) return fmt::format("block {} has more keys than places", block);
  std::uint32_t at = link_of(state);
  for (std::uint64_t i = newest; i > 0; --i) {
    if (at >= growth_.used()) return fmt::format("block {} links to a cell that does not exist", block);
    const bool used = i < newest || taken_of(state) == capacity;
    if (used && count_ones(growth_.at(at) + 1, growth_.stride() - 1) == 0) {
      return fmt::format("block {} has an empty cell", block);
    }
    at = static_cast<std::uint32_t>(*growth_.at(at));
  }
  return at == 0 ? "" : fmt::format("block {} has a longer chain than it says", block);
}

std::string DynamicBlockedBloom::validate() const {
  std::uint64_t cells = 0;
  for (std::uint64_t b = 0; b < sizes_.blocks; ++b) {
    cells += cells_of(*head(b));
    if (std::string problem = check(b); !problem.empty()) return problem;
  }
  return cells == growth_.used() ? "" : fmt::format("{} growth cells, {} linked", growth_.used(), cells);
}

}  // namespace bloomery
