// The head of a block that grows cell by cell, in one word: a zeroed block is one whose first cell is empty.
//
//   | link:32 | growth cells:8 | places taken in the newest cell:24 |
#ifndef BLOOMERY_STRUCTURES_BLOCK_HEAD_H_
#define BLOOMERY_STRUCTURES_BLOCK_HEAD_H_

#include <algorithm>
#include <cstdint>

#include "structures/bits.h"
#include "structures/chain_shape.h"

namespace bloomery {

inline constexpr std::uint64_t kMostPlaces = (1U << 24) - 1, kMostGrowthCells = 255;

inline Word pack_head(Word link, Word cells, Word taken) { return link << 32 | cells << 24 | taken; }
inline std::uint32_t link_of(Word head) { return static_cast<std::uint32_t>(head >> 32); }
inline std::uint64_t cells_of(Word head) { return (head >> 24) & kMostGrowthCells; }
inline std::uint64_t taken_of(Word head) { return head & kMostPlaces; }

// Keys that a cell of so many bits is made for; a small cell may be made for none.
inline std::uint64_t places_in(const LinkShape& shape, std::uint64_t bits) {
  return std::min(kMostPlaces, static_cast<std::uint64_t>(static_cast<double>(bits) / shape.c));
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BLOCK_HEAD_H_
