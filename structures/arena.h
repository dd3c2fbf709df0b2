// One contiguous, aligned, growing stretch of zeroed memory, cut into slots of equal size.
//
// Address space for all of the machine's memory is reserved once, so slots never move: a reader's pointer stays good
// while the arena grows, and growth copies nothing. Pages appear when they are first touched; past the first 2 MiB huge
// pages are asked for.
#ifndef BLOOMERY_STRUCTURES_ARENA_H_
#define BLOOMERY_STRUCTURES_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "structures/bits.h"

namespace bloomery {

class Arena {
 public:
  // Slots of at least this many words, padded so that each starts on a cache line where it fills one.
  explicit Arena(std::size_t words_per_slot);
  ~Arena();
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;

  std::uint32_t allocate();            // a zeroed slot
  std::uint32_t allocate_run(std::uint64_t slots);  // zeroed slots one after the other; the first of them
  void free(std::uint32_t slot);       // may be handed out again
  Word* at(std::uint32_t slot) { return base_ + std::size_t{slot} * stride_; }
  const Word* at(std::uint32_t slot) const { return base_ + std::size_t{slot} * stride_; }

  std::size_t stride() const { return stride_; }  // words from slot to slot
  std::uint32_t used() const { return top_; }     // slots handed out so far, freed ones included
  std::uint64_t resident_bytes() const;           // measured, page by page

 private:
  void release();

  Word* base_ = nullptr;
  std::size_t stride_ = 0;
  std::size_t reserved_bytes_ = 0;
  std::uint32_t top_ = 0;
  std::vector<std::uint32_t> free_;
};

std::uint64_t machine_memory();  // bytes

template <class T>
std::uint64_t bytes_of(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_ARENA_H_
