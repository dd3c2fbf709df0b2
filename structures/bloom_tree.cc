#include "structures/bloom_tree.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "structures/bit_windows.h"
#include "structures/filter_shape.h"
#include "structures/nibbles.h"

namespace bloomery {
namespace {

// Keys that go through their branches together: enough to hide the memory, few enough for their lines to stay in L1.
constexpr std::size_t kGroup = 64;

// Calls body(position) for every bit of a mask that starts at bit `offset`.
template <class Body>
void for_bits(std::uint64_t offset, Word mask, Body&& body) {
  for (; mask != 0; mask &= mask - 1) body(offset + static_cast<std::uint64_t>(std::countr_zero(mask)));
}

// Words for so many bits, if the memory has room for them and their counters.
std::size_t words_within_memory(const Params& params, std::uint64_t bits, bool counting) {
  expect_fits_memory(params.given("m") ? "m" : "n_exp", static_cast<double>(bits) * (counting ? 5 : 1));
  return words_for(bits);
}

std::uint64_t words_read(std::uint64_t offset, Word mask) { return SplitMask(offset, mask).high == 0 ? 1 : 2; }

}  // namespace

BloomTree::BloomTree(Params& params, bool partitioned)
    : shape_(params, partitioned),
      leaves_only_(params.choice("check", "leaves", {"leaves", "levels"},
                                 "the last level only, which implies the others, or top down") == "leaves"),
      atomic_(ask_atomic(params)),
      counting_(!partitioned && params.flag("counters", false, "four bits more a bit, so that keys can be removed")),
      arena_(words_within_memory(params, shape_.bits(), counting_)) {
  arena_.allocate();
  if (!counting_) return;
  counters_.emplace((shape_.bits() + kNibblesAWord - 1) / kNibblesAWord);
  counters_->allocate();
}

// --- keys ------------------------------------------------------------------------------------------------------------

// Both ends of the branch's run in every level that will be touched: most runs are part of one line.
void BloomTree::fetch(std::size_t from_level, std::uint64_t branch) const {
  for (std::size_t level = from_level; level < depth(); ++level) {
    const std::uint64_t first = shape_.offset(level, branch, 0);
    prefetch(bits() + first / 64);
    prefetch(bits() + (first + shape_.levels[level].run - 1) / 64);
  }
}

// Calls body(hashes, branch) for the branches of every key, one round a branch over a group of keys, until it says no;
// done(i) for those where it never did, in order. Where a branch lies follows from the key alone, so that its lines are
// asked for a round ahead, and a key that is out costs nothing more.
template <class Hashes, class Body, class Done>
void BloomTree::sweep(Keys keys, Branches branches, std::size_t from_level, const Body& body, const Done& done) const {
  std::array<Hashes, kGroup> hashes;
  std::array<std::uint32_t, kGroup> alive;
  for (std::size_t begin = 0; begin < keys.size(); begin += kGroup) {
    std::size_t left = std::min(kGroup, keys.size() - begin);
    for (std::size_t i = 0; i < left; ++i) {
      hashes[i] = Hashes(mix64(keys[begin + i] ^ shape_.seed));
      alive[i] = static_cast<std::uint32_t>(i);
      fetch(from_level, shape_.branch(hashes[i], branches.first));
    }
    for (std::uint64_t j = branches.first; j < branches.last; ++j) {
      std::size_t still = 0;
      for (std::size_t i = 0; i < left; ++i) {
        const Hashes& key = hashes[alive[i]];
        const bool yes = body(key, shape_.branch(key, j));
        if (yes && j + 1 < branches.last) fetch(from_level, shape_.branch(key, j + 1));
        alive[still] = alive[i];
        still += yes;
      }
      left = still;
    }
    for (std::size_t i = 0; i < left; ++i) done(static_cast<std::uint32_t>(begin + alive[i]));
  }
}

template <class Policy>
void BloomTree::set_mask(Policy policy, std::uint64_t offset, Word mask) {
  if (counting_) for_bits(offset, mask, [&](std::uint64_t p) { raise_nibble<Policy>(counts(), p); });
  merge_mask(policy, bits(), offset, mask);
}

Cost BloomTree::insert_branches(Keys keys, Branches branches) {
  std::uint64_t written = keys.size();  // level 1, then what each branch visits
  with_policy(atomic_, [&](auto policy) {
    with_hashes(shape_, [&](auto kind) {
      using Hashes = decltype(kind);
      const auto set_branch = [&](const Hashes& hashes, std::uint64_t branch) {
        set_mask(policy, shape_.offset(0, branch, 0), 1);
        return walk(shape_, hashes, branch, [&](std::size_t level, std::uint64_t place, Word mask) {
          ++written;
          set_mask(policy, shape_.offset(level, branch, place), mask);
          return true;
        });
      };
      sweep<Hashes>(keys, branches, 0, set_branch, [](std::uint32_t) {});
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

// Whether all that the key visits below a branch, and the branch's own bit, say yes.
template <bool kCount, class Hashes>
bool BloomTree::holds(const Hashes& hashes, std::uint64_t branch, Cost& cost) const {
  const std::size_t last = depth() - 1;
  const auto says_yes = [&](std::size_t level, std::uint64_t place, Word mask) {
    if (leaves_only_ && level != last) return true;
    const std::uint64_t offset = shape_.offset(level, branch, place);
    if constexpr (kCount) cost += {.bf_checks = level == 0 ? 0U : 1U, .words = words_read(offset, mask)};
    return covers(bits(), offset, mask);
  };
  return says_yes(0, 0, 1) && walk(shape_, hashes, branch, says_yes);
}

template <bool kCount>
Cost BloomTree::query_branches(Keys keys, Branches branches, Matches& out) const {
  Cost cost;
  const std::size_t from_level = leaves_only_ ? depth() - 1 : 0;
  if constexpr (kCount) cost.bf_checks = from_level == 0 ? keys.size() : 0;  // level 1 is one filter, asked in parts
  out.ensure(keys.size());
  with_hashes(shape_, [&](auto kind) {
    using Hashes = decltype(kind);
    sweep<Hashes>(
        keys, branches, from_level,
        [&](const Hashes& hashes, std::uint64_t branch) { return holds<kCount>(hashes, branch, cost); },
        [&](std::uint32_t i) { out.push(i, 0); });
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
