// N Bloom filters in a list, each asked in turn: the first alternative of the Bloofi paper.
#ifndef BLOOMERY_STRUCTURES_NAIVE_H_
#define BLOOMERY_STRUCTURES_NAIVE_H_

#include <bit>
#include <memory>
#include <vector>

#include "structures/arena.h"
#include "structures/filter_shape.h"
#include "structures/maintenance.h"
#include "structures/stable_array.h"

namespace bloomery {

// Thread safety: see structure.h; inserting keys into sets that exist is concurrent (with `atomic`, the default). With
// `maintenance` other than exclusive, so is everything but build. With epochs a query never waits, and its argument is:
//   1. A place of the list is one word, a set with its filter. A new set's filter is complete before its place is
//      written, and a query reads each place once: it sees the set with all it held, or not at all.
//   2. Sets do not move to other places, so no query meets one twice or passes it by. The place of a set that went gets
//      a filter without bits, until a new set comes.
//   3. A filter is given to another set only when no query is left that could have read the place of its old one.
//   4. replace() writes word by word: a key that is in the old set and in the new one has its bits all the time.
class Naive {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit Naive(Params& params, std::unique_ptr<Epochs> epochs = nullptr);
  bool concurrent_maintenance() const { return maintenance_.concurrent(); }
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
  static_assert(sizeof(Filter) == sizeof(Word));  // read and written as one

  std::uint32_t place_of(SetId id) const { return id < place_of_.size() ? place_of_[id] : kNone; }
  Filter filter_at(std::size_t place) const { return std::bit_cast<Filter>(load_acquire(&filters_[place])); }
  Word* bits_of(SetId id) { return arena_.at(filter_at(place_of_[id]).slot); }
  void recycle();
  template <class Fill>
  void create(SetId id, Fill fill);
  void publish(SetId id, std::uint32_t slot);
  void leave_place(std::uint32_t place);
  void set_bits(Word* filter, Keys keys);

  FilterShape shape_;
  Maintenance maintenance_;
  Arena arena_;
  StableArray<Word> filters_;              // a Filter each, in no particular order
  std::vector<std::uint32_t> place_of_;    // set to its place in filters_
  std::size_t sets_ = 0;

  // With epochs only.
  static constexpr std::uint32_t kEmptyFilter = 0;  // the slot of a filter without bits, for places without a set
  std::vector<std::uint32_t> empty_places_;
  Limbo<std::uint32_t> unlinked_;  // slots of filters
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_NAIVE_H_
