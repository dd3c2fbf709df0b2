// A saved index: which of N named sets may hold a key. A file that is mapped, not read: opening takes the directory
// only.
//
//   header (one page) | blocks of bit rows | directory: blocks, sets, names
//
// A block is a bit-sliced filter for sets of about the same size, so that a large set does not make the filters of the
// small ones large: it has as many rows as its largest set needs bits for the rate of the file, and a column a set.
// Where it has few sets, so that most columns of a word would be empty, its sets have several columns each, every one
// for its share of the keys and that much shorter. All blocks have the same k, and the hashes of a key are worked out
// once for all of them.
//
// The header and the directory have checksums that are checked whenever the file is opened, and so is its length. Every
// block has one, too, which verify() checks. A file never changes in place: index_writer.h makes the next one beside it
// and renames it, so whoever has the old one open keeps it.
//
// Thread safety: everything is const.
#ifndef BLOOMERY_STRUCTURES_INDEX_FILE_H_
#define BLOOMERY_STRUCTURES_INDEX_FILE_H_

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "structures/bit_rows.h"
#include "structures/structure.h"

namespace bloomery {

// A file that is no index, is damaged, or cannot be read or written. The message names it and says what is wrong.
class IndexFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What all blocks of an index share.
struct IndexShape {
  std::uint64_t k = 7;
  std::uint64_t seed = 1;
  std::string keys;  // how keys were made; whoever asks must make them the same way. Up to 63 bytes.
  friend bool operator==(const IndexShape&, const IndexShape&) = default;
};

// The k hashes of each key, key after key; a block scales them to its rows.
void index_hashes(const IndexShape& shape, Keys keys, std::uint64_t* out);

struct IndexBlock {
  std::uint64_t offset = 0;           // in the file, in bytes
  std::uint64_t rows = 0, width = 0;  // width in words
  std::uint64_t stripes = 1;          // columns of a set, a power of two; the first of set slot i is i * stripes
  std::uint64_t keys = 0;             // of the largest set that it has room for
  std::uint64_t checksum = 0;
  std::uint64_t bytes() const { return rows * width * sizeof(Word); }
  std::uint64_t slots() const { return width * 64 / stripes; }
  // Which of its set's columns a key is in: of bits of its first hash that say next to nothing about the rows.
  std::uint64_t stripe_of(std::uint64_t first_hash) const { return first_hash & (stripes - 1); }
};

struct IndexSet {
  std::uint32_t block = 0, slot = 0;
  std::uint64_t keys = 0;  // as they were counted: repeats included
};

// A mapped file, or memory.
class Mapping {
 public:
  Mapping() = default;
  Mapping(int file, std::uint64_t bytes, bool writable);  // throws std::system_error
  static Mapping copy_of(int file, std::uint64_t bytes);  // the same, on huge pages where there are some
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  std::byte* data() const { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

class IndexFile {
 public:
  // Throws IndexFileError. A copy in memory takes the time to read it all and is then independent of the file.
  enum class Held { kMapped, kCopied };
  explicit IndexFile(const std::string& path, Held held = Held::kMapped);

  const IndexShape& shape() const { return shape_; }
  std::size_t size() const { return sets_.size(); }
  std::string_view name(SetId set) const { return names_[set]; }
  const IndexSet& set(SetId set) const { return sets_[set]; }
  std::span<const IndexBlock> blocks() const { return blocks_; }
  const std::byte* block_data(std::size_t block) const { return mapping_.data() + blocks_[block].offset; }
  std::uint64_t bytes() const { return mapping_.size(); }
  std::uint64_t memory_bytes() const;  // beside the mapping
  void verify() const;                 // throws IndexFileError for the first block that is damaged

  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;

 private:
  void read_header(std::uint64_t actual_bytes);
  void read_directory();
  [[noreturn]] void refuse(const std::string& problem) const;

  std::string path_;
  Mapping mapping_;
  IndexShape shape_;
  std::uint64_t directory_offset_ = 0, directory_bytes_ = 0, block_count_ = 0, set_count_ = 0;
  std::vector<IndexBlock> blocks_;
  std::vector<IndexSet> sets_;
  std::vector<std::string_view> names_;     // into the mapping
  std::vector<std::vector<SetId>> set_in_;  // of each block, by slot
};

// --- the format, shared with the writer ---

inline constexpr std::uint64_t kIndexPage = 4096;

struct IndexHeader {
  char magic[8];
  std::uint32_t byte_order, version;
  std::uint64_t bytes;  // of the file
  std::uint64_t directory_offset, directory_bytes, directory_checksum;
  std::uint64_t blocks, sets;
  std::uint64_t k, seed;
  char keys[64];
  std::uint64_t checksum;  // of all before it
};
IndexHeader index_header(const IndexShape& shape);  // with magic and version
std::uint64_t header_checksum(const IndexHeader& header);
std::uint64_t bytes_checksum(const std::byte* bytes, std::uint64_t count);

struct IndexSetRecord {
  std::uint32_t block, slot;
  std::uint64_t keys;
  std::uint64_t name_bytes;  // all names follow the records, one after the other
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_INDEX_FILE_H_
