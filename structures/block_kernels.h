// The bits of a key in its block: a kernel for blocks of one cache line and one for blocks of any other size.
//
// A kernel has fetch, test and merge; that of larger blocks can also fetch in two steps, because most keys that a block
// does not hold fail at their first bits.
#ifndef BLOOMERY_STRUCTURES_BLOCK_KERNELS_H_
#define BLOOMERY_STRUCTURES_BLOCK_KERNELS_H_

#include "structures/line_block.h"
#include "structures/probes.h"

namespace bloomery {

inline constexpr std::uint64_t kLineBytes = 64;

// A block of any whole number of words, of which the first kHeadWords belong to someone else. Up to 2^23 bits: even
// then no position is more likely than another by more than one part in 2^9.
template <std::size_t kHeadWords = 0>
class AnyBlock {
 public:
  static constexpr bool kOneLine = false;

  AnyBlock(std::uint64_t block_bits, std::uint32_t k) : m_(block_bits - kHeadWords * 64), k_(k) {}

  // What most keys need, and what a key still needs that may be in the block.
  void fetch_first(const Word* block, std::uint64_t hash) const { fetch(block, hash, 0, std::min(k_, kFirst)); }
  void fetch_rest(const Word* block, std::uint64_t hash) const {
    std::uint32_t read = 0;
    if (all_set(bits(block), 0, PairedProbes(hash, m_), std::min(k_, kFirst), read)) fetch(block, hash, kFirst, k_);
  }
  void fetch(const Word* block, std::uint64_t hash) const { fetch(block, hash, 0, k_); }

  bool test(const Word* block, std::uint64_t hash, std::uint32_t& read) const {
    const bool all = all_set(bits(block), 0, PairedProbes(hash, m_), k_, read);
    read += kHeadWords;
    return all;
  }
  template <class Policy>
  void merge(Policy policy, Word* block, std::uint64_t hash) const {
    set_all(policy, block + kHeadWords, 0, PairedProbes(hash, m_), k_);
  }

 private:
  static constexpr std::uint32_t kFirst = 2;

  static const Word* bits(const Word* block) { return block + kHeadWords; }
  void fetch(const Word* block, std::uint64_t hash, std::uint32_t from, std::uint32_t to) const {
    if (kHeadWords > 0 && from == 0) prefetch(block);
    PairedProbes probes(hash, m_);
    for (std::uint32_t i = 0; i < to; ++i) {
      const std::uint64_t position = probes.next();
      if (i >= from) prefetch(bits(block) + position / 64);
    }
  }

  std::uint64_t m_;
  std::uint32_t k_;
};

// Calls body with the kernel for such blocks. A head takes some bits of a line, or a word of any other block, except
// that of one bit, which only lines have.
template <unsigned kHeadBits, class Body>
void with_block(std::uint64_t block_bytes, std::uint64_t hashes, Body&& body) {
  const auto k = static_cast<std::uint32_t>(hashes);
  if (block_bytes != kLineBytes) return body(AnyBlock<(kHeadBits > kTaken)>(block_bytes * 8, k));
  if (k <= 8) return body(LineBlock<1, kHeadBits>(k));
  if (k <= 16) return body(LineBlock<2, kHeadBits>(k));
  if (k <= 32) return body(LineBlock<4, kHeadBits>(k));
  body(LineBlock<8, kHeadBits>(k));
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BLOCK_KERNELS_H_
