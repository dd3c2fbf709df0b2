#include "structures/filter_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>

#include "structures/hash.h"
#include "structures/params.h"

namespace bloomery {
namespace {

constexpr char kMagic[8] = {'b', 'l', 'o', 'o', 'm', 'e', 'r', 'y'};
constexpr std::uint32_t kVersion = 1, kByteOrder = 0x01020304;
constexpr std::uint64_t kOpen = 0;  // in place of the mark of a closed file

std::string error_text() { return std::strerror(errno); }

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw std::system_error(errno, std::generic_category(), fmt::format("{} '{}'", what, path));
}

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder == nullptr || *folder == '\0' ? "/tmp" : folder;
}

struct NameForNow {
  ~NameForNow() { unlink(name.c_str()); }
  const std::string& name;
};

std::string text_of(const FilterFile::Plan& plan) {
  std::string text;
  for (const auto& [name, value] : plan.parameters) text += fmt::format("{}={}\n", name, value);
  return text;
}

}  // namespace

struct FilterFile::Header {
  char magic[sizeof kMagic];
  std::uint32_t byte_order, version;
  char parameters[1000];   // "name=value" lines, for people too
  std::uint64_t checksum;  // of all before it; what follows changes while the file is in use
  std::uint64_t pages;
  std::uint64_t closed;  // kOpen, or closed_mark()

  std::uint64_t sum() const { return XXH3_64bits(this, offsetof(Header, checksum)); }
};

FilterFile::Descriptor::~Descriptor() {
  if (number >= 0) close(number);
}

FilterFile::Mapping::~Mapping() {
  if (address != nullptr) munmap(address, bytes);
}

void FilterFile::refuse(const std::string& problem) const {
  throw ParamError("path", fmt::format("path '{}': {}", path_, problem));
}

void FilterFile::reject(const std::string& problem) {
  rejected_ = true;
  refuse(problem);
}

// --- opening ---------------------------------------------------------------------------------------------------------

FilterFile::FilterFile(const Plan& plan)
    : named_(!plan.path.empty()),
      path_(named_ ? plan.path : temporary_folder() + "/bloomery-"),
      page_bytes_(plan.page_bytes) {
  const std::vector<Word> zeroes(page_words());
  empty_sum_ = XXH3_64bits_withSeed(zeroes.data(), page_bytes_ - (kSumWord + 1) * sizeof(Word), 0);
  existed_ = named_ && open_existing();
  if (existed_) {
    check_header(plan);
  } else {
    create(plan);
  }
  touched_.resize(words_for(most_ + 1));
  if (existed_) check_pages();
  // Neighbours of a page are no likelier to be asked for than others: without this, the kernel would read them in too.
  madvise(mapping_.address, mapping_.bytes, MADV_RANDOM);
  posix_fadvise(file_.number, 0, 0, POSIX_FADV_RANDOM);
}

bool FilterFile::open_existing() {
  file_.number = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (file_.number < 0 && errno == ENOENT) return false;
  if (file_.number < 0) refuse(error_text());
  lock();
  const std::uint64_t bytes = size_in_bytes();
  if (bytes < sizeof(Header)) refuse(fmt::format("is no filter file: {} bytes are less than a header", bytes));
  reserved_ = std::max<std::uint64_t>(bytes / page_bytes_, 1) - 1;
  map(reserved_);
  return true;
}

// Under another name until it is complete: whoever opens the file finds all of it or none.
void FilterFile::create(const Plan& plan) {
  std::string name = path_ + "XXXXXX";
  file_.number = mkostemp(name.data(), O_CLOEXEC);
  if (file_.number < 0) refuse(fmt::format("cannot be made: {}", error_text()));
  if (!named_) {
    unlink(name.c_str());
    return start(plan);
  }
  const NameForNow temporary{name};
  start(plan);
  sync();
  if (link(name.c_str(), path_.c_str()) != 0) refuse(fmt::format("cannot be made: {}", error_text()));
}

void FilterFile::start(const Plan& plan) {
  lock();
  try {
    reserve(plan.pages);
  } catch (const std::system_error& error) {
    refuse(fmt::format("cannot be made: no room for {} pages of {} bytes: {}", plan.pages, page_bytes_,
                       error.code().message()));
  }
  map(plan.pages);
  const std::string text = text_of(plan);
  Header fresh{};
  std::copy_n(kMagic, sizeof kMagic, fresh.magic);
  fresh.byte_order = kByteOrder;
  fresh.version = kVersion;
  fresh.pages = plan.pages;
  std::copy_n(text.data(), std::min(text.size(), sizeof fresh.parameters - 1), fresh.parameters);
  fresh.checksum = fresh.sum();
  header() = fresh;
  header().closed = closed_mark();
}

void FilterFile::lock() const {
  if (flock(file_.number, LOCK_EX | LOCK_NB) == 0) return;
  refuse(errno == EWOULDBLOCK ? "is in use by another filter or program" : error_text());
}

// With address space for the file to grow to several times its pages, so that it never moves.
void FilterFile::map(std::uint64_t pages) {
  most_ = std::min<std::uint64_t>(8 * pages + 4096, ~std::uint32_t{0});
  mapping_.bytes = (most_ + 1) * page_bytes_;
  void* address = mmap(nullptr, mapping_.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_.number, 0);
  if (address == MAP_FAILED) refuse(fmt::format("cannot be mapped: {}", error_text()));
  mapping_.address = address;
}

std::uint64_t FilterFile::size_in_bytes() const {
  struct stat status;
  if (fstat(file_.number, &status) != 0) refuse(error_text());
  if (!S_ISREG(status.st_mode)) refuse("is not a regular file");
  return static_cast<std::uint64_t>(status.st_size);
}

// --- what is in it ---------------------------------------------------------------------------------------------------

void FilterFile::check_header(const Plan& plan) const {
  const Header& found = header();
  if (!std::equal(kMagic, kMagic + sizeof kMagic, found.magic)) refuse("is no filter file");
  if (found.byte_order != kByteOrder) refuse("was made on a machine with another byte order");
  if (found.version != kVersion) {
    refuse(fmt::format("is of version {} of the format; this program reads version {}", found.version, kVersion));
  }
  if (found.checksum != found.sum()) refuse("is damaged: the checksum of its header is wrong");
  check_parameters(plan);
  if (found.closed != kOpen && found.closed != closed_mark()) refuse("is damaged: its header does not add up");
  if (found.pages < plan.pages) refuse("is damaged: it has too few pages");
  if (found.pages > reserved_ || size_in_bytes() % page_bytes_ != 0) {
    refuse(fmt::format("is truncated: {} bytes, where {} pages of {} and a header should be", size_in_bytes(),
                       found.pages, page_bytes_));
  }
}

void FilterFile::check_parameters(const Plan& plan) const {
  std::istringstream lines(header().parameters);
  std::string differences;
  for (const auto& [name, value] : plan.parameters) {
    std::string line;
    std::getline(lines, line);
    if (line == fmt::format("{}={}", name, value)) continue;
    differences += fmt::format("{}{} there and {}={} here", differences.empty() ? "" : ", ", line, name, value);
  }
  if (!differences.empty()) refuse("was made with other parameters: " + differences);
}

void FilterFile::check_pages() {
  for (std::uint64_t number = 1; number <= pages(); ++number) {
    if (header().closed == kOpen) {
      touch(number);
    } else if (page(number)[kSumWord] != sum_of(number)) {
      refuse(fmt::format("is damaged: the checksum of page {} is wrong", number));
    }
  }
}

Word FilterFile::sum_of(std::uint64_t number) const {
  static_assert(kSumWord == 1, "the word before the checksum is the seed");
  const Word* words = page(number);
  const std::size_t bytes = page_bytes_ - (kSumWord + 1) * sizeof(Word);
  return XXH3_64bits_withSeed(words + kSumWord + 1, bytes, words[0]) ^ empty_sum_;
}

// Depends on the rest of the header, so that a damaged one does not pass for closed; never kOpen.
Word FilterFile::closed_mark() const { return mix64(header().checksum + header().pages) | 1; }

// --- in use ----------------------------------------------------------------------------------------------------------

std::uint64_t FilterFile::pages() const { return __atomic_load_n(&header().pages, __ATOMIC_ACQUIRE); }

void FilterFile::read(std::uint64_t number, Word* into) const {
  const auto offset = static_cast<off_t>(number * page_bytes_);
  if (pread(file_.number, into, page_bytes_, offset) != static_cast<ssize_t>(page_bytes_)) fail(path_, "cannot read");
}

void FilterFile::write(std::uint64_t number, const Word* from) {
  const auto offset = static_cast<off_t>(number * page_bytes_);
  if (pwrite(file_.number, from, page_bytes_, offset) != static_cast<ssize_t>(page_bytes_)) fail(path_, "cannot write");
}

void FilterFile::will_need(std::uint64_t first, std::uint64_t count) const {
  posix_fadvise(file_.number, static_cast<off_t>(first * page_bytes_), static_cast<off_t>(count * page_bytes_),
                POSIX_FADV_WILLNEED);
}

// Room on the disk and not only in the file, for a full disk would else be a signal when a page is first written. What
// there is no room for is not tried: it would take all there is before it fails, from everybody.
void FilterFile::reserve(std::uint64_t pages) {
  const auto bytes = static_cast<off_t>((pages + 1) * page_bytes_);
  struct statvfs disk {};
  const std::uint64_t has = reserved_ * page_bytes_;
  if (fstatvfs(file_.number, &disk) == 0 && static_cast<std::uint64_t>(bytes) > has + disk.f_bavail * disk.f_frsize) {
    errno = ENOSPC;
    fail(path_, "cannot make room in");
  }
  int result = fallocate(file_.number, 0, 0, bytes);
  if (result != 0 && errno == EOPNOTSUPP) result = ftruncate(file_.number, bytes);
  if (result != 0) fail(path_, "cannot make room in");
  reserved_ = pages;
}

std::uint64_t FilterFile::append() {
  const std::lock_guard lock(changing_);
  const std::uint64_t fresh = pages() + 1;
  if (fresh > most_) return 0;
  if (fresh > reserved_) reserve(std::min(most_, fresh + fresh / 16 + 16));
  __atomic_store_n(&header().pages, fresh, __ATOMIC_RELEASE);
  return fresh;
}

// The mark is on the disk before any page can be: a file that looks closed is whole.
void FilterFile::begin_writing() {
  if (writing_) return;
  const std::lock_guard lock(changing_);
  header().closed = kOpen;
  sync();
  writing_ = true;
}

void FilterFile::flush() {
  if (header().closed != kOpen) return;
  for (std::uint64_t number = 1; number <= pages(); ++number) {
    if (test_bit(touched_.data(), number)) page(number)[kSumWord] = sum_of(number);
  }
  sync();
  std::ranges::fill(touched_, Word{0});
  writing_ = false;
  header().closed = closed_mark();
  sync();
}

FilterFile::~FilterFile() {
  try {
    if (named_ && !rejected_) flush();
  } catch (const std::system_error&) {
    // It stays marked as open, which is what the next one to open it has to know.
  }
}

void FilterFile::sync() const {
  if (named_ && fdatasync(file_.number) != 0) fail(path_, "cannot write");
}

std::uint64_t FilterFile::memory_bytes() const { return touched_.capacity() * sizeof(Word); }

}  // namespace bloomery
