// From a key to the k bit positions of a filter.
#ifndef BLOOMERY_STRUCTURES_HASH_H_
#define BLOOMERY_STRUCTURES_HASH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bloomery {

// A bijection of 64 bits that leaves no pattern of its input (the finaliser of SplitMix64).
inline std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9U;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

__extension__ using Wide = unsigned __int128;

// x scaled from [0, 2^64) to [0, range): a hash to a place without a division.
inline std::uint64_t scaled(std::uint64_t x, std::uint64_t range) {
  return static_cast<std::uint64_t>((Wide{x} * range) >> 64);
}

enum class HashKind {
  kMultiplicative,  // Bloofi: h_i(x) = ((a_i x) mod 2^31) mod m, each a_i random and odd
  kDouble,          // one 64-bit hash gives a start and a step; position i is their sum scaled to [0, m)
  kModulo,          // x mod m: the worked examples of the Bloofi paper
};

class Hasher {
 public:
  Hasher(HashKind kind, std::uint64_t m, std::uint64_t k, std::uint64_t seed);

  HashKind kind() const { return kind_; }
  std::uint64_t k() const { return k_; }
  std::uint64_t m() const { return m_; }
  std::uint64_t seed() const { return seed_; }  // of which another hasher can derive its own

  // The same functions onto half as many bits; m must be even. With modulo and multiplicative, position p becomes
  // p mod m/2; with double hashing, which scales, it becomes p/2 rounded down.
  Hasher halved() const;
  friend bool operator==(const Hasher&, const Hasher&) = default;

  // Writes k positions a key, key after key.
  void positions(const std::uint64_t* keys, std::size_t count, std::uint64_t* out) const;

 private:
  HashKind kind_;
  std::uint64_t m_;
  std::uint64_t k_;
  std::uint64_t seed_;
  std::uint64_t inverse_;                   // of m, for a modulo without a division
  std::vector<std::uint32_t> multipliers_;  // multiplicative only
};

HashKind parse_hash(const std::string& name);

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_HASH_H_
