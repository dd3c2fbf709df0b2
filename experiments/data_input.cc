#include "experiments/data_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "experiments/errors.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = 256 << 10;

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
  throw IoError(fmt::format("{}: {}", file.string(), what));
}

FileState state_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

FileState checked_state(const fs::path& file, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) fail(file, "is not a regular file, and is read more than once");
  return state_of(status);
}

// Bytes beyond ASCII, or NULs. Without a branch a byte, so that the compiler makes vectors of it.
bool has_unusual(const char* bytes, std::size_t count) {
  unsigned char high = 0;
  for (std::size_t i = 0; i < count; ++i) high |= static_cast<unsigned char>(bytes[i]);
  return high >= 0x80 || std::memchr(bytes, 0, count) != nullptr;
}

// Bytes that follow a first byte of UTF-8; -1 for one that begins nothing.
int followers_of(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xc2 && first < 0xe0) return 1;
  if (first >= 0xe0 && first < 0xf0) return 2;
  return first >= 0xf0 && first < 0xf5 ? 3 : -1;
}

// Of two bytes: the first ones of three and four bytes that would be too long, a surrogate or beyond the last
// character.
bool is_allowed_pair(unsigned char first, unsigned char second) {
  if (first == 0xe0) return second >= 0xa0;
  if (first == 0xed) return second < 0xa0;
  if (first == 0xf0) return second >= 0x90;
  return first != 0xf4 || second < 0x90;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    const int followers = followers_of(first);
    if (followers < 0 || i + static_cast<std::size_t>(followers) >= text.size()) return false;
    if (followers > 0 && !is_allowed_pair(first, static_cast<unsigned char>(text[i + 1]))) return false;
    for (int j = 0; j < followers; ++j) {
      if ((static_cast<unsigned char>(text[++i]) & 0xc0) != 0x80) return false;
    }
  }
  return true;
}

FileState state_of(const fs::path& file) {
  struct stat status;
  if (stat(file.c_str(), &status) != 0) fail(file, std::strerror(errno));
  return checked_state(file, status);
}

// --- notes -----------------------------------------------------------------------------------------------------------

void Notes::add(const fs::path& file, std::uint64_t line, const std::string& what) {
  const std::lock_guard lock(mutex_);
  First& first = found_[{file.string(), what}];
  if (first.count++ == 0) first.line = line;
}

std::vector<std::string> Notes::take() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> notes;
  for (const auto& [key, first] : found_) {
    const std::string where = first.line > 0 ? fmt::format("{}:{}", key.first, first.line) : key.first;
    const std::string more = first.count > 1 ? fmt::format(" (and {} more)", first.count - 1) : "";
    notes.push_back(fmt::format("{}: {}{}", where, key.second, more));
  }
  found_.clear();
  return notes;
}

// --- bytes -----------------------------------------------------------------------------------------------------------

ByteReader::ByteReader(fs::path file, const FileState& expected, ByteProgress* progress)
    : file_(std::move(file)), expected_(expected), progress_(progress) {
  descriptor_ = open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0 && errno == ENOENT) fail(file_, "vanished while the data was read; run it again");
  if (descriptor_ < 0) fail(file_, std::strerror(errno));
  gzip_ = gzdopen(descriptor_, "rb");  // reads other files as they are
  if (gzip_ == nullptr) {
    close(descriptor_);
    throw std::bad_alloc();
  }
  const auto block = std::clamp<std::uint64_t>(expected.bytes, 4096, kBlock);  // a small file needs no large one
  gzbuffer(static_cast<gzFile>(gzip_), static_cast<unsigned>(block));
  posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

ByteReader::~ByteReader() { gzclose(static_cast<gzFile>(gzip_)); }

std::string ByteReader::place() const {
  return line_ > 0 ? fmt::format("{}:{}", file_.string(), line_) : file_.string();
}

void ByteReader::reject(const std::string& what) const { throw InputError(fmt::format("{}: {}", place(), what)); }

std::size_t ByteReader::read(char* into, std::size_t count) {
  auto* gzip = static_cast<gzFile>(gzip_);
  const int got = gzread(gzip, into, static_cast<unsigned>(count));
  int error = Z_OK;
  const char* text = gzerror(gzip, &error);
  if (error == Z_BUF_ERROR) throw IoError(place() + ": the gzip file is truncated; get it again");
  if (error == Z_ERRNO) throw IoError(fmt::format("{}: {}", place(), std::strerror(errno)));
  if (got < 0 || error < 0) throw IoError(fmt::format("{}: the gzip file is damaged: {}", place(), text));
  if (progress_ != nullptr) {
    const auto at = static_cast<std::uint64_t>(std::max<z_off_t>(gzoffset(gzip), 0));
    progress_->add(at - std::min(at, told_));
    told_ = std::max(at, told_);
  }
  if (got == 0) expect_unchanged();
  return static_cast<std::size_t>(got);
}

void ByteReader::expect_unchanged() const {
  struct stat status;
  if (fstat(descriptor_, &status) != 0) fail(file_, std::strerror(errno));
  if (state_of(status) == expected_) return;
  fail(file_, "changed while it was read; run it again when nothing writes to it");
}

std::string first_bytes(const fs::path& file, std::size_t count) {
  ByteReader input(file, state_of(file), nullptr);
  std::string bytes(count, '\0');
  std::size_t size = 0;
  while (size < count) {
    const std::size_t got = input.read(bytes.data() + size, count - size);
    if (got == 0) break;
    size += got;
  }
  bytes.resize(size);
  return bytes;
}

// --- lines -----------------------------------------------------------------------------------------------------------

LineReader::LineReader(fs::path file, const FileState& expected, Notes* notes, ByteProgress* progress)
    : input_(std::move(file), expected, progress),
      notes_(notes),
      buffer_(std::make_unique_for_overwrite<char[]>(kLongestLine + kBlock)) {}

bool LineReader::next_line(std::string_view& line) {
  std::size_t searched = begin_;
  const char* newline = nullptr;
  while (newline == nullptr) {
    newline = static_cast<const char*>(std::memchr(buffer_.get() + searched, '\n', end_ - searched));
    if (newline != nullptr) break;
    searched = end_ - begin_;  // where the rest ends after it has moved to the front
    if (!refill()) break;
  }
  if (newline == nullptr && begin_ == end_) return false;
  const std::size_t stop = newline != nullptr ? static_cast<std::size_t>(newline - buffer_.get()) : end_;
  line = std::string_view(buffer_.get() + begin_, stop - begin_);
  begin_ = newline != nullptr ? stop + 1 : stop;
  input_.set_line(++line_);
  if (line.size() > kLongestLine) input_.reject("the line is longer than 1 MiB; is this a file of text?");
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (unusual_) note(line);
  return true;
}

// The rest of the last block goes to the front, and the next block behind it.
bool LineReader::refill() {
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ > kLongestLine) {
    input_.set_line(line_ + 1);
    input_.reject("the line is longer than 1 MiB; is this a file of text?");
  }
  const std::size_t got = input_.read(buffer_.get() + end_, kBlock);
  end_ += got;
  unusual_ = has_unusual(buffer_.get(), end_);
  return got > 0;
}

void LineReader::note(std::string_view line) {
  if (notes_ == nullptr) return;
  if (line.find('\0') != line.npos) {
    notes_->add(input_.file(), line_, "NUL bytes in a key; they are part of it, like any byte");
  }
  if (!is_utf8(line)) notes_->add(input_.file(), line_, "not UTF-8; keys are bytes, and these are taken as they are");
}

}  // namespace bloomery
