// Reserving places in filters that hold a limited number of keys, with the policies of bits.h.
//
// A counter only says who goes where. It orders no other memory, so that it is relaxed; where a counter shares its word
// with a link, update_word releases, and who loads the word to follow the link acquires.
#ifndef BLOOMERY_STRUCTURES_PLACES_H_
#define BLOOMERY_STRUCTURES_PLACES_H_

#include <concepts>
#include <cstdint>

#include "structures/bits.h"

namespace bloomery {

// Adds to the counter and returns what it was before.
template <class Policy>
std::uint64_t take_places(std::uint64_t* counter, std::uint64_t amount) {
  if constexpr (std::same_as<Policy, AtomicBits>) return __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
  const std::uint64_t old = load_word(counter);
  __atomic_store_n(counter, old + amount, __ATOMIC_RELAXED);
  return old;
}

// Puts `desired` where `expected` is; if something else is there, returns false and puts that into `expected`.
template <class Policy>
bool update_word(Word* word, Word& expected, Word desired) {
  if constexpr (std::same_as<Policy, AtomicBits>) {
    return __atomic_compare_exchange_n(word, &expected, desired, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
  __atomic_store_n(word, desired, __ATOMIC_RELEASE);
  return true;
}

inline Word acquire_word(const Word* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_PLACES_H_
