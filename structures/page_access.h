// Two ways to the pages of a filter file: through its mapping, or by system calls into buffers.
//
// A filter visits a page and the pages chained to it, `level` links away. Both classes say where a page is to be found
// while it is visited; visit() begins, and leave() ends what was written.
#ifndef BLOOMERY_STRUCTURES_PAGE_ACCESS_H_
#define BLOOMERY_STRUCTURES_PAGE_ACCESS_H_

#include <array>
#include <cstdint>
#include <shared_mutex>
#include <vector>

#include "structures/filter_file.h"

namespace bloomery {

// Readers and writers meet in the mapping: bits are set there by the policies of bits.h.
class MappedPages {
 public:
  explicit MappedPages(FilterFile& file) : file_(file) {}

  struct Visit {};
  Visit read(std::uint64_t) { return {}; }
  Visit write(std::uint64_t) { return {}; }
  Word* at(std::uint64_t, std::uint64_t number) { return file_.page(number); }
  void prefetch_page(std::uint64_t number) const { prefetch(file_.page(number)); }
  void changed(std::uint64_t, std::uint64_t number) { file_.touch(number); }
  void leave() {}

 private:
  FilterFile& file_;
};

// One lock for many pages, chosen by the page that a chain begins with: it holds for the whole chain.
class PageLocks {
 public:
  std::shared_mutex& of(std::uint64_t number) { return stripes_[number % stripes_.size()]; }

 private:
  std::array<std::shared_mutex, 256> stripes_;
};

// A copy of each page that is visited. What is changed is written back by leave(), under the lock of the visit.
class BufferedPages {
 public:
  BufferedPages(FilterFile& file, PageLocks* locks) : file_(file), locks_(locks) {}  // no locks: one thread alone

  std::shared_lock<std::shared_mutex> read(std::uint64_t first) {
    used_ = 0;
    return locks_ == nullptr ? std::shared_lock<std::shared_mutex>() : std::shared_lock(locks_->of(first));
  }
  std::unique_lock<std::shared_mutex> write(std::uint64_t first) {
    used_ = 0;
    return locks_ == nullptr ? std::unique_lock<std::shared_mutex>() : std::unique_lock(locks_->of(first));
  }
  // Levels are asked for in ascending order, any number of times.
  Word* at(std::uint64_t level, std::uint64_t number) {
    if (level == used_) load(number);
    return copies_[level].words.data();
  }
  void prefetch_page(std::uint64_t) const {}
  void changed(std::uint64_t level, std::uint64_t) { copies_[level].changed = true; }
  void leave() {
    for (std::size_t level = 0; level < used_; ++level) {
      Copy& copy = copies_[level];
      if (!copy.changed) continue;
      file_.touch(copy.number);
      file_.write(copy.number, copy.words.data());
    }
  }

 private:
  struct Copy {
    std::uint64_t number = 0;
    bool changed = false;
    std::vector<Word> words;
  };
  void load(std::uint64_t number) {
    if (used_ == copies_.size()) copies_.push_back({.words = std::vector<Word>(file_.page_bytes() / sizeof(Word))});
    Copy& copy = copies_[used_++];
    copy.number = number;
    copy.changed = false;
    file_.read(number, copy.words.data());
  }

  FilterFile& file_;
  PageLocks* locks_;
  std::vector<Copy> copies_;  // by level; memory of earlier visits is used again
  std::size_t used_ = 0;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_PAGE_ACCESS_H_
