// A binary arithmetic coder: bits that are ones with a known probability, in as little room as that probability allows.
//
// Both sides keep an interval of 64 bits. A bit takes the part of it that its probability says; the code is a number in
// what is left. Probabilities have 32 bits and the interval never fewer than 56, so that rounding costs less than a
// millionth of the size; beyond the entropy there are only the last bytes.
#ifndef BLOOMERY_STRUCTURES_ARITHMETIC_CODER_H_
#define BLOOMERY_STRUCTURES_ARITHMETIC_CODER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "structures/bits.h"

namespace bloomery {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

// That the next bit is a one, in parts of 2^32; neither 0 nor all, so that any bit can be coded.
using Chance = std::uint32_t;
inline constexpr Chance kEven = Chance{1} << 31;

Chance chance_of(std::uint64_t ones, std::uint64_t bits);

class BitEncoder {
 public:
  void put(bool bit, Chance one);
  void put_number(std::uint64_t number, int width);  // its low bits, without a model
  Bytes finish();                                    // once, after the last bit

 private:
  void carry();

  std::uint64_t low_ = 0, range_ = ~std::uint64_t{0};
  Bytes bytes_;
};

// Reads any bytes: those that no encoder wrote give some bits, and past the end there are zeros.
class BitDecoder {
 public:
  explicit BitDecoder(ByteView bytes);
  bool get(Chance one);
  std::uint64_t get_number(int width);

 private:
  std::uint64_t next_byte() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }

  ByteView bytes_;
  std::size_t at_ = 0;
  std::uint64_t value_ = 0, range_ = ~std::uint64_t{0};
};

// --- stretches of a bit array ----------------------------------------------------------------------------------------

struct BitStretch {
  std::uint64_t first = 0, bits = 0;
};

// One probability for the whole stretch, that of its ones; a stretch that is all alike takes no bytes.
Bytes encode_stretch(const Word* words, BitStretch stretch, std::uint64_t ones);
// Into bits that are zero. False if the bytes are not those of so many ones.
bool decode_stretch(ByteView bytes, std::uint64_t ones, Word* words, BitStretch stretch);

// A probability for every filter of `m` bits that the stretch is cut into. For the decoder each filter's ones must be
// written too, which is what this way of coding pays for.
struct FilterwiseCode {
  Bytes bytes;
  std::uint64_t count_bits = 0;  // of the bytes' bits: those that write the numbers of ones
};
FilterwiseCode encode_filterwise(const Word* words, BitStretch stretch, std::uint64_t m);
void decode_filterwise(ByteView bytes, Word* words, BitStretch stretch, std::uint64_t m);

// Shannon's bound for bits of which so many are ones, each with that probability.
double entropy_bits(std::uint64_t ones, std::uint64_t bits);

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_ARITHMETIC_CODER_H_
