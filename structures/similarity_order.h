// An order of filters that puts similar ones next to each other, for far less than the exact one of similarity.h.
#ifndef BLOOMERY_STRUCTURES_SIMILARITY_ORDER_H_
#define BLOOMERY_STRUCTURES_SIMILARITY_ORDER_H_

#include <cstdint>
#include <vector>

#include "structures/similarity.h"

namespace bloomery {

// From each filter to one that is near, as nearest_neighbour_order() goes, but looking less far: common bits are counted
// in a sample of all bit positions, for each position among the first filters only that have the bit and are still left,
// and what then looks best is compared in full. A step costs the same however many filters there are; O(N log N) in all,
// each step in parallel. The order depends on the filters alone, not on the threads.
std::vector<std::uint32_t> near_order(const std::vector<const Word*>& filters, std::size_t words, Similarity metric,
                                      const Executor& executor);

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_SIMILARITY_ORDER_H_
