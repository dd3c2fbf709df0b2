// The bits of a key in its block: a kernel for blocks of one cache line and one for blocks of any other size.
//
// A kernel has fetch, test and merge.
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

  void fetch(const Word* block, std::uint64_t hash) const {
    if (kHeadWords > 0) prefetch(block);
    PairedProbes probes(hash, m_);
    for (std::uint32_t i = 0; i < k_; ++i) prefetch(bits(block) + probes.next() / 64);
  }

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
  static const Word* bits(const Word* block) { return block + kHeadWords; }

  std::uint64_t m_;
  std::uint32_t k_;
};

// Calls body with the kernel for blocks of one line, of which a head takes some bits.
template <unsigned kHeadBits, class Body>
void with_line(std::uint64_t hashes, Body&& body) {
  const auto k = static_cast<std::uint32_t>(hashes);
  if (k <= 8) return body(LineBlock<1, kHeadBits>(k));
  if (k <= 16) return body(LineBlock<2, kHeadBits>(k));
  if (k <= 32) return body(LineBlock<4, kHeadBits>(k));
  body(LineBlock<8, kHeadBits>(k));
}

// The same for blocks of any size; a head takes a word of those that are no line.
template <unsigned kHeadBits, class Body>
void with_block(std::uint64_t block_bytes, std::uint64_t hashes, Body&& body) {
  if (block_bytes == kLineBytes) return with_line<kHeadBits>(hashes, body);
  body(AnyBlock<(kHeadBits > 0)>(block_bytes * 8, static_cast<std::uint32_t>(hashes)));
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BLOCK_KERNELS_H_
