#include "structures/overflow_blocked_bloom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "structures/block_kernels.h"
#include "structures/block_theory.h"
#include "structures/filter_shape.h"
#include "structures/places.h"
#include "structures/rolling.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kLeastBytes = 16, kMostBytes = 1 << 16;
constexpr unsigned kHeadBits = 8;   // of a line
constexpr std::size_t kAhead = 32;  // keys from step to step
// Capacities tried: the mean load and so many deviations more.
constexpr double kMostSlack = 3.5, kSlackStep = 0.25;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

using Level = OverflowBlockedBloom::Level;

// The hash of a key in a level: nothing that it says in one has a say in another.
std::uint64_t level_hash(std::uint64_t hash, std::size_t level) {
  return level == 0 ? hash : mix64(link_hash(hash, level));
}

// --- theory ----------------------------------------------------------------------------------------------------------

std::uint64_t most_places(std::uint64_t block_bytes) {
  return block_bytes == kLineBytes ? (1 << kHeadBits) - 1 : kNoLimit;
}

double rate_of_block(std::uint64_t block_bytes, std::uint64_t k, double load) {
  const auto bits = static_cast<double>(block_bytes * 8), hashes = static_cast<double>(k);
  if (block_bytes == kLineBytes) return block_false_positive_rate(bits, hashes, load, kHeadBits);
  return block_false_positive_rate(bits - 64, hashes, load);
}

// With n keys, and the rate `next` in the level behind.
double rate_of_level(const Level& level, double blocks, double n, double next) {
  return overflow_false_positive_rate(n, blocks, static_cast<double>(level.capacity), next, [&](double load) {
    return rate_of_block(level.sizes.block_bytes, level.k, load);
  });
}

double spill_of(const Level& level, double blocks, double n) {
  return blocks * expected_spill(n, blocks, static_cast<double>(level.capacity));
}

// --- the plan --------------------------------------------------------------------------------------------------------

std::uint64_t capacity_for(double load, double slack, std::uint64_t most) {
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(load + slack * std::sqrt(load)), 1, most);
}

struct Candidate {
  Level level;
  double bits;   // of its blocks
  double total;  // and of what they spill, in levels that are `ratio` times as tight
};

// For a rate of `wanted.rho` with the levels behind, which have `ratio` times that.
Candidate candidate(const Wanted& wanted, std::uint64_t block_bytes, std::uint64_t k, double slack, double ratio) {
  const auto n = static_cast<double>(wanted.n_exp);
  Level level{{}, k, kNoLimit, wanted.n_exp};
  level.sizes.block_bytes = block_bytes;
  const auto fit_to = [&](double blocks) {
    level.capacity = capacity_for(n / blocks, slack, most_places(block_bytes));
  };
  const double bits = bits_for_rate(wanted, block_bytes, [&](double blocks) {
    fit_to(blocks);
    return rate_of_level(level, blocks, n, ratio * wanted.rho);
  });
  const double blocks = bits / static_cast<double>(block_bytes * 8);
  fit_to(blocks);
  const double bits_a_spilled_key = -std::log2(ratio * wanted.rho) / std::numbers::ln2;
  return {level, bits, bits + spill_of(level, blocks, n) * bits_a_spilled_key};
}

// The one that needs the least space. From the standard filter's number of hash functions down, as long as that saves.
Candidate best_candidate(const Wanted& wanted, std::uint64_t block_bytes, double ratio) {
  Candidate best{.level = {}, .bits = 0, .total = std::numeric_limits<double>::infinity()};
  for (std::uint64_t k = std::min(kMostHashes, hashes_for_rate(wanted.rho)); k > 0; --k) {
    const double before = best.total;
    for (double slack = 0; slack <= kMostSlack; slack += kSlackStep) {
      const Candidate one = candidate(wanted, block_bytes, k, slack, ratio);
      if (one.total < best.total) best = one;
    }
    if (best.total >= before) break;
  }
  return best;
}

// Takes everything, so that only the number of hash functions is open.
Candidate last_level(const Wanted& wanted, std::uint64_t block_bytes) {
  const auto n = static_cast<double>(wanted.n_exp);
  Candidate best{.level = {}, .bits = std::numeric_limits<double>::infinity(), .total = 0};
  for (std::uint64_t k = std::min(kMostHashes, hashes_for_rate(wanted.rho)); k > 0; --k) {
    Level level{{}, k, kNoLimit, wanted.n_exp};
    level.sizes.block_bytes = block_bytes;
    const auto rate = [&](double blocks) { return rate_of_level(level, blocks, n, 0); };
    const double bits = bits_for_rate(wanted, block_bytes, rate);
    if (bits >= best.bits) break;
    best = {level, bits, bits};
  }
  return best;
}

// As many as come, but for one case in a thousand.
std::uint64_t keys_to_spill(const Level& level) {
  const auto n = static_cast<double>(level.n_exp), blocks = static_cast<double>(level.sizes.blocks);
  const double square = expected_square_of_spill(n, blocks, static_cast<double>(level.capacity));
  return static_cast<std::uint64_t>(std::ceil(spill_of(level, blocks, n) + 3 * std::sqrt(blocks * square)));
}

Wanted ask_wanted(Params& params) {
  Wanted wanted(params);
  const std::uint64_t usual = std::clamp<std::uint64_t>(hashes_for_rate(wanted.rho), 1, kMostHashes);
  const std::uint64_t k = params.integer("k", usual, 1, kMostHashes, "wants the rate 2^-k instead of rho");
  if (params.given("k")) wanted.rho = std::exp2(-static_cast<double>(k));
  if (hashes_for_rate(wanted.rho) > kMostHashes) {
    throw ParamError("rho", fmt::format("rho is {:g}; {} hash functions are the most, for a rho of {:.2g}", wanted.rho,
                                        kMostHashes, std::exp2(-static_cast<double>(kMostHashes))));
  }
  return wanted;
}

}  // namespace

std::vector<Level> OverflowBlockedBloom::plan(Params& params) {
  Wanted wanted = ask_wanted(params);
  const std::uint64_t block_bytes = ask_block_bytes(params, kLeastBytes, kMostBytes);
  const double ratio = params.real("ratio", 0.1, 0, 1, "rate of a level and all behind it over that of the one before");
  const std::uint64_t most = params.integer("levels", 3, 1, 8, "at most; the last one takes everything");
  std::vector<Level> levels;
  double bits = 0;
  while (levels.empty() || levels.back().capacity != kNoLimit) {
    const bool last = levels.size() + 1 == most || (!levels.empty() && wanted.n_exp <= levels.back().capacity);
    const Candidate chosen = last ? last_level(wanted, block_bytes) : best_candidate(wanted, block_bytes, ratio);
    bits += chosen.bits;
    expect_fits_memory("n_exp", bits);
    levels.push_back(chosen.level);
    levels.back().sizes = BlockSizes("n_exp", block_bytes, chosen.bits);
    if (!last) wanted = Wanted(ratio * wanted.rho, std::max<std::uint64_t>(1, keys_to_spill(levels.back())));
  }
  return levels;
}

OverflowBlockedBloom::OverflowBlockedBloom(Params& params)
    : levels_(plan(params)),
      seed_(ask_mixed_seed(params)),
      atomic_(ask_atomic(params)),
      places_mask_(most_places(levels_[0].sizes.block_bytes)) {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    Arena& arena = arenas_.emplace_back(levels_[i].sizes.bytes() / sizeof(Word));
    arena.allocate();
    const std::size_t words = levels_[i].sizes.block_bytes / sizeof(Word);
    // The one place of a last level is never taken.
    const Word places = is_last(i) ? 1 : levels_[i].capacity;
    for (std::uint64_t b = 0; b < levels_[i].sizes.blocks; ++b) arena.at(0)[b * words] = places;
  }
}

template <class Body>
void OverflowBlockedBloom::for_blocks(std::size_t level, const Body& body) const {
  const BlockSizes& sizes = levels_[level].sizes;
  const std::size_t words = sizes.block_bytes / sizeof(Word);
  for (std::uint64_t b = 0; b < sizes.blocks; ++b) body(b, arenas_[level].at(0) + b * words);
}

std::size_t OverflowBlockedBloom::word_of(std::size_t level, std::uint64_t hash) const {
  const BlockSizes& sizes = levels_[level].sizes;
  return scaled(hash, sizes.blocks) * (sizes.block_bytes / sizeof(Word));
}

// False when the block is full.
template <class Policy>
bool OverflowBlockedBloom::take_place(std::size_t level, Word* block) {
  if (is_last(level)) return true;
  Word head = load_word(block);
  while ((head & places_mask_) > 0) {
    if (update_word<Policy>(block, head, head - 1)) return true;
  }
  return false;
}

// Returns how many levels it went on to.
template <class Policy>
std::uint64_t OverflowBlockedBloom::insert_from(std::size_t level, std::uint64_t key_hash) {
  const std::size_t first = level;
  for (bool done = false; !done; ++level) {
    const std::uint64_t hash = level_hash(key_hash, level);
    Word* at = block(level, hash);
    with_block<kHeadBits>(levels_[level].sizes.block_bytes, levels_[level].k, [&](auto kernel) {
      std::uint32_t read = 0;
      done = kernel.test(at, hash, read);
      if (done || !take_place<Policy>(level, at)) return;
      kernel.merge(Policy{}, at, hash);
      done = true;
    });
  }
  return level - first - 1;
}

Cost OverflowBlockedBloom::insert(SetId, Keys keys) {
  std::uint64_t spilled = 0;
  with_policy(atomic_, [&](auto policy) {
    with_block<kHeadBits>(levels_[0].sizes.block_bytes, levels_[0].k, [&](auto kernel) {
      const auto ask = [&](std::size_t i) {
        const std::uint64_t hash = mix64(keys[i] ^ seed_);
        kernel.fetch(block(0, hash), hash);
        return hash;
      };
      const auto use = [&](std::size_t, std::uint64_t hash) { spilled += insert_from<decltype(policy)>(0, hash); };
      roll<kAhead>(keys.size(), ask, use);
    });
  });
  return {.filters = 1 + spilled, .nodes = 1 + spilled};
}

template <bool kCount>
bool OverflowBlockedBloom::holds_from(std::size_t level, std::uint64_t key_hash, Cost& cost) const {
  for (;; ++level) {
    const std::uint64_t hash = level_hash(key_hash, level);
    const Word* at = block(level, hash);
    bool held = false;
    with_block<kHeadBits>(levels_[level].sizes.block_bytes, levels_[level].k, [&](auto kernel) {
      std::uint32_t read = 0;
      held = kernel.test(at, hash, read);
      if constexpr (kCount) cost += {.bf_checks = 1, .words = read};
    });
    if (held || places_left(at) > 0) return held;
  }
}

// A key between its first level and the end.
struct OverflowBlockedBloom::Pending {
  std::uint64_t hash;
  bool held;
  bool goes_on;
};

template <bool kCount>
Cost OverflowBlockedBloom::query(Keys keys, Matches& out) const {
  Cost cost;
  out.ensure(keys.size());
  with_block<kHeadBits>(levels_[0].sizes.block_bytes, levels_[0].k, [&](auto kernel) {
    const auto ask = [&](std::size_t i) {
      const std::uint64_t hash = mix64(keys[i] ^ seed_);
      kernel.fetch(block(0, hash), hash);
      return Pending{hash, false, false};
    };
    const auto look = [&](std::size_t, Pending& key) {
      const Word* at = block(0, key.hash);
      std::uint32_t read = 0;
      key.held = kernel.test(at, key.hash, read);
      key.goes_on = !key.held && places_left(at) == 0;
      if constexpr (kCount) cost += {.bf_checks = 1, .words = read};
      if (key.goes_on) prefetch(block(1, level_hash(key.hash, 1)));
    };
    const auto use = [&](std::size_t i, const Pending& key) {
      const bool held = key.goes_on ? holds_from<kCount>(1, key.hash, cost) : key.held;
      out.push(static_cast<std::uint32_t>(i), 0, held);
    };
    roll_twice<kAhead>(keys.size(), ask, look, use);
  });
  return cost;
}

template Cost OverflowBlockedBloom::query<true>(Keys, Matches&) const;
template Cost OverflowBlockedBloom::query<false>(Keys, Matches&) const;

Footprint OverflowBlockedBloom::footprint() const {
  Footprint result{.nodes = levels_.size(), .height = levels_.size() - 1};
  result.memory_bytes = bytes_of(levels_) + bytes_of(arenas_);
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    result.storage_bytes += levels_[i].sizes.bytes();
    result.memory_bytes += arenas_[i].resident_bytes();
  }
  return result;
}

std::uint64_t OverflowBlockedBloom::full_blocks(std::size_t level) const {
  std::uint64_t full = 0;
  for_blocks(level, [&](std::uint64_t, const Word* block) { full += places_left(block) == 0; });
  return full;
}

std::string OverflowBlockedBloom::validate() const {
  std::string problem;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const std::uint64_t least = is_last(i) ? 1 : 0, most = is_last(i) ? 1 : levels_[i].capacity;
    for_blocks(i, [&](std::uint64_t b, const Word* block) {
      const Word left = places_left(block);
      if (left < least || left > most) problem = fmt::format("block {} of level {} has {} places left", b, i, left);
    });
  }
  return problem;
}

double OverflowBlockedBloom::expected_false_positive_rate(std::uint64_t n) const {
  std::vector<double> keys = {static_cast<double>(n)};
  for (std::size_t i = 0; !is_last(i); ++i) {
    keys.push_back(spill_of(levels_[i], static_cast<double>(levels_[i].sizes.blocks), keys[i]));
  }
  double rate = 0;
  for (std::size_t i = levels_.size(); i-- > 0;) {
    rate = rate_of_level(levels_[i], static_cast<double>(levels_[i].sizes.blocks), keys[i], rate);
  }
  return rate;
}

}  // namespace bloomery
