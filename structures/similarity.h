// How near two Bloom filters are, and an order that puts near ones next to each other.
#ifndef BLOOMERY_STRUCTURES_SIMILARITY_H_
#define BLOOMERY_STRUCTURES_SIMILARITY_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "structures/bits.h"
#include "structures/parallel.h"

namespace bloomery {

enum class Similarity { kHamming, kJaccard, kCosine };

Similarity parse_similarity(const std::string& name);

// Every metric of the paper follows from |A|, |B| and |A and B|.
inline double distance(Similarity metric, std::uint64_t a, std::uint64_t b, std::uint64_t common) {
  const auto i = static_cast<double>(common);
  const auto sum = static_cast<double>(a + b);
  switch (metric) {
    case Similarity::kHamming:
      return sum - 2 * i;
    case Similarity::kJaccard:
      return sum == 0 ? 0 : 1 - i / (sum - i);
    case Similarity::kCosine:
      return a == 0 || b == 0 ? 1 : 1 - i / std::sqrt(static_cast<double>(a) * static_cast<double>(b));
  }
  return 0;
}

// Whatever the bits are, the distance is at least this: the smaller filter may lie wholly within the larger.
inline double distance_bound(Similarity metric, std::uint64_t a, std::uint64_t b) {
  return distance(metric, a, b, a < b ? a : b);
}

// The paper's bulk order: the filter nearest to the empty one, then the one nearest to that, and so on; the lowest
// index on ties. O(N^2) distances, each step in parallel. Exact.
std::vector<std::uint32_t> nearest_neighbour_order(const std::vector<const Word*>& filters, std::size_t words,
                                                   Similarity metric, const Executor& executor);

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_SIMILARITY_H_
