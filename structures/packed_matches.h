// Matches as they travel: few of them as the gaps between one and the next, many as a bit for every key and set.
#ifndef BLOOMERY_STRUCTURES_PACKED_MATCHES_H_
#define BLOOMERY_STRUCTURES_PACKED_MATCHES_H_

#include "structures/matches.h"
#include "structures/ranks.h"

namespace bloomery {

// Appends to `out`. The matches are those of a batch of `keys` keys, in any order.
void pack_matches(std::span<const Match> matches, std::size_t keys, Message& out);

// Pushes what was packed: index + first_index, and set * stride + offset. Throws RankLost for anything that
// pack_matches did not write for a batch of so many keys.
void unpack_matches(MessageView packed, std::size_t keys, std::uint32_t first_index, std::uint32_t stride,
                    std::uint32_t offset, Matches& out);

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_PACKED_MATCHES_H_
