// The dynamic blocked Bloom filter in a file: a block is a page, and a lookup reads one.
//
// Kaler (section 6) would have a dynamic block contiguous on the disk, and copy it elsewhere when it grows. Here it has
// its page from the start, with a reserve for the growth cells. Only when the reserve is used up is another page of the
// same layout chained to it, at the end of the file; at n_exp keys hardly a page needs that. Nothing is ever moved, so
// that a killed program leaves every key that was in.
//
//   page    | next page:32, growth cells:8, places taken in the newest:24 | checksum | first cell | growth cell | ...
//
// Cell i of a page that is `level` pages down its chain has the rate of link level + i of chain_shape.h: all cells of a
// page together stay below p / (1 - ratio), and all pages of a chain below p / (1 - ratio)^2. A key that is answered
// yes already takes no place.
//
// A batch is visited in the order of its pages: each page is reached once for all of its keys, and all of them are
// announced to the kernel before the first is, so that the disk works on many at a time.
//
// Cost: bf_checks counts the pages of a query, key by key (one for most keys), words the words read in them.
// Footprint: memory_bytes has the whole file in it, the most that the kernel may come to keep of it in memory.
#ifndef BLOOMERY_STRUCTURES_EXTERNAL_BLOCKED_BLOOM_H_
#define BLOOMERY_STRUCTURES_EXTERNAL_BLOCKED_BLOOM_H_

#include <mutex>
#include <string>
#include <vector>

#include "structures/chain_shape.h"
#include "structures/filter_file.h"
#include "structures/page_access.h"
#include "structures/probes.h"

namespace bloomery {

// Thread safety: insert may run concurrently with insert and query (with `atomic`, the default); flush needs the filter
// to itself. With io = pread each visit of a page holds a lock on it. With io = mmap there is none:
//   1. A head changes by one compare-and-swap at a time, and for as long as the page has room for cells only by taking
//   a
//      place. So a place is one in a cell that was the newest when it was taken, and cells are zero before their first.
//   2. A page without room gets its link once, by the holder of chaining_, with release, and never changes again. The
//      page it links to was zero. Who loads the head with acquire can follow it.
//   3. Hence a query that begins after an insert returned reaches the key's cell.
class ExternalBlockedBloom {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit ExternalBlockedBloom(Params& params);
  Cost insert(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;
  std::string validate() const;

  void flush() { file_.flush(); }  // checksums and all keys are on the disk, and the file is marked as closed
  double expected_false_positive_rate(std::uint64_t n) const;  // by theory, with n keys in
  std::uint64_t blocks() const { return layout_.blocks; }

 private:
  struct Cell {
    LinkShape shape;
    std::uint64_t word, m, capacity;  // where it begins in its page, its bits, and the keys it is made for
  };
  struct Layout {
    Layout(Params& params, const ChainShape& shape);
    std::uint64_t n_exp, page_bytes;
    double reserve, fraction;
    std::uint64_t first_words, grow_words;  // of the first cell of a page, and of each other one
    std::uint64_t cells;                    // of a page
    std::uint64_t blocks;
  };
  struct Access {
    explicit Access(Params& params);
    std::string path;
    bool mapped, readahead;
  };

  FilterFile::Plan plan() const;
  const Cell& cell(std::uint64_t level, std::uint64_t i) const;
  std::uint64_t hash_of(Key key) const;
  std::uint64_t block_of(std::uint64_t hash) const;
  PairedProbes probes_of(std::uint64_t hash, std::uint64_t level, std::uint64_t i) const;

  void list_visits(Keys keys, std::uint64_t* visits) const;
  template <class Body>
  auto with_pages(Body&& body) const;
  template <bool kCount, class Pages>
  bool holds(Pages& pages, std::uint64_t block, std::uint64_t hash, Cost& cost) const;
  template <class Policy>
  std::uint64_t take_place(Word* head, std::uint64_t level) const;
  template <class Policy, class Pages>
  std::uint64_t insert_key(Policy policy, Pages& pages, std::uint64_t block, std::uint64_t hash);
  std::uint64_t next_page(Word* head);
  template <class Policy, class Pages>
  std::uint64_t insert_group(Policy policy, Pages& pages, Keys keys, std::uint64_t* visits);
  template <bool kCount, class Pages>
  Cost query_group(Pages& pages, Keys keys, std::uint64_t* visits, Word* hits) const;
  std::string check_page(std::uint64_t number, std::uint64_t level) const;
  double page_rate(double load) const;

  ChainShape shape_;
  Layout layout_;
  Access access_;
  std::vector<Cell> cells_;  // level after level
  mutable FilterFile file_;  // queries reach its pages by the same ways as inserts
  mutable PageLocks locks_;
  std::mutex chaining_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_EXTERNAL_BLOCKED_BLOOM_H_
