// Sliced Bloofi: a tree of two levels whose nodes hold their children bit-sliced.
//
// The leaves are the rows of a Flat-Bloofi. Above them a second matrix has one column a group of neighbouring slots and
// tells, in the AND of a key's rows there, which groups may hold it; of the leaf rows only the lines of those groups are
// read. Where the upper level would rule out little (few groups, or filters so full that every group has all bits), it
// is passed over, and the search is Flat-Bloofi's.
//   from keys:    the upper level has its own, larger number of bits and its own hash functions: large groups stay
//                 sparse. A ready-made filter does not tell its keys, so a group that got one is always looked into.
//   from filters: the upper level is the OR of the filters, as in Bloofi: m bits, the same positions.
// A build from keys chooses the size of the groups, and whether the upper level has hash functions of its own at all, by
// a cost model (sliced_model.h).
// Upper bits are never taken back before a group is empty: after many erasures they cost time, never a match.
//
// Thread safety: see structure.h. An insert writes the upper level first, so whoever finds a leaf bit finds its group.
#ifndef BLOOMERY_STRUCTURES_SLICED_BLOOFI_H_
#define BLOOMERY_STRUCTURES_SLICED_BLOOFI_H_

#include <string>
#include <vector>

#include "structures/bit_rows.h"
#include "structures/filter_shape.h"
#include "structures/similarity.h"
#include "structures/slots.h"

namespace bloomery {

class SlicedBloofi {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit SlicedBloofi(Params& params);
  Cost build(Sets sets, const Executor& executor);
  Cost insert(SetId id, Keys keys);
  Cost insert_filter(SetId id, FilterBits bits);
  Cost erase(SetId id);
  Cost replace(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;
  std::string validate() const;

 private:
  struct Level {
    explicit Level(const Hasher& h) : hasher(h), matrix(h.m()) {}
    Hasher hasher;
    BitRows matrix;
  };

  // How the groups are made.
  struct Plan {
    explicit Plan(Params& params);
    void choose(double sets, double keys_per_set, const Hasher& leaves);  // the group, unless it was given
    std::uint64_t factor(std::size_t words) const { return upper_bits > 0 ? upper_bits : words; }
    Hasher upper_hasher(const Hasher& leaves) const;

    bool own_hashes;           // of the upper level; false: it has the positions of the leaves
    bool chosen;               // by choose(); false: given
    std::size_t group_words;   // columns of a group
    std::uint64_t upper_bits;  // in multiples of m; 0: as many as a group has columns
    std::uint64_t upper_k;
    double expected_hits;      // the share of searches that find something
  };

  std::size_t columns() const { return slots_.columns(); }
  std::size_t groups() const { return (columns() + plan_.group_words - 1) / plan_.group_words; }
  std::size_t group_of(std::uint32_t slot) const { return slot / 64 / plan_.group_words; }
  bool upper_pays() const;

  std::uint32_t slot_of(SetId id);  // finds a slot if the set has none
  void make_room();
  void choose_groups(Sets sets);
  void add_keys(std::uint32_t slot, Keys keys, bool atomic);
  void set_bits(Level& level, std::size_t column, Keys keys, bool atomic, std::uint64_t* fresh);
  void drop_column(std::size_t column);
  void fold_group(std::size_t from, std::size_t into, bool empty);
  std::vector<SetId> order_of(Sets sets, const Executor& executor) const;

  template <bool kCount>
  Cost query_flat(Keys keys, Matches& out) const;
  template <bool kCount>
  Cost query_sliced(Keys keys, Matches& out) const;

  FilterShape shape_;
  Plan plan_;
  std::string upper_use_;    // auto, always or never
  bool similar_;             // build puts similar sets next to each other
  Slots slots_;
  Level leaves_;
  Level upper_;
  std::uint64_t upper_ones_ = 0;
  std::vector<Word> opaque_;  // a bit a group: it holds keys that the upper level has not seen
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_SLICED_BLOOFI_H_
