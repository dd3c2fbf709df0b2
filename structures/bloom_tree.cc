#include "structures/bloom_tree.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

#include "structures/bit_windows.h"
#include "structures/filter_shape.h"
#include "structures/nibbles.h"
#include "structures/tree_runs.h"

namespace bloomery {
namespace {

// Calls body(position) for every bit of a mask that starts at bit `offset`.
template <class Body>
void for_bits(std::uint64_t offset, Word mask, Body&& body) {
  for (; mask != 0; mask &= mask - 1) body(offset + static_cast<std::uint64_t>(std::countr_zero(mask)));
}

std::size_t ask_first_checked(Params& params, std::size_t depth) {
  const std::string check = params.choice("check", "leaves", {"leaves", "levels"},
                                          "the last level only, which implies the others, or all of them");
  return check == "leaves" ? depth - 1 : 0;
}

// Words for so many bits, if the memory has room for them and their counters.
std::size_t words_within_memory(const Params& params, std::uint64_t bits, bool counting) {
  expect_fits_memory(params.given("m") ? "m" : "n_exp", static_cast<double>(bits) * (counting ? 5 : 1));
  return words_for(bits);
}

// Calls body(begin, keys) for the keys in parts that go down the tree together.
template <class Body>
void for_batches(Keys keys, Body&& body) {
  for (std::size_t begin = 0; begin < keys.size(); begin += kBatchKeys) {
    body(static_cast<std::uint32_t>(begin), keys.subspan(begin, std::min(kBatchKeys, keys.size() - begin)));
  }
}

}  // namespace

BloomTree::BloomTree(Params& params, bool partitioned)
    : shape_(params, partitioned),
      first_checked_(ask_first_checked(params, shape_.depth())),
      atomic_(ask_atomic(params)),
      counting_(!partitioned && params.flag("counters", false, "four bits more a bit, so that keys can be removed")),
      run_words_(counting_ ? 0 : run_words(shape_)),
      arena_(words_within_memory(params, shape_.bits(), counting_)) {
  arena_.allocate();
  if (!counting_) return;
  counters_.emplace((shape_.bits() + kNibblesAWord - 1) / kNibblesAWord);
  counters_->allocate();
}

// --- keys ------------------------------------------------------------------------------------------------------------

// Both ends of a run in every level that will be touched: most runs are part of one line.
void BloomTree::fetch(std::size_t from_level, std::uint64_t branch) const {
  for (std::size_t level = from_level; level < depth(); ++level) {
    const std::uint64_t first = shape_.offset(level, branch, 0);
    prefetch(bits() + first / 64);
    prefetch(bits() + (first + shape_.levels[level].run - 1) / 64);
  }
}

template <class Policy>
void BloomTree::set_mask(Policy policy, std::uint64_t offset, Word mask) {
  if (counting_) for_bits(offset, mask, [&](std::uint64_t p) { raise_nibble<Policy>(counts(), p); });
  merge_mask(policy, bits(), offset, mask);
}

// Both return how many filters they wrote to, besides level 1.
template <class Policy, class Hashes>
std::uint64_t BloomTree::set_filters(Policy policy, Keys keys, Branches branches) {
  std::uint64_t written = 0;
  for (Key key : keys) {
    const Hashes hashes(mix64(key ^ shape_.seed));
    for (std::uint64_t j = branches.first; j < branches.last; ++j) fetch(0, shape_.branch(hashes, j));
    for (std::uint64_t j = branches.first; j < branches.last; ++j) {
      const std::uint64_t branch = shape_.branch(hashes, j);
      set_mask(policy, shape_.offset(0, branch, 0), 1);
      walk(shape_, hashes, branch, [&](std::size_t level, std::uint64_t place, Word mask) {
        set_mask(policy, shape_.offset(level, branch, place), mask);
        return ++written > 0;
      });
    }
  }
  return written;
}

template <std::size_t kWords, class Policy, class Hashes>
std::uint64_t BloomTree::set_runs(Policy policy, Keys keys, Branches branches) {
  std::uint64_t written = 0;
  RunBatch<kWords, Hashes> batch(shape_, keys);
  for (std::uint64_t j = branches.first; j < branches.last; ++j) {
    batch.turn_to(j);
    for (std::size_t level = depth(); level-- > 0;) batch.fetch(level, bits());
    for (std::size_t level = 0; level < depth(); ++level) {
      if (level > 0) batch.descend(level);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        batch.merge(policy, i, bits());
        if (level + 1 < depth()) written += batch.ones(i);
      }
    }
  }
  return written;
}

Cost BloomTree::insert_branches(Keys keys, Branches branches) {
  std::uint64_t written = keys.size();  // level 1, then what each branch visits
  with_policy(atomic_, [&](auto policy) {
    with_hashes(shape_, [&](auto kind) {
      using Hashes = decltype(kind);
      with_run_words(run_words_, [&](auto words) {
        for_batches(keys, [&](std::uint32_t, Keys some) {
          if constexpr (words == 0) {
            written += set_filters<decltype(policy), Hashes>(policy, some, branches);
          } else {
            written += set_runs<words, decltype(policy), Hashes>(policy, some, branches);
          }
        });
      });
    });
  });
  return {.filters = written, .nodes = written};
}

Cost BloomTree::insert(SetId, Keys keys) { return insert_branches(keys, {0, branches()}); }

Cost BloomTree::replace(SetId id, Keys keys) {
  std::memset(bits(), 0, words_for(shape_.bits()) * sizeof(Word));
  if (counting_) std::memset(counts(), 0, counters_->stride() * sizeof(Word));
  return insert(id, keys);
}

// Whether the branch's own bit and every filter that the key visits below it say yes.
template <bool kCount, class Hashes>
bool BloomTree::holds(const Hashes& hashes, std::uint64_t branch, Cost& cost) const {
  const auto says_yes = [&](std::size_t level, std::uint64_t place, Word mask) {
    if (level < first_checked_) return true;
    const std::uint64_t offset = shape_.offset(level, branch, place);
    if constexpr (kCount) cost += {.bf_checks = level == 0 ? 0U : 1U, .words = words_read(offset, mask)};
    return covers(bits(), offset, mask);
  };
  return says_yes(0, 0, 1) && walk(shape_, hashes, branch, says_yes);
}

template <bool kCount, class Hashes>
void BloomTree::query_filters(Keys keys, Branches branches, std::uint32_t begin, Matches& out, Cost& cost) const {
  std::array<Hashes, kBatchKeys> hashes;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    hashes[i] = Hashes(mix64(keys[i] ^ shape_.seed));
    fetch(first_checked_, shape_.branch(hashes[i], branches.first));
  }
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    std::uint64_t j = branches.first;
    while (j < branches.last && holds<kCount>(hashes[i], shape_.branch(hashes[i], j), cost)) ++j;
    out.push(begin + i, 0, j == branches.last);
  }
}

// One round a branch over all keys that are still in: the lines are asked for, and have come when the hashing is done.
template <bool kCount, std::size_t kWords, class Hashes>
void BloomTree::query_runs(Keys keys, Branches branches, std::uint32_t begin, Matches& out, Cost& cost) const {
  RunBatch<kWords, Hashes> batch(shape_, keys);
  std::array<bool, kBatchKeys> in;
  std::array<std::uint64_t, kBatchKeys> filters;
  for (std::uint64_t j = branches.first; j < branches.last && batch.size() > 0; ++j) {
    batch.turn_to(j);
    for (std::size_t level = depth(); level-- > first_checked_;) batch.fetch(level, bits());
    in.fill(true);
    filters.fill(0);  // level 1 is counted once a key
    for (std::size_t level = 0; level < depth(); ++level) {
      if (level > 0) batch.descend(level);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (kCount && level >= first_checked_) cost += {.bf_checks = filters[i], .words = batch.words(i)};
        if (kCount) filters[i] = batch.ones(i);
        if (level >= first_checked_) in[i] &= batch.covered(i, bits());
      }
    }
    batch.keep(in);
  }
  for (std::size_t i = 0; i < batch.size(); ++i) out.push(begin + batch.key(i), 0);
}

template <bool kCount>
Cost BloomTree::query_branches(Keys keys, Branches branches, Matches& out) const {
  Cost cost;
  if constexpr (kCount)
    cost.bf_checks = first_checked_ == 0 ? keys.size() : 0;  // level 1 is one filter, asked in parts
  out.ensure(keys.size());
  with_hashes(shape_, [&](auto kind) {
    using Hashes = decltype(kind);
    with_run_words(run_words_, [&](auto words) {
      for_batches(keys, [&](std::uint32_t begin, Keys some) {
        if constexpr (words == 0) {
          query_filters<kCount, Hashes>(some, branches, begin, out, cost);
        } else {
          query_runs<kCount, words, Hashes>(some, branches, begin, out, cost);
        }
      });
    });
  });
  return cost;
}

template Cost BloomTree::query_branches<true>(Keys, Branches, Matches&) const;
template Cost BloomTree::query_branches<false>(Keys, Branches, Matches&) const;

template <bool kCount>
Cost BloomTree::query(Keys keys, Matches& out) const {
  return query_branches<kCount>(keys, {0, branches()}, out);
}

template Cost BloomTree::query<true>(Keys, Matches&) const;
template Cost BloomTree::query<false>(Keys, Matches&) const;

// --- removal ---------------------------------------------------------------------------------------------------------

void BloomTree::lower_mask(std::uint64_t offset, Word mask) {
  for_bits(offset, mask, [&](std::uint64_t p) {
    if (lower_nibble(counts(), p)) bits()[p / 64] &= ~(Word{1} << (p % 64));
  });
}

void BloomTree::remove(Keys keys) {
  if (!counting_) throw ParamError("counters", "keys cannot be removed from a tree without counters");
  Matches found;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    found.clear();
    query<false>(keys.subspan(i, 1), found);  // one by one: a key that is listed twice may be in once
    if (found.size() == 0) continue;
    with_hashes(shape_, [&](auto kind) {
      const decltype(kind) hashes(mix64(keys[i] ^ shape_.seed));
      for (std::uint64_t j = 0; j < branches(); ++j) {
        const std::uint64_t branch = shape_.branch(hashes, j);
        lower_mask(shape_.offset(0, branch, 0), 1);
        walk(shape_, hashes, branch, [&](std::size_t level, std::uint64_t place, Word mask) {
          lower_mask(shape_.offset(level, branch, place), mask);
          return true;
        });
      }
    });
  }
}

// --- whole trees -----------------------------------------------------------------------------------------------------

void BloomTree::expect_without_counters(const char* what) const {
  if (counting_) throw ParamError("counters", fmt::format("a tree with counters cannot be {}", what));
}

void BloomTree::expect_same_shape(const BloomTree& other) const {
  if (shape_ == other.shape_) return;
  if (shape_.seed != other.shape_.seed) throw ParamError("seed", "the trees differ in their seed");
  throw ParamError("m", "the trees differ in shape: not all of m, d, k, m_levels, hashing and halvings are the same");
}

void BloomTree::union_with(const BloomTree& other) {
  expect_same_shape(other);
  expect_without_counters("united with another");
  or_into(bits(), other.bits(), words_for(shape_.bits()));
}

void BloomTree::intersect_with(const BloomTree& other) {
  expect_same_shape(other);
  expect_without_counters("intersected with another");
  for (std::size_t w = 0; w < words_for(shape_.bits()); ++w) bits()[w] &= other.bits()[w];
}

void BloomTree::halve() {
  expect_without_counters("halved");
  TreeShape half_shape = shape_;
  half_shape.halve();
  Arena half(words_for(half_shape.bits()));
  half.allocate();
  for (std::size_t level = 0; level < depth(); ++level) {
    const std::uint64_t run = shape_.levels[level].run;
    for (std::uint64_t p = 0; p < shape_.first_level_bits(); ++p) {
      const std::uint64_t branch = p << shape_.folds, target = half_shape.offset(level, branch, 0);
      const std::uint64_t source = shape_.offset(level, branch, 0);
      for_windows(0, run, [&](std::uint64_t at, std::uint64_t length) {
        merge_mask(SerialBits{}, half.at(0), target + at, window(bits(), source + at, length));
      });
    }
  }
  arena_ = std::move(half);
  shape_ = half_shape;
}

Footprint BloomTree::footprint() const {
  Footprint result{.storage_bytes = words_for(shape_.bits()) * sizeof(Word), .memory_bytes = arena_.resident_bytes()};
  for (std::size_t level = 0; level < depth(); ++level) result.nodes += filters(level);
  result.height = depth() - 1;
  if (!counting_) return result;
  result.storage_bytes += (shape_.bits() + 1) / 2;
  result.memory_bytes += counters_->resident_bytes();
  return result;
}

std::string BloomTree::broken_link(const Word* words) const {
  for (std::size_t level = 1; level < depth(); ++level) {
    const TreeLevel &above = shape_.levels[level - 1], &here = shape_.levels[level];
    for (std::uint64_t f = 0; f < filters(level); ++f) {
      if (test_bit(words, above.first_bit + f) || window(words, here.first_bit + f * here.m, here.m) == 0) continue;
      return fmt::format("filter {} of level {} has bits below one that is not set", f, level + 1);
    }
  }
  return "";
}

std::string BloomTree::validate() const {
  const std::uint64_t all = shape_.bits();
  if (all % 64 != 0 && bits()[all / 64] >> (all % 64) != 0) return "a bit past the last of the tree is set";
  for (std::uint64_t p = 0; counting_ && p < all; ++p) {
    if ((nibble_at(counters_->at(0), p) != 0) == test_bit(bits(), p)) continue;
    return fmt::format("bit {} is not what its counter says", p);
  }
  return broken_link(bits());
}

}  // namespace bloomery
