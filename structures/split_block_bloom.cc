#include "structures/split_block_bloom.h"

#include <cstring>

#include "structures/block_theory.h"
#include "structures/filter_shape.h"
#include "structures/rolling.h"
#include "structures/split_block.h"

namespace bloomery {
namespace {

double rate_of(double blocks, std::uint64_t block_bytes, std::uint64_t n) {
  const auto lanes = static_cast<double>(block_bytes * 8 / kLaneBits);
  return split_block_false_positive_rate(blocks, lanes, kLaneBits, static_cast<double>(n));
}

BlockSizes sizes_of(Params& params) {
  const Wanted wanted(params);
  const std::uint64_t bytes = params.choice("block", "32", {"32", "64"}, "bytes of a block: 8 or 16 bits a key") == "32" ? 32 : 64;
  return BlockSizes(params, wanted, bytes, [&](double blocks) { return rate_of(blocks, bytes, wanted.n_exp); });
}

// Calls body with the number of lanes as a constant.
template <class Body>
void with_lanes(std::uint64_t block_bytes, Body&& body) {
  block_bytes == 32 ? body(std::integral_constant<std::size_t, 8>{}) : body(std::integral_constant<std::size_t, 16>{});
}

}  // namespace

SplitBlockBloom::SplitBlockBloom(Params& params)
    : sizes_(sizes_of(params)),
      seed_(ask_mixed_seed(params)),
      stripes_(ask_atomic(params) ? std::make_unique<Stripes>(sizes_.blocks) : nullptr),
      arena_(words_for(sizes_.bytes() * 8)) {
  arena_.allocate();
}

// The high half of a key's hash chooses the block, the low half the bits in it.
template <std::size_t kLanes>
void SplitBlockBloom::insert_lanes(Keys keys) {
  using Block = SplitBlock<kLanes>;
  Word* words = bits();
  const std::uint64_t blocks = sizes_.blocks, seed = seed_;
  const auto block_of = [=](std::uint64_t hash) { return scaled(hash, blocks); };
  insert_blocks(
      stripes_, keys.size(),
      [&](std::size_t i) {
        const std::uint64_t hash = mix64(keys[i] ^ seed);
        __builtin_prefetch(words + block_of(hash) * Block::kWords, 1, 3);
        return hash;
      },
      block_of,
      [&](std::uint64_t hash) {
        put_mask(words + block_of(hash) * Block::kWords, Block::mask(static_cast<std::uint32_t>(hash)));
      });
}

Cost SplitBlockBloom::insert(SetId, Keys keys) {
  with_lanes(sizes_.block_bytes, [&](auto lanes) { insert_lanes<lanes>(keys); });
  return {.filters = 1, .nodes = 1};
}

Cost SplitBlockBloom::replace(SetId id, Keys keys) {
  std::memset(bits(), 0, sizes_.bytes());
  return insert(id, keys);
}

template <std::size_t kLanes>
void SplitBlockBloom::query_lanes(Keys keys, Matches& out) const {
  using Block = SplitBlock<kLanes>;
  const Word* words = bits();
  const std::uint64_t blocks = sizes_.blocks, seed = seed_;
  const auto block_of = [=](std::uint64_t hash) { return words + scaled(hash, blocks) * Block::kWords; };
  Matches::Writer writer(out, keys.size());
  roll(
      keys.size(),
      [&](std::size_t i) {
        const std::uint64_t hash = mix64(keys[i] ^ seed);
        prefetch(block_of(hash));
        return hash;
      },
      [&](std::size_t i, std::uint64_t hash) {
        const bool hit = Block::test(block_of(hash), static_cast<std::uint32_t>(hash));
        writer.push(static_cast<std::uint32_t>(i), 0, hit);
      });
}

template <bool kCount>
Cost SplitBlockBloom::query(Keys keys, Matches& out) const {
  with_lanes(sizes_.block_bytes, [&](auto lanes) { query_lanes<lanes>(keys, out); });
  if constexpr (!kCount) return {};
  return {.bf_checks = keys.size(), .words = keys.size() * block_words(), .lines = keys.size()};
}

template Cost SplitBlockBloom::query<true>(Keys, Matches&) const;
template Cost SplitBlockBloom::query<false>(Keys, Matches&) const;

Footprint SplitBlockBloom::footprint() const {
  return {.storage_bytes = sizes_.bytes(), .memory_bytes = arena_.resident_bytes() + bytes_of(stripes_), .nodes = 1};
}

double SplitBlockBloom::expected_false_positive_rate(std::uint64_t n) const {
  return rate_of(static_cast<double>(sizes_.blocks), sizes_.block_bytes, n);
}

}  // namespace bloomery
