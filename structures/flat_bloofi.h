// Flat-Bloofi: bit-sliced Bloom filters (Crainiceanu and Lemire, section 6).
//
// Row p holds bit p of every filter, so ANDing the k rows of a key leaves a one for each set that may hold it.
//   layout words: the paper's arrays, one for 64 sets, each m words long: k words of every array are read a query.
//   layout rows:  the paper's note at the end of section 6, one array whose rows are as wide as all sets together: a
//                 query reads k stretches of memory.
//
// A set lives in a slot (a column of bits). Freed slots are reused; when the last set of 64 neighbouring slots goes, the
// last 64 take their place.
//
// Thread safety: see structure.h; inserting keys into sets that exist is concurrent (with `atomic`, the default).
#ifndef BLOOMERY_STRUCTURES_FLAT_BLOOFI_H_
#define BLOOMERY_STRUCTURES_FLAT_BLOOFI_H_

#include <string>
#include <vector>

#include "structures/bit_rows.h"
#include "structures/filter_shape.h"
#include "structures/slots.h"

namespace bloomery {

class FlatBloofi {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit FlatBloofi(Params& params);
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
  std::size_t columns() const { return slots_.columns(); }
  Word* word(std::size_t column, std::uint64_t row) {
    return rows_ ? matrix_.row(row) + column : arrays_.at(array_of_[column]) + row;
  }
  std::uint32_t slot_of(SetId id);  // finds a slot if the set has none
  void make_room();
  void drop_column(std::size_t column);
  void clear_slot(std::uint32_t slot);
  void set_bits(std::uint32_t slot, Keys keys);

  template <bool kCount>
  Cost query_words(const std::uint64_t* positions, std::uint32_t index, Matches& out) const;
  template <bool kCount>
  Cost query_rows(const std::uint64_t* positions, std::uint32_t index, Matches& out) const;
  void push_matches(Word hits, std::size_t column, std::uint32_t index, Matches& out) const;

  FilterShape shape_;
  bool rows_;
  Slots slots_;
  BitRows matrix_;                       // layout rows
  Arena arrays_;                         // layout words: a slot an array of m words
  std::vector<std::uint32_t> array_of_;  // of each column
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_FLAT_BLOOFI_H_
