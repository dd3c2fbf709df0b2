// The yardstick of blocked filters: reads one cache line a key, chosen by chance out of as much memory as a filter of
// the same parameters has, many reads in flight, and answers nothing. No filter that is out of cache can be faster.
#ifndef BLOOMERY_STRUCTURES_LINE_READ_H_
#define BLOOMERY_STRUCTURES_LINE_READ_H_

#include "structures/arena.h"
#include "structures/filter_shape.h"

namespace bloomery {

class LineRead {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit LineRead(Params& params);
  Cost insert(SetId, Keys) { return {}; }
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;

 private:
  explicit LineRead(const FilterShape& shape);

  std::uint64_t seed_;
  std::size_t lines_;
  Arena memory_;  // one slot
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_LINE_READ_H_
