// A batch of queries over rows as wide as all sets.
#ifndef BLOOMERY_STRUCTURES_FLAT_SEARCH_H_
#define BLOOMERY_STRUCTURES_FLAT_SEARCH_H_

#include "structures/bit_rows.h"
#include "structures/slots.h"
#include "structures/structure.h"

namespace bloomery {

// `positions` has k a key.
template <bool kCount>
Cost search_rows(const BitRows& matrix, const Slots& slots, std::size_t columns, const std::uint64_t* positions,
                 std::uint64_t k, std::size_t keys, Matches& out) {
  const std::size_t ahead = matrix.queries_in_flight(k, columns);
  Cost cost;
  for (std::size_t q = 0; q < keys; ++q) {
    if (q + ahead < keys) matrix.prefetch_rows(positions + (q + ahead) * k, k, 0, columns);
    const auto found = [&](std::size_t column, Word hits) { slots.push(hits, column, q, out); };
    const BitRows::Touched touched = matrix.intersect(positions + q * k, k, 0, columns, found);
    // Every filter takes part in every query.
    if constexpr (kCount) cost += {.bf_checks = columns * 64, .words = touched.words, .lines = touched.lines};
  }
  return cost;
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_FLAT_SEARCH_H_
