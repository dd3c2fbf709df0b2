// A file of pages of equal size behind a header that says what it is; made to be reopened, whatever happened.
//
//   page 0          magic, byte order, version, parameters as text, a checksum of these | pages in use, whether closed
//   page 1 ...      the owner's. Word kSumWord of each is a checksum of the others; a page of zeroes has the sum zero.
//
// While the file is being written it is marked as open, and its checksums are out of date. flush() and the destructor
// bring them up to date and mark it as closed, in an order that holds even if the power fails in between. A file that
// is found closed must have every checksum right. One that is found open was left by a program that was killed: what it
// had written is kept, as far as it reached the file (all of it, unless the machine went down too), and the checksums
// are made anew when it is closed.
//
// The file is always mapped, and shared, so that what is written is the kernel's to keep. read() and write() reach the
// same bytes by system calls. One program at a time has the file, by an advisory lock that ends with the program.
#ifndef BLOOMERY_STRUCTURES_FILTER_FILE_H_
#define BLOOMERY_STRUCTURES_FILTER_FILE_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "structures/bits.h"

namespace bloomery {

// Thread safety: everything but flush() may be called by any number of threads. Who writes a page calls begin_writing()
// before and touch() with it; keeping two from writing the same word is the owner's affair.
class FilterFile {
 public:
  static constexpr std::size_t kSumWord = 1;

  struct Plan {
    std::string path;  // "": a file without a name in the folder for temporary files, gone when it is closed
    std::uint64_t page_bytes;
    std::uint64_t pages;                                          // to begin with, without the header
    std::vector<std::pair<std::string, std::string>> parameters;  // that a file must have been made with
  };

  // Opens the file, or makes it if there is none, its pages all zero. A file that cannot be used is a ParamError about
  // `path` that says which and why, and is left as it was. Reads every page of a closed file, for its checksum.
  explicit FilterFile(const Plan& plan);
  ~FilterFile();  // flushes; a file that it cannot flush stays marked as open
  FilterFile(const FilterFile&) = delete;
  FilterFile& operator=(const FilterFile&) = delete;

  bool existed() const { return existed_; }
  std::uint64_t pages() const;  // in use, numbered from 1
  std::uint64_t page_bytes() const { return page_bytes_; }
  Word* page(std::uint64_t number) { return base() + number * page_words(); }
  const Word* page(std::uint64_t number) const { return base() + number * page_words(); }
  void read(std::uint64_t number, Word* into) const;
  void write(std::uint64_t number, const Word* from);
  void will_need(std::uint64_t first, std::uint64_t count) const;  // starts to read pages in, does not wait for them

  std::uint64_t append();  // a zeroed page; 0 if the file has reached the most pages that there is address space for
  void begin_writing();
  void touch(std::uint64_t number) { AtomicBits::set(touched_.data(), number); }
  void flush();  // needs the file to itself

  std::uint64_t memory_bytes() const;  // beside the pages
  // Throws the ParamError of a file whose pages the owner can make nothing of; the file is then left as it was.
  [[noreturn]] void reject(const std::string& problem);

 private:
  struct Header;
  struct Descriptor {
    ~Descriptor();
    int number = -1;
  };
  struct Mapping {
    ~Mapping();
    void* address = nullptr;
    std::uint64_t bytes = 0;
  };

  [[noreturn]] void refuse(const std::string& problem) const;
  bool open_existing();
  void create(const Plan& plan);
  void start(const Plan& plan);
  void lock() const;
  void map(std::uint64_t pages);
  void reserve(std::uint64_t pages);
  std::uint64_t size_in_bytes() const;
  void check_header(const Plan& plan) const;
  void check_parameters(const Plan& plan) const;
  void check_pages();
  Word sum_of(std::uint64_t number) const;
  Word closed_mark() const;
  void sync() const;

  std::size_t page_words() const { return page_bytes_ / sizeof(Word); }
  Word* base() const { return static_cast<Word*>(mapping_.address); }
  Header& header() const { return *static_cast<Header*>(mapping_.address); }

  const bool named_;
  const std::string path_;
  const std::uint64_t page_bytes_;
  bool existed_ = false, rejected_ = false;
  Descriptor file_;
  Mapping mapping_;
  std::uint64_t reserved_ = 0, most_ = 0;  // pages that the file has room for, and that the mapping has
  Word empty_sum_ = 0;
  std::vector<Word> touched_;          // a bit a page: its checksum is out of date
  std::mutex changing_;                // of the header
  std::atomic<bool> writing_ = false;  // the file is marked as open, and on the disk too
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_FILTER_FILE_H_
