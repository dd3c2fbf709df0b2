// The exact inverted hash table, key to sets: what one would use if the keys were at hand, and the truth that every
// other structure is verified against.
#ifndef BLOOMERY_STRUCTURES_EXACT_H_
#define BLOOMERY_STRUCTURES_EXACT_H_

#include <vector>

#include "structures/structure.h"

namespace bloomery {

// Open addressing with linear probing; a key held by several sets has several entries along its probe sequence.
class Exact {
 public:
  static constexpr bool kConcurrentInsert = false;

  explicit Exact(Params&) {}
  Cost build(Sets sets, const Executor& executor);
  Cost insert(SetId id, Keys keys);
  Cost erase(SetId id);  // scans the table: the keys of a set are not kept apart
  Cost replace(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;

 private:
  static constexpr SetId kEmpty = ~SetId{0};
  static constexpr SetId kErased = kEmpty - 1;  // keeps probe sequences whole
  struct Entry {
    Key key = 0;
    SetId set = kEmpty;
  };

  std::size_t home(Key key) const;
  void rehash(std::size_t live);
  void add(Key key, SetId id);

  std::vector<Entry> table_ = std::vector<Entry>(64);
  std::size_t occupied_ = 0;  // erased entries included
  std::size_t live_ = 0;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_EXACT_H_
