// The floor of every plot: hashes the keys of a batch and answers nothing.
#ifndef BLOOMERY_STRUCTURES_NULL_H_
#define BLOOMERY_STRUCTURES_NULL_H_

#include "structures/filter_shape.h"

namespace bloomery {

class Null {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit Null(Params& params) : shape_(params) {}
  Cost insert(SetId, Keys) { return {}; }
  Cost erase(SetId) { return {}; }
  Cost replace(SetId, Keys) { return {}; }
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const { return {}; }

 private:
  FilterShape shape_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_NULL_H_
