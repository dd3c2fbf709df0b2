// The counting Bloom filter (Fan, Cao, Almeida, Broder): a counter of 4 bits wherever a Bloom filter has a bit, so that
// keys can be removed. The same positions as `bloom`, four times its storage.
//
// A counter is the number of times that its position occurs among the positions of the keys that are in: a key that has
// a position twice counts twice, when it comes and when it goes. A counter that reaches 15 has lost count and stays
// there for good, whatever is removed; so a key that is in never loses a counter.
#ifndef BLOOMERY_STRUCTURES_COUNTING_BLOOM_H_
#define BLOOMERY_STRUCTURES_COUNTING_BLOOM_H_

#include "structures/arena.h"
#include "structures/filter_shape.h"

namespace bloomery {

// Thread safety: insert and remove may run concurrently with themselves, each other and query (with `atomic`, the
// default): a word of 16 counters changes by compare-and-swap, so that no counter runs over into the next. Two threads
// that remove the same key must both have the right to: between the look and the removal there is no lock.
class CountingBloom {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit CountingBloom(Params& params);
  Cost insert(SetId id, Keys keys);
  Cost erase(SetId id);
  Cost replace(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;
  std::string validate() const;  // no counter past the last

  // Takes each key out as often as it is listed, but not if the filter does not answer yes to it at its turn; returns
  // how many went. A key that was inserted n times is in until it was removed n times. To remove a key that never was
  // inserted but is answered yes takes counters from others, which may then be answered no: the caller has to know what
  // is in.
  std::uint64_t remove(Keys keys);

 private:
  template <class Policy>
  std::uint64_t remove_with(Keys keys);

  Word* words() { return arena_.at(0); }
  const Word* words() const { return arena_.at(0); }

  FilterShape shape_;
  Arena arena_;  // one slot
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_COUNTING_BLOOM_H_
