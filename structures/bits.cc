#include "structures/bits.h"

namespace bloomery {
namespace {

// Instances for CPUs that count bits in vector registers are chosen once, at load time, by the dynamic linker.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#define BLOOMERY_CLONES \
  __attribute__((target_clones("arch=icelake-server", "avx2,popcnt", "default"), optimize("O3", "unroll-loops")))
#else
#define BLOOMERY_CLONES
#endif

// Queries may be reading the word. A plain store, so that a vector of them is one instruction (see bits.h).
inline void put(Word* word, Word value) {
#ifdef __SANITIZE_THREAD__
  store_word(word, value);
#else
  *word = value;
#endif
}

}  // namespace

BLOOMERY_CLONES std::uint64_t count_ones(const Word* a, std::size_t words) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < words; ++i) total += static_cast<std::uint64_t>(__builtin_popcountll(a[i]));
  return total;
}

BLOOMERY_CLONES std::uint64_t count_common(const Word* a, const Word* b, std::size_t words) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < words; ++i) total += static_cast<std::uint64_t>(__builtin_popcountll(a[i] & b[i]));
  return total;
}

BLOOMERY_CLONES std::uint64_t or_into(Word* target, const Word* source, std::size_t words) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < words; ++i) {
    const Word value = target[i] | source[i];
    put(target + i, value);
    total += static_cast<std::uint64_t>(__builtin_popcountll(value));
  }
  return total;
}

BLOOMERY_CLONES void copy_into(Word* target, const Word* source, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) put(target + i, source[i]);
}

}  // namespace bloomery
