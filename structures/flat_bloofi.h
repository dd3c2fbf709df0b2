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
// Thread safety: see structure.h; inserting keys into sets that exist is concurrent (with `atomic`, the default). With
// `maintenance` other than exclusive, so is everything but build. With epochs a query never waits, and its argument is:
//   1. A query names a set only where it finds it published in a slot. A new set's bits are complete before that.
//   2. The bits of a set that goes are cleared after it was withdrawn, and its slot gets another set only when no query
//      is left that could have read them: no query takes one set's bits for another's.
//   3. Sets do not move to other slots, so no query passes one by. Columns without sets stay, for sets to come.
//   4. Rows grow as a copy: queries that began before stay with the old one, which nobody writes to any more. Keys are
//      not added meanwhile, so that none goes into the old one alone.
//   5. replace() adds the new bits before it clears the old ones that are not among them: a key that is in both has its
//      bits all the time.
#ifndef BLOOMERY_STRUCTURES_FLAT_BLOOFI_H_
#define BLOOMERY_STRUCTURES_FLAT_BLOOFI_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "structures/bit_rows.h"
#include "structures/filter_shape.h"
#include "structures/maintenance.h"
#include "structures/slots.h"

namespace bloomery {

class FlatBloofi {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit FlatBloofi(Params& params, std::unique_ptr<Epochs> epochs = nullptr);
  bool concurrent_maintenance() const { return maintenance_.concurrent(); }
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
    return rows_ ? matrix_->row(row) + column : arrays_.at(array_of_[column]) + row;
  }
  // Fills the slot of a set, and of one that does not exist before any query can see it.
  template <class Fill>
  void fill(SetId id, Fill fill_slot);
  void recycle();
  void make_room();
  void widen(std::size_t words);
  void drop_column(std::size_t column);
  void clear_slot(std::uint32_t slot, const Word* keep = nullptr);  // all bits, or those that are not in `keep`
  void set_bits(std::uint32_t slot, Keys keys);
  void set_filter(std::uint32_t slot, FilterBits bits);

  template <bool kCount>
  Cost query_words(const std::uint64_t* positions, std::size_t columns, std::size_t index, Matches& out) const;

  FilterShape shape_;
  bool rows_;
  Maintenance maintenance_;
  Slots slots_;
  std::unique_ptr<BitRows> matrix_;          // layout rows
  std::atomic<const BitRows*> shown_;        // the same, for queries
  Arena arrays_;                             // layout words: a slot an array of m words
  StableArray<std::uint32_t> array_of_;      // of each column
  Limbo<std::uint32_t> withdrawn_;           // slots
  Limbo<std::unique_ptr<BitRows>> outgrown_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_FLAT_BLOOFI_H_
