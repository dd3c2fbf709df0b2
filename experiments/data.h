// A user's data: sets of keys in files, streamed. Nothing here holds more than one block of a file at a time.
//
//   text          a set a file, a key a line              csv, tsv   a set and a key a line, in two columns
//   fasta, fastq  k-mers; a set a file, or a set a record if there is one file of FASTA
//   binary        64-bit integers; a file of offsets says where each set begins
//   pcap          flows; a set a file
//
// What the formats share: names of sets, decided by the files' names or by what is in them; ids of sets, in the order
// of the files or in that of their first key; a state of every file that must not change between two passes.
#ifndef BLOOMERY_EXPERIMENTS_DATA_H_
#define BLOOMERY_EXPERIMENTS_DATA_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "experiments/data_input.h"
#include "experiments/data_keys.h"
#include "experiments/data_options.h"
#include "structures/parallel.h"
#include "structures/structure.h"

namespace bloomery {

// Gets the keys of a set in lots of any size. With several threads it is called by all of them, but never for one set
// by two at once.
using KeySink = std::function<void(SetId set, Keys keys)>;

// Ids by name, in the order of their first use.
class SetNames {
 public:
  SetId id_of(std::string_view name);
  const std::vector<std::string>& all() const { return names_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, SetId, Hash, std::equal_to<>> ids_;
  std::vector<std::string> names_;
  SetId last_ = 0;
};

struct DataFile {
  std::filesystem::path path;
  FileState state;
  std::string name;  // of its set, where a file is one
  SetId set = 0;
};

// Keys on their way to a sink, in lots.
class KeyLot {
 public:
  explicit KeyLot(const KeySink& sink) : sink_(sink) { keys_.reserve(kLot); }
  void add(SetId set, Key key) {
    if (set != set_ || keys_.size() == kLot) flush();
    set_ = set;
    keys_.push_back(key);
  }
  void flush() {
    if (!keys_.empty()) sink_(set_, keys_);
    keys_.clear();
  }

 private:
  static constexpr std::size_t kLot = 4096;
  const KeySink& sink_;
  SetId set_ = 0;
  std::vector<Key> keys_;
};

// What a format needs to read one file.
struct Reading {
  const DataFile& file;
  const DataOptions& options;
  const KeyEncoding& keys;
  SetNames& names;  // of formats that name sets inside of files
  bool set_a_file;
  Notes& notes;
  ByteProgress* progress;
  KeyLot& lot;
};

class DataSource {
 public:
  // Finds the files and decides the format and how keys are written. Throws InputError and IoError.
  explicit DataSource(DataOptions options);

  const DataOptions& options() const { return options_; }  // without any "auto"
  const KeyEncoding& keys() const { return keys_; }
  std::uint64_t bytes() const { return bytes_; }
  std::size_t files() const { return files_.size(); }

  // One pass over all keys, file by file on as many threads as the executor has. May be called again.
  void read(const KeySink& sink, const Executor& executor, ByteProgress* progress = nullptr);

  // Complete after a pass. Sets without keys have a name, too.
  const std::vector<std::string>& names() const { return names_.all(); }
  Notes& notes() { return notes_; }

 private:
  void find_files();
  void add_path(const std::string& path);
  void add_folder(const std::filesystem::path& folder);
  void add_file(const std::filesystem::path& file, const std::filesystem::path& name);
  void decide_format();
  void decide_keys();
  void name_sets();

  DataOptions options_;
  KeyEncoding keys_;
  std::vector<DataFile> files_;
  bool set_a_file_ = true;
  std::uint64_t bytes_ = 0;
  SetNames names_;
  Notes notes_;
};

// Prints what is noted to stderr, a line each and not too many.
void print_notes(Notes& notes);

// Keys of a file that holds nothing else: a key a line, in the encoding of the data.
std::vector<Key> read_query_file(const std::string& file, const KeyEncoding& keys, Notes& notes);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_DATA_H_
