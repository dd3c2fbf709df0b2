// The answer to a batch of queries, and the scratch memory that a thread needs to compute it.
#ifndef BLOOMERY_STRUCTURES_MATCHES_H_
#define BLOOMERY_STRUCTURES_MATCHES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bloomery {

struct Match {
  std::uint32_t index;  // of the key in its batch
  std::uint32_t set;
  friend auto operator<=>(const Match&, const Match&) = default;
};

// Owned by the caller, one a thread, reused between batches: after the first batches nothing is allocated.
class Matches {
 public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  std::span<const Match> view() const { return {pairs_.data(), size_}; }

  // Makes room for `extra` calls of push.
  void ensure(std::size_t extra) {
    if (size_ + extra + 1 > pairs_.size()) pairs_.resize((size_ + extra + 1) * 2);
  }

  // Writes first and advances by `hit`: no branch on the outcome.
  void push(std::uint32_t index, std::uint32_t set, bool hit = true) {
    pairs_[size_] = {index, set};
    size_ += hit;
  }

  // The same for a loop that is over in a few cycles a key: where the next match goes stays in a register.
  class Writer {
   public:
    Writer(Matches& matches, std::size_t most) : matches_(matches) {
      matches.ensure(most);
      next_ = matches.pairs_.data() + matches.size_;
    }
    ~Writer() { matches_.size_ = static_cast<std::size_t>(next_ - matches_.pairs_.data()); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void push(std::uint32_t index, std::uint32_t set, bool hit) {
      *next_ = {index, set};
      next_ += hit;
    }

   private:
    Matches& matches_;
    Match* next_;
  };

  // Scratch buffer number `slot`, at least `count` long; contents are whatever the last user left.
  std::uint64_t* scratch(std::size_t slot, std::size_t count) {
    auto& buffer = scratch_[slot];
    if (buffer.size() < count) buffer.resize(count);
    return buffer.data();
  }
  void swap_scratch(std::size_t a, std::size_t b) { scratch_[a].swap(scratch_[b]); }

 private:
  std::vector<Match> pairs_ = std::vector<Match>(64);
  std::size_t size_ = 0;
  std::array<std::vector<std::uint64_t>, 4> scratch_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_MATCHES_H_
