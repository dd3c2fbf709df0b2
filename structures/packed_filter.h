// A filter as bytes, to be sent: arithmetic-coded, versioned, checksummed.
//
//   "BLMF" | version:4 | numbers of the shape:4 | stretches:4
//   shape: 8 bytes a number | stretches: ones:8, bytes:8 of each | codes, one after the other | XXH3 of all that:8
//
// All numbers are little-endian. The shape is what sender and receiver must agree on for the bits to mean the same
// (what kind of filter, m, k, seed ...). The receiver has a filter of that shape and reads into it: how much memory and
// time it takes is the receiver's own doing, never what the bytes claim.
#ifndef BLOOMERY_STRUCTURES_PACKED_FILTER_H_
#define BLOOMERY_STRUCTURES_PACKED_FILTER_H_

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "structures/arithmetic_coder.h"

namespace bloomery {

// Bytes that are not a packed filter, or not one for this receiver. The message says what is wrong with them.
class PackedFilterError : public std::runtime_error {
 public:
  explicit PackedFilterError(const std::string& message) : std::runtime_error("packed filter: " + message) {}
};

// Kinds of filters: the first number of a shape.
inline constexpr std::uint64_t kPackedBloom = 1, kPackedTree = 2;

// What a filter is, and the lengths of the stretches that its bits are coded in, each with one probability.
struct PackedShape {
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> stretch_bits;

  std::uint64_t bits() const;
};

Bytes pack_filter(const PackedShape& shape, const Word* words);

// The words of the filter; throws a PackedFilterError unless the bytes are exactly those of a filter of this shape.
std::vector<Word> unpack_filter(const PackedShape& shape, ByteView bytes);

// Size of the codes alone, in bits: what the filter costs to send once the receiver knows what it is.
std::uint64_t coded_bits(const PackedShape& shape, const Word* words);

// What a compressor makes of the same stretches that does not know that they are bits of one probability: zstd, at its
// usual level.
std::uint64_t zstd_bits(const PackedShape& shape, const Word* words);

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_PACKED_FILTER_H_
