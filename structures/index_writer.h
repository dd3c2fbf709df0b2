// Makes an index file, or the next version of one: beside it, under the name with .new, which takes the place of the
// old one at once when it is complete and on the disk. Until then, and whatever happens, the old one is as it was. A
// file left over by a writer that was killed is taken over by the next writer.
#ifndef BLOOMERY_STRUCTURES_INDEX_WRITER_H_
#define BLOOMERY_STRUCTURES_INDEX_WRITER_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "structures/index_file.h"

namespace bloomery {

struct NewSet {
  std::string name;
  std::uint64_t keys = 0;  // at least as many as will be inserted: they decide how large its filter is
};

// Sets of about the same size share a block: as few blocks as take a tenth more bits than the fewest bits would.
struct BlockPlan {
  std::uint64_t keys = 0;         // of its largest set
  std::vector<std::size_t> sets;  // numbers
};
std::vector<BlockPlan> plan_blocks(std::span<const NewSet> sets, std::uint64_t k);

// k for a false positive rate of every set.
std::uint64_t index_hashes_for(double rate);

// Thread safety: insert may be called by any number of threads.
class IndexWriter {
 public:
  // All throw IndexFileError.
  static IndexWriter create(const std::string& path, const IndexShape& shape, std::vector<NewSet> sets);
  // What is left of the index without the sets `removed`, and with these. A name that is not there, or there already,
  // is an error. `keys`: how the keys of the new sets are made, which must be how those of the index were ("":
  // unknown).
  static IndexWriter update(const std::string& path, const std::vector<std::string>& removed, std::vector<NewSet> added,
                            const std::string& keys = "");

  void insert(std::size_t number, Keys keys);  // into a new set, by its number in the constructor's list
  void commit();                               // at most once; without it nothing happens to the index

  std::uint64_t bytes() const { return mapping_.size(); }
  std::size_t sets() const { return sets_.size(); }

  IndexWriter(IndexWriter&&) noexcept;
  ~IndexWriter();

 private:
  struct Lock;
  struct Entry {
    IndexSet place;
    std::string name;
  };

  IndexWriter(const std::string& path, std::unique_ptr<Lock> lock);
  [[noreturn]] void fail(const std::string& what, int error) const;
  void keep(const IndexFile& old, const std::vector<std::string>& removed);
  void place(std::span<const NewSet> added);
  bool reuse_slot(const NewSet& set);
  void lay_out(const IndexFile* old);
  void copy_block(const IndexFile& old, std::size_t block);
  std::vector<std::byte> directory() const;
  Word* row_of(const IndexBlock& block, std::uint64_t position);

  std::string path_;
  std::unique_ptr<Lock> lock_;  // the file that is written
  IndexShape shape_;
  std::vector<IndexBlock> blocks_;
  std::vector<std::size_t> copied_from_;             // of each block: in the old file; npos for a new one
  std::vector<std::vector<bool>> used_;              // of each block, by slot
  std::vector<std::vector<std::uint32_t>> cleared_;  // of each block: slots whose old bits go
  std::vector<Entry> sets_;                          // kept ones first
  std::size_t kept_ = 0;
  Mapping mapping_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_INDEX_WRITER_H_
