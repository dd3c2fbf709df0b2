// The yardstick of flat layouts: reads as many bytes as k rows of N bits hold, one after the other, and answers nothing.
// What a flat_bloofi reads a second, divided by what this reads a second, says how near it is to the memory's pace.
#ifndef BLOOMERY_STRUCTURES_STREAM_H_
#define BLOOMERY_STRUCTURES_STREAM_H_

#include "structures/arena.h"
#include "structures/filter_shape.h"

namespace bloomery {

class Stream {
 public:
  static constexpr bool kConcurrentInsert = false;

  explicit Stream(Params& params);
  Cost build(Sets sets, const Executor& executor);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;

 private:
  FilterShape shape_;
  std::size_t row_words_ = 0;
  std::size_t words_ = 0;  // a power of two
  Arena memory_;           // one slot
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_STREAM_H_
