// Bit-level kernels over arrays of 64-bit words.
//
// Words that queries read while other threads set bits are read with relaxed atomic loads, which compile to plain moves.
// The vector kernels read such words through AVX2 registers: each aligned 8-byte lane arrives whole on every x86-64 CPU
// that has AVX2, and a bit that is set while it is being read may be seen or not, as with any concurrent insert. Under
// ThreadSanitizer, which cannot know this, the portable loops are used.
#ifndef BLOOMERY_STRUCTURES_BITS_H_
#define BLOOMERY_STRUCTURES_BITS_H_

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__AVX2__) && !defined(__SANITIZE_THREAD__)
#include <immintrin.h>
#define BLOOMERY_AVX2 1
#endif

namespace bloomery {

using Word = std::uint64_t;

inline constexpr std::size_t words_for(std::uint64_t bits) { return (bits + 63) / 64; }

inline Word load_word(const Word* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

// A word that queries may be reading. The vector kernels write such words, too, and the same holds for them.
inline void store_word(Word* word, Word value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }

// A word that stands for something else: who reads it sees what was written before it.
inline Word load_acquire(const Word* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
inline void store_release(Word* word, Word value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

inline bool test_bit(const Word* words, std::uint64_t position) {
  return (load_word(words + position / 64) >> (position % 64)) & 1;
}

inline void prefetch(const void* address) { __builtin_prefetch(address, 0, 3); }

// How a bit is set. Both return whether this call set it.
// Atomic: looks first, because most bits of a filled filter are set already and a load leaves the line shared. Who finds
// a bit set, in seen() or in set(), acquires what its writer released: everything written before it. bloofi.cc relies on
// that; on x86-64 it costs nothing over relaxed. merge() sets all the bits of a mask in one word and is relaxed: a filter
// that is nothing but its bits has nothing to publish with them.
struct AtomicBits {
  static bool seen(const Word* words, std::uint64_t position) {
    return (__atomic_load_n(words + position / 64, __ATOMIC_ACQUIRE) >> (position % 64)) & 1;
  }
  static bool set(Word* words, std::uint64_t position) {
    const Word mask = Word{1} << (position % 64);
    Word* word = words + position / 64;
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) & mask) return false;
    return (__atomic_fetch_or(word, mask, __ATOMIC_ACQ_REL) & mask) == 0;
  }
  static void merge(Word* word, Word mask) {
    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & mask) != mask) __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
  }
  static void add(std::uint64_t* counter, std::uint64_t amount) {
    __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
  }
};

// Serial: a separate load and store, as a program without atomics would do. Two threads may lose each other's bits.
struct SerialBits {
  static bool seen(const Word* words, std::uint64_t position) { return test_bit(words, position); }
  static bool set(Word* words, std::uint64_t position) {
    const Word mask = Word{1} << (position % 64);
    Word* word = words + position / 64;
    const Word old = load_word(word);
    __atomic_store_n(word, old | mask, __ATOMIC_RELAXED);
    return (old & mask) == 0;
  }
  static void merge(Word* word, Word mask) { __atomic_store_n(word, load_word(word) | mask, __ATOMIC_RELAXED); }
  static void add(std::uint64_t* counter, std::uint64_t amount) {
    __atomic_store_n(counter, load_word(counter) + amount, __ATOMIC_RELAXED);
  }
};

// How many of the k positions are set before the first that is not; stops there.
inline std::size_t leading_hits(const Word* words, const std::uint64_t* positions, std::size_t k) {
  std::size_t hits = 0;
  while (hits < k && test_bit(words, positions[hits])) ++hits;
  return hits;
}

std::uint64_t count_ones(const Word* a, std::size_t words);
std::uint64_t count_common(const Word* a, const Word* b, std::size_t words);  // |a and b|
std::uint64_t or_into(Word* target, const Word* source, std::size_t words);    // returns |target| afterwards
void copy_into(Word* target, const Word* source, std::size_t words);

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BITS_H_
