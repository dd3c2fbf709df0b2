// Files of a user's data, read front to back: plain or gzip, in blocks or in lines. Every complaint says the file and,
// where there are lines, the line.
#ifndef BLOOMERY_EXPERIMENTS_DATA_INPUT_H_
#define BLOOMERY_EXPERIMENTS_DATA_INPUT_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/progress.h"

namespace bloomery {

inline constexpr std::size_t kLongestLine = 1 << 20;

// What a file was when it was found: it must be the same when it has been read.
struct FileState {
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::int64_t modified_ns = 0;
  friend bool operator==(const FileState&, const FileState&) = default;
};
FileState state_of(const std::filesystem::path& file);  // throws IoError unless it is a regular file

// What a user should know of their data though it is no error: the first place of each kind in each file, and how many.
class Notes {
 public:
  void add(const std::filesystem::path& file, std::uint64_t line, const std::string& what);
  std::vector<std::string> take();  // "file:line: what (and 3 more lines)"

 private:
  struct First {
    std::uint64_t line = 0, count = 0;
  };
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, First> found_;  // by file and what
};

// Bytes, unpacked if they are gzip.
class ByteReader {
 public:
  ByteReader(std::filesystem::path file, const FileState& expected, ByteProgress* progress);
  ~ByteReader();
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  // Up to `count` bytes, 0 at the end. Throws IoError for a truncated or damaged gzip file and for one that changed.
  std::size_t read(char* into, std::size_t count);

  const std::filesystem::path& file() const { return file_; }
  std::string place() const;                                // "file:line", or "file" before the first line
  [[noreturn]] void reject(const std::string& what) const;  // InputError at this place
  void set_line(std::uint64_t line) { line_ = line; }
  std::uint64_t line() const { return line_; }

 private:
  void expect_unchanged() const;

  std::filesystem::path file_;
  FileState expected_;
  ByteProgress* progress_;
  int descriptor_ = -1;
  void* gzip_ = nullptr;
  std::uint64_t told_ = 0;  // to the progress
  std::uint64_t line_ = 0;
};

// Lines without their ends (\n or \r\n), empty ones left out. NUL bytes and bytes that are not UTF-8 are noted, and
// are part of the line like any other.
class LineReader {
 public:
  LineReader(std::filesystem::path file, const FileState& expected, Notes* notes, ByteProgress* progress);

  bool next(std::string_view& line) {
    do {
      if (!next_line(line)) return false;
    } while (line.empty());
    return true;
  }
  ByteReader& input() { return input_; }

 private:
  bool next_line(std::string_view& line);
  bool refill();
  void note(std::string_view line);

  ByteReader input_;
  Notes* notes_;
  const std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t line_ = 0;
  bool unusual_ = false;  // there are bytes beyond ASCII, or NULs, in the buffer
};

// The first bytes of a file, unpacked; fewer if it is shorter.
std::string first_bytes(const std::filesystem::path& file, std::size_t count);

bool is_utf8(std::string_view text);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_DATA_INPUT_H_
