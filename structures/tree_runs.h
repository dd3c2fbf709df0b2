// A batch of keys that goes down a tree together, one branch and one level at a time, where the runs are short.
//
// Going from filter to filter (walk in tree_shape.h) branches on which bits a key has, which no CPU can predict. Here a
// key takes every hash function of every filter, also where two of them meet in one bit, and all keys take the same one
// at the same time: more hashing, but in loops without branches that the compiler turns into vector code, and one test
// or one write a key and level.
#ifndef BLOOMERY_STRUCTURES_TREE_RUNS_H_
#define BLOOMERY_STRUCTURES_TREE_RUNS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "structures/bit_windows.h"
#include "structures/structure.h"
#include "structures/tree_shape.h"

namespace bloomery {

inline constexpr std::size_t kBatchKeys = 64;     // enough to hide the memory, few enough for their lines to stay in L1
inline constexpr std::uint64_t kMostPlaces = 32;  // filters of a level that a branch leads to, repeated ones included

// Words that a run of the last level takes, 1 or 2; 0 if it is longer, or if the hash functions are so many that going
// from filter to filter, each once, is less work.
inline std::size_t run_words(const TreeShape& shape) {
  std::uint64_t places = 1;
  for (std::size_t level = 1; level + 1 < shape.depth() && places <= kMostPlaces; ++level)
    places *= shape.levels[level].k;
  const std::uint64_t words = words_for(shape.levels.back().run);
  return words <= 2 && places <= kMostPlaces ? words : 0;
}

// Calls body with that number as a constant.
template <class Body>
void with_run_words(std::size_t words, Body&& body) {
  switch (words) {
    case 1:
      return body(std::integral_constant<std::size_t, 1>{});
    case 2:
      return body(std::integral_constant<std::size_t, 2>{});
    default:
      return body(std::integral_constant<std::size_t, 0>{});
  }
}

template <std::size_t kWords, class Hashes>
class RunBatch {
 public:
  RunBatch(const TreeShape& shape, Keys keys) : shape_(shape), size_(keys.size()) {
    for (std::size_t i = 0; i < size_; ++i) {
      hashes_[i] = Hashes(mix64(keys[i] ^ shape.seed));
      key_[i] = static_cast<std::uint32_t>(i);
    }
  }

  std::size_t size() const { return size_; }                  // keys that are still in
  std::uint32_t key(std::size_t i) const { return key_[i]; }  // their places in the batch, in order

  // All keys turn to their j-th branch, at level 0; descend goes down it, level by level.
  void turn_to(std::uint64_t j) {
    for (std::size_t i = 0; i < size_; ++i) branch_[i] = shape_.branch(hashes_[i], j);
    places_[0][0].fill(0);
    for (auto& mask : mask_) mask.fill(0);
    mask_[0].fill(1);
    count_ = 1;
  }
  void descend(std::size_t level) {
    locate(level);
    const TreeLevel one = shape_.levels[level];
    const bool last = level + 1 == shape_.depth();
    for (auto& mask : mask_) mask.fill(0);
    for (std::size_t i = 0; i < vectors(); ++i) shared_[i] = hashes_[i].shared(one, branch_[i]);
    auto *from = places_[level % 2 == 1 ? 0 : 1].data(), *to = places_[level % 2].data();
    for (std::size_t p = 0; p < count_; ++p) {
      for (std::uint64_t c = 0; c < one.k; ++c) hash_all(one, c, from[p], last ? scratch_ : to[p * one.k + c]);
    }
    count_ *= one.k;
  }

  // Asks for both ends of every key's run in a level, and leaves the keys there: most runs are part of one line.
  void fetch(std::size_t level, const Word* bits) {
    locate(level);
    const std::uint64_t to_last = shape_.levels[level].run - 1;
    for (std::size_t i = 0; i < size_; ++i) {
      prefetch(bits + offset_[i] / 64);
      prefetch(bits + (offset_[i] + to_last) / 64);
    }
  }

  // Of key i, in the branch and level that it is at.
  std::uint64_t ones(std::size_t i) const {
    int ones = 0;
    for (const auto& mask : mask_) ones += std::popcount(mask[i]);
    return static_cast<std::uint64_t>(ones);
  }
  bool covered(std::size_t i, const Word* bits) const {
    bool all = covers(bits, offset_[i], mask_[0][i]);
    for (std::size_t w = 1; w < kWords; ++w) {
      all = all && (mask_[w][i] == 0 || covers(bits, offset_[i] + 64 * w, mask_[w][i]));
    }
    return all;
  }
  std::uint64_t words(std::size_t i) const {
    std::uint64_t read = 0;
    for (std::size_t w = 0; w < kWords; ++w) {
      if (mask_[w][i] != 0) read += words_read(offset_[i] + 64 * w, mask_[w][i]);
    }
    return read;
  }
  template <class Policy>
  void merge(Policy policy, std::size_t i, Word* bits) const {
    for (std::size_t w = 0; w < kWords; ++w) {
      if (mask_[w][i] != 0) merge_mask(policy, bits, offset_[i] + 64 * w, mask_[w][i]);
    }
  }

  // Only those stay of whom in[i] is true; to be called between branches.
  void keep(const std::array<bool, kBatchKeys>& in) {
    std::size_t still = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      hashes_[still] = hashes_[i];
      key_[still] = key_[i];
      still += in[i];
    }
    size_ = still;
  }

 private:
  using Places = std::array<std::uint64_t, kBatchKeys>;

  // One hash function of one filter, for every key: from the filter's place in the run to that of its bit. In whole
  // vectors: what is computed for places without a key is never used.
  void hash_all(const TreeLevel& one, std::uint64_t c, const Places& filters, Places& bits) {
    const std::uint64_t draw = c / Hashes::kPositions, part = c % Hashes::kPositions;
    const auto m = static_cast<std::uint32_t>(one.m);
    const std::size_t size = vectors();
    const std::uint64_t* filter = filters.data();
    std::uint64_t* __restrict bit = bits.data();
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t place = filter[i] & 0xffffffffU;
      bit[i] = place * m + position_in<Hashes>(hashes_[i].draw(shared_[i], one, place, draw), part, m);
    }
    for (std::size_t w = 0; w < kWords; ++w) {
      Word* __restrict mask = mask_[w].data();
      for (std::size_t i = 0; i < size; ++i) mask[i] |= Word{kWords == 1 || bit[i] / 64 == w} << (bit[i] % 64);
    }
  }
  void locate(std::size_t level) {
    const std::uint64_t first = shape_.offset(level, 0, 0), run = shape_.levels[level].run, folds = shape_.folds;
    for (std::size_t i = 0; i < size_; ++i) offset_[i] = first + (branch_[i] >> folds) * run;
  }
  std::size_t vectors() const { return (size_ + 3) / 4 * 4; }

  const TreeShape& shape_;
  std::size_t size_, count_ = 1;
  std::array<Hashes, kBatchKeys> hashes_;
  std::array<std::uint32_t, kBatchKeys> key_;
  std::array<std::uint64_t, kBatchKeys> branch_{}, offset_, shared_;
  std::array<std::array<Word, kBatchKeys>, kWords> mask_;
  std::array<std::array<Places, kMostPlaces>, 2> places_;
  Places scratch_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_TREE_RUNS_H_
