// The bits of a key, one after the other and only as many as are asked for.
//
// Filters of a few hundred bits need positions that are independent of each other. Double hashing, H1 + i H2, gives a key
// only about m^2 different sets of positions, some of them (H2 = 0, m/2, m/3 ...) of very few bits: false positives of the
// order of 1/m, whatever k is. A large filter never notices; one of 500 keys misses its rate from about k = 13 on.
#ifndef BLOOMERY_STRUCTURES_PROBES_H_
#define BLOOMERY_STRUCTURES_PROBES_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "structures/bits.h"
#include "structures/hash.h"

namespace bloomery {

// A hash for each link of a chain, from the one hash of the key: a false positive in one says nothing about the next.
inline std::uint64_t link_hash(std::uint64_t hash, std::uint64_t link) { return hash + link * 0xd1342543de82ef95U; }

// Independent positions: the outputs of SplitMix64, started at the hash of the key.
class IndependentProbes {
 public:
  IndependentProbes() = default;
  IndependentProbes(std::uint64_t hash, std::uint64_t m) : state_(hash), m_(m) {}
  std::uint64_t next() { return scaled(mix64(state_ += 0x9e3779b97f4a7c15U), m_); }

 private:
  std::uint64_t state_, m_;
};

// Two positions from every 64-bit hash, for filters of at most 2^20 bits: half the work, and each position is as likely
// as the others to within 2^-12.
class PairedProbes {
 public:
  PairedProbes(std::uint64_t hash, std::uint64_t m) : state_(hash), m_(m) {}
  std::uint64_t next() {
    half_ = have_ ? half_ >> 32 : mix64(state_ += 0x9e3779b97f4a7c15U);
    have_ = !have_;
    return ((half_ & 0xffffffffU) * m_) >> 32;
  }

 private:
  std::uint64_t state_, m_, half_ = 0;
  bool have_ = false;
};

// As hash.h has it: start and step are 64-bit fractions of the filter.
class ScaledProbes {
 public:
  ScaledProbes() = default;
  ScaledProbes(std::uint64_t hash, std::uint64_t m) : at_(mix64(hash)), step_(mix64(at_) | 1), m_(m) {}
  std::uint64_t next() {
    const std::uint64_t position = scaled(at_, m_);
    at_ += step_;
    return position;
  }

 private:
  std::uint64_t at_, step_, m_;
};

// As Kaler's paper has it: (H1 + i H2) mod m.
class ClassicProbes {
 public:
  ClassicProbes() = default;
  ClassicProbes(std::uint64_t hash, std::uint64_t m) : at_(mix64(hash) % m), step_(mix64(mix64(hash)) % m), m_(m) {}
  std::uint64_t next() {
    const std::uint64_t position = at_;
    at_ += step_;
    if (at_ >= m_) at_ -= m_;
    return position;
  }

 private:
  std::uint64_t at_, step_, m_;
};

// Calls body with the number of each bit that is set: the keys of a group for which there is something left to do.
template <class Body>
void for_each_bit(std::uint32_t mask, Body&& body) {
  for (; mask != 0; mask &= mask - 1) body(static_cast<std::size_t>(std::countr_zero(mask)));
}

// Positions that are tested together: of the keys that a half-full filter does not hold, 15 in 16 fail in the first round,
// so that the one branch of a round is nearly always foreseen. A branch a position would be a toss of a coin.
inline constexpr std::uint32_t kRound = 4;

// Whether the next `count` positions, from bit `offset` of the words on, are all set; stops after the first round with
// one that is not. `read` is how many were looked at.
template <class Probes>
bool all_set(const Word* words, std::uint64_t offset, Probes probes, std::uint32_t count, std::uint32_t& read) {
  for (read = 0; read < count;) {
    bool all = true;
    for (const std::uint32_t end = std::min(count, read + kRound); read < end; ++read) {
      all &= test_bit(words, offset + probes.next());
    }
    if (!all) return false;
  }
  return true;
}

template <class Policy, class Probes>
void set_all(Policy policy, Word* words, std::uint64_t offset, Probes probes, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) policy.set(words, offset + probes.next());
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_PROBES_H_
