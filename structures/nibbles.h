// Counters of four bits, sixteen in a word, with the policies of bits.h.
//
// A counter that has reached 15 stays there: from then on nobody knows how many it stands for, and one that went down
// from it could reach 0 while keys still need it.
#ifndef BLOOMERY_STRUCTURES_NIBBLES_H_
#define BLOOMERY_STRUCTURES_NIBBLES_H_

#include <cstdint>

#include "structures/places.h"

namespace bloomery {

inline constexpr std::uint64_t kNibblesAWord = 16;
inline constexpr Word kNibbleFull = 15;

inline Word nibble_at(const Word* words, std::uint64_t i) {
  return (load_word(words + i / kNibblesAWord) >> (i % kNibblesAWord * 4)) & kNibbleFull;
}

template <class Policy>
void raise_nibble(Word* words, std::uint64_t i) {
  Word* word = words + i / kNibblesAWord;
  const std::uint64_t shift = i % kNibblesAWord * 4;
  Word old = load_word(word);
  while (((old >> shift) & kNibbleFull) != kNibbleFull && !update_word<Policy>(word, old, old + (Word{1} << shift))) {
  }
}

// For one thread. Returns whether the counter is 0 now; one that is stays so.
inline bool lower_nibble(Word* words, std::uint64_t i) {
  const Word count = nibble_at(words, i);
  if (count != 0 && count != kNibbleFull) words[i / kNibblesAWord] -= Word{1} << (i % kNibblesAWord * 4);
  return count <= 1;
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_NIBBLES_H_
