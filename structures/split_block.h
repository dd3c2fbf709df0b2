// One block of a split-block filter: 8 or 16 lanes of 32 bits, and of each lane the one bit that a key has there.
//
// The portable functions are the definition; the vector ones must give the same bits.
#ifndef BLOOMERY_STRUCTURES_SPLIT_BLOCK_H_
#define BLOOMERY_STRUCTURES_SPLIT_BLOCK_H_

#include <array>
#include <concepts>

#include "structures/bits.h"

namespace bloomery {

inline constexpr std::size_t kLaneBits = 32;

// Odd multipliers, one a lane: the high five bits of a product choose the lane's bit. The first eight are Parquet's.
alignas(32) inline constexpr std::uint32_t kLaneSalts[16] = {
    0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU, 0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U,
    0xd1342543U, 0x9e3779b1U, 0xc2b2ae3dU, 0x27d4eb2fU, 0x85ebca6bU, 0x165667b1U, 0xcc9e2d51U, 0xe6546b65U};

// Sets the bits of a mask. An atomic OR costs about as much as a cached line, so that only words that lack a bit get
// one; which these are is found out first and without branches, as nobody can predict it.
template <class Policy, std::size_t kWords>
void merge_mask(Word* block, const std::array<Word, kWords>& mask) {
  if constexpr (std::same_as<Policy, SerialBits>) {
    for (std::size_t w = 0; w < kWords; ++w) Policy::merge(block + w, mask[w]);
  } else {
    std::size_t lacking[kWords], count = 0;
    for (std::size_t w = 0; w < kWords; ++w) {
      lacking[count] = w;
      count += (mask[w] & ~load_word(block + w)) != 0;
    }
    for (std::size_t i = 0; i < count; ++i) __atomic_fetch_or(block + lacking[i], mask[lacking[i]], __ATOMIC_RELAXED);
  }
}

#ifdef BLOOMERY_AVX2
inline __m256i load_four(const Word* words) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)); }
#endif

// The same by plain stores of as many words at once as there are registers for, for who holds the block's stripe.
template <std::size_t kWords>
void put_mask(Word* block, const std::array<Word, kWords>& mask) {
#ifdef BLOOMERY_AVX2
  for (std::size_t w = 0; w < kWords; w += 4) {
    auto* four = reinterpret_cast<__m256i*>(block + w);
    _mm256_store_si256(four, _mm256_or_si256(_mm256_load_si256(four), load_four(mask.data() + w)));
  }
#else
  merge_mask<SerialBits>(block, mask);
#endif
}

template <std::size_t kLanes>
struct SplitBlock {
  static_assert(kLanes == 8 || kLanes == 16);
  static constexpr std::size_t kWords = kLanes / 2;
  using Mask = std::array<Word, kWords>;  // the bits of a key

  static Mask portable_mask(std::uint32_t hash) {
    Mask mask{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      mask[lane / 2] |= Word{1} << ((hash * kLaneSalts[lane] >> 27) + lane % 2 * kLaneBits);
    }
    return mask;
  }
  static bool portable_test(const Word* block, std::uint32_t hash) {
    const Mask mask = portable_mask(hash);
    Word missing = 0;
    for (std::size_t w = 0; w < kWords; ++w) missing |= mask[w] & ~load_word(block + w);
    return missing == 0;
  }

#ifdef BLOOMERY_AVX2
  // Eight lanes, from number 8 x half on.
  static __m256i lanes(std::uint32_t hash, std::size_t half) {
    const __m256i salts = _mm256_load_si256(reinterpret_cast<const __m256i*>(kLaneSalts) + half);
    const __m256i products = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(hash)), salts);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(products, 27));
  }
  static Mask mask(std::uint32_t hash) {
    alignas(32) Mask result;
    for (std::size_t half = 0; half < kLanes / 8; ++half) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(result.data()) + half, lanes(hash, half));
    }
    return result;
  }
  static bool test(const Word* block, std::uint32_t hash) {
    int all = 1;
    for (std::size_t half = 0; half < kLanes / 8; ++half) {
      all &= _mm256_testc_si256(_mm256_load_si256(reinterpret_cast<const __m256i*>(block) + half), lanes(hash, half));
    }
    return all != 0;
  }
#else
  static Mask mask(std::uint32_t hash) { return portable_mask(hash); }
  static bool test(const Word* block, std::uint32_t hash) { return portable_test(block, hash); }
#endif
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_SPLIT_BLOCK_H_
