// N Bloom filters in a list, each asked in turn: the first alternative of the Bloofi paper.
#ifndef BLOOMERY_STRUCTURES_NAIVE_H_
#define BLOOMERY_STRUCTURES_NAIVE_H_

#include <vector>

#include "structures/arena.h"
#include "structures/filter_shape.h"

namespace bloomery {

// Thread safety: see structure.h; inserting keys into sets that exist is concurrent (with `atomic`, the default).
class Naive {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit Naive(Params& params);
  Cost build(Sets sets, const Executor& executor);
  Cost insert(SetId id, Keys keys);
  Cost insert_filter(SetId id, FilterBits bits);
  Cost erase(SetId id);
  Cost replace(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Filter {
    SetId id;
    std::uint32_t slot;
  };

  Word* filter_of(SetId id);  // creates the filter if there is none
  void set_bits(Word* filter, Keys keys);

  FilterShape shape_;
  Arena arena_;
  std::vector<Filter> filters_;            // dense, in no particular order
  std::vector<std::uint32_t> place_of_;    // set to its place in filters_
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_NAIVE_H_
