// One block of 512 bits, a cache line, and the k bits that a key has in it.
//
// Positions must be as good as independent: there are so few bits that double hashing would show (see probes.h). Eight
// lanes of 32 bits, each the key's hash times a salt of its own and mixed once more, give two positions of nine bits
// each; beyond 16 positions the hash is renewed.
//
// The portable functions are the definition; the vector ones must give the same bits.
#ifndef BLOOMERY_STRUCTURES_LINE_BLOCK_H_
#define BLOOMERY_STRUCTURES_LINE_BLOCK_H_

#include <algorithm>
#include <array>

#include "structures/bits.h"
#include "structures/probes.h"
#include "structures/split_block.h"

namespace bloomery {

// kRounds x 8 positions are worked out, the first k of them count. The low kHeadBits bits of the block belong to
// someone else: positions that fall there are left out.
template <std::size_t kRounds, unsigned kHeadBits = 0>
class LineBlock {
 public:
  static_assert(kRounds >= 1 && kRounds <= 8 && kHeadBits < 32);
  static constexpr bool kOneLine = true;
  static constexpr std::size_t kWords = 8;
  using Mask = std::array<Word, kWords>;  // the bits of a key

  explicit LineBlock(std::uint32_t k) : k_(k) {}

  static void fetch(const Word* block, std::uint64_t) { prefetch(block); }

  // Whether the block has every bit of the key. `read` is the words looked at: always all of them.
  bool test(const Word* block, std::uint64_t hash, std::uint32_t& read) const {
    read = kWords;
    return test(block, hash);
  }

  Mask portable_mask(std::uint64_t hash) const {
    Mask mask{};
    for (std::uint32_t i = 0; i < k_; ++i) {
      const std::uint32_t position = lane(round_hash(hash, i / kLanes), i % kLanes) << shift_of(i / kLanes) >> 23;
      mask[position / 64] |= Word{1} << (position % 64);
    }
    mask[0] &= ~kHead;
    return mask;
  }
  bool portable_test(const Word* block, std::uint64_t hash) const {
    const Mask mask = portable_mask(hash);
    Word missing = 0;
    for (std::size_t w = 0; w < kWords; ++w) missing |= mask[w] & ~load_word(block + w);
    return missing == 0;
  }

#ifdef BLOOMERY_AVX2
  // Every lane is held against each of the line's 16 halves of words in turn: no detour over memory, where a bit would
  // wait for the one before it.
  Mask mask(std::uint64_t hash) const {
    const __m256i next = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0), order = in_order();
    const __m256i order_of_high = _mm256_add_epi32(order, _mm256_set1_epi32(8));
    const __m256i head = _mm256_set_epi64x(0, 0, 0, static_cast<std::int64_t>(kHead));
    __m256i low = _mm256_setzero_si256(), high = low;
    each_round(hash, [&](std::size_t round, __m256i lanes) {
      __m256i at = _mm256_srli_epi32(lanes, 28), bits = bits_of(round, lanes);
      for (std::size_t turn = 0; turn < kLanes; ++turn) {
        low = _mm256_or_si256(low, _mm256_and_si256(bits, _mm256_cmpeq_epi32(at, order)));
        high = _mm256_or_si256(high, _mm256_and_si256(bits, _mm256_cmpeq_epi32(at, order_of_high)));
        at = _mm256_permutevar8x32_epi32(at, next);
        bits = _mm256_permutevar8x32_epi32(bits, next);
      }
    });
    alignas(32) Mask mask;
    _mm256_store_si256(reinterpret_cast<__m256i*>(mask.data()), _mm256_andnot_si256(head, low));
    _mm256_store_si256(reinterpret_cast<__m256i*>(mask.data()) + 1, high);
    return mask;
  }
  // Every lane picks, of the line's 16 halves of words, the one that its position is in, and looks at its bit there.
  bool test(const Word* block, std::uint64_t hash) const {
    const auto* line = reinterpret_cast<const __m256i*>(block);
    const __m256i head = _mm256_set_epi64x(0, 0, 0, static_cast<std::int64_t>(kHead));
    const __m256i low = _mm256_or_si256(_mm256_load_si256(line), head), high = _mm256_load_si256(line + 1);
    __m256i missing = _mm256_setzero_si256();
    each_round(hash, [&](std::size_t round, __m256i lanes) {
      const __m256i at = _mm256_srli_epi32(lanes, 28);
      const __m256 of_low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, at));
      const __m256 of_high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, at));
      // The top bit of a lane says which of the two; a blend looks at no other.
      const __m256i word = _mm256_castps_si256(_mm256_blendv_ps(of_low, of_high, _mm256_castsi256_ps(lanes)));
      missing = _mm256_or_si256(missing, _mm256_andnot_si256(word, bits_of(round, lanes)));
    });
    return _mm256_testz_si256(missing, missing) != 0;
  }
#else
  Mask mask(std::uint64_t hash) const { return portable_mask(hash); }
  bool test(const Word* block, std::uint64_t hash) const { return portable_test(block, hash); }
#endif

  template <class Policy>
  void merge(Policy, Word* block, std::uint64_t hash) const {
    merge_mask<Policy>(block, mask(hash));
  }

 private:
  static constexpr std::size_t kLanes = 8;
  static constexpr std::uint32_t kMixer = 0x2c1b3c6dU;  // odd, with bits all over
  static constexpr Word kHead = (Word{1} << kHeadBits) - 1;

  // Two rounds share a hash: the second takes the bits below those of the first.
  static std::uint32_t round_hash(std::uint64_t hash, std::size_t round) {
    return static_cast<std::uint32_t>(round < 2 ? hash : mix64(link_hash(hash, round / 2)));
  }
  static int shift_of(std::size_t round) { return round % 2 == 0 ? 0 : 9; }
  static std::uint32_t lane(std::uint32_t hash, std::size_t lane) {
    const std::uint32_t product = hash * kLaneSalts[lane];
    return (product ^ product >> 15) * kMixer;
  }

#ifdef BLOOMERY_AVX2
  template <class Body>
  static void each_round(std::uint64_t hash, const Body& body) {
    __m256i mixed = _mm256_setzero_si256();
    for (std::size_t round = 0; round < kRounds; ++round) {
      if (round % 2 == 0) mixed = lanes(round_hash(hash, round));
      body(round, _mm256_slli_epi32(mixed, shift_of(round)));
    }
  }
  static __m256i lanes(std::uint32_t hash) {
    const __m256i salts = _mm256_load_si256(reinterpret_cast<const __m256i*>(kLaneSalts));
    const __m256i products = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(hash)), salts);
    const __m256i folded = _mm256_xor_si256(products, _mm256_srli_epi32(products, 15));
    return _mm256_mullo_epi32(folded, _mm256_set1_epi32(static_cast<int>(kMixer)));
  }
  static __m256i in_order() { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
  // The bit of every lane in its half of a word; none where the position is not among the first k.
  __m256i bits_of(std::size_t round, __m256i lanes) const {
    const __m256i left = _mm256_set1_epi32(static_cast<int>(k_) - static_cast<int>(round * kLanes));
    const __m256i one = _mm256_srli_epi32(_mm256_cmpgt_epi32(left, in_order()), 31);
    return _mm256_sllv_epi32(one, _mm256_srli_epi32(_mm256_slli_epi32(lanes, 4), 27));
  }
#endif

  std::uint32_t k_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_LINE_BLOCK_H_
