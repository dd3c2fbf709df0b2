#include "structures/hash.h"

namespace bloomery {
namespace {

// x mod m for x, m < 2^32 with two multiplications (Lemire, Kaser, Kurz 2019), where inverse = ceil(2^64 / m).
std::uint32_t fast_mod(std::uint32_t x, std::uint64_t inverse, std::uint64_t m) {
  return static_cast<std::uint32_t>((static_cast<Wide>(inverse * x) * m) >> 64);
}

}  // namespace

HashKind parse_hash(const std::string& name) {
  if (name == "multiplicative") return HashKind::kMultiplicative;
  return name == "double" ? HashKind::kDouble : HashKind::kModulo;
}

Hasher::Hasher(HashKind kind, std::uint64_t m, std::uint64_t k, std::uint64_t seed)
    : kind_(kind), m_(m), k_(k), seed_(mix64(seed + 0x9e3779b97f4a7c15U)), inverse_(~std::uint64_t{0} / m + 1) {
  std::uint64_t state = seed_;
  for (std::uint64_t i = 0; i < k; ++i) {
    state += 0x9e3779b97f4a7c15U;
    multipliers_.push_back(static_cast<std::uint32_t>(mix64(state) & 0x7fffffffU) | 1U);
  }
}

Hasher Hasher::halved() const {
  Hasher half = *this;
  half.m_ = m_ / 2;
  half.inverse_ = ~std::uint64_t{0} / half.m_ + 1;
  return half;
}

void Hasher::positions(const std::uint64_t* keys, std::size_t count, std::uint64_t* out) const {
  switch (kind_) {
    case HashKind::kMultiplicative:
      // Taken mod 2^31 before mod m, as the authors' program does. With a x mod m alone, x and x + m would share all
      // their positions under every hash function. Only the low 31 bits of a key count.
      for (std::size_t i = 0; i < count; ++i) {
        const auto x = static_cast<std::uint32_t>(keys[i]);
        for (std::uint64_t j = 0; j < k_; ++j) *out++ = fast_mod((multipliers_[j] * x) & 0x7fffffffU, inverse_, m_);
      }
      break;
    case HashKind::kDouble:
      for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t h = mix64(keys[i] ^ seed_);
        const std::uint64_t step = mix64(h) | 1;
        for (std::uint64_t j = 0; j < k_; ++j, h += step) *out++ = scaled(h, m_);
      }
      break;
    case HashKind::kModulo:
      for (std::size_t i = 0; i < count; ++i) {
        for (std::uint64_t j = 0; j < k_; ++j) *out++ = (keys[i] + j) % m_;
      }
      break;
  }
}

}  // namespace bloomery
