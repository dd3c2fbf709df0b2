// A matrix of bits kept row by row: one row a bit position, one column a set (or a group of them). The AND of a key's k
// rows has a one for every column that may hold the key.
#ifndef BLOOMERY_STRUCTURES_BIT_ROWS_H_
#define BLOOMERY_STRUCTURES_BIT_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "structures/arena.h"
#include "structures/bits.h"

namespace bloomery {

// Clears a bit of `count` words that are `step` apart, except for the words whose bit in `keep` is set (if there is one).
// Few have it: looking first leaves most lines clean. Queries may be reading the words.
void clear_bits(Word* first, std::uint64_t count, std::size_t step, std::size_t bit, const Word* keep = nullptr);

// Rows of bits that someone else owns: in memory or in a mapped file, at an address that is a multiple of a line's.
class RowView {
 public:
  static constexpr std::size_t kLine = 8;  // words of a cache line

  RowView(const Word* first, std::size_t width) : first_(first), width_(width) {}
  const Word* row(std::uint64_t position) const { return first_ + position * width_; }

  // The first lines of a key's first rows, on their way; the hardware follows a longer stretch by itself.
  void prefetch_rows(const std::uint64_t* positions, std::uint64_t k, std::size_t first, std::size_t words) const {
    const std::size_t lines = fetched_lines(words);
    for (std::uint64_t i = 0; i < fetched_rows(k, lines); ++i) {
      for (std::size_t line = 0; line < lines; ++line) prefetch(row(positions[i]) + first + line * kLine);
    }
  }
  // Queries whose lines should be on the way at a time: enough of them to hide the memory behind each other.
  static std::size_t queries_in_flight(std::uint64_t k, std::size_t words) {
    const std::size_t lines = fetched_lines(words);
    return std::max<std::size_t>(4, 96 / std::max<std::size_t>(1, fetched_rows(k, lines) * lines));
  }

  // What a search read.
  struct Touched {
    std::uint64_t words = 0, lines = 0;
  };

  // Calls found(column, ones) for every word of the AND of a key's rows that is not zero, among the words [begin, end).
  // A line of each row at a time where rows have whole lines, and no further than the first row that leaves nothing of
  // it: few columns pass two rows unless they are full.
  template <class Found>
  [[gnu::always_inline]] Touched intersect(const std::uint64_t* positions, std::uint64_t k, std::size_t begin,
                                           std::size_t end, Found found) const {
    const Word* rows[64];
    for (std::uint64_t i = 0; i < k; ++i) rows[i] = row(positions[i]);
    if (width_ % kLine != 0 || begin % kLine != 0) return intersect_words(rows, k, begin, end, found);
    alignas(64) Word ones[kLine];
    Touched touched;
    for (std::size_t column = begin; column < end; column += kLine) {
      bool any = and_line(rows[0] + column, rows[k > 1 ? 1 : 0] + column, ones);
      std::uint64_t read = 2;
      for (; any && read < k; ++read) any = and_line(ones, rows[read] + column, ones);
      touched.words += read * kLine;
      touched.lines += read;
      if (!any) continue;
      for (std::size_t i = 0; i < kLine && column + i < end; ++i) {
        if (ones[i] != 0) found(column + i, ones[i]);
      }
    }
    return touched;
  }

 private:
  static std::size_t fetched_lines(std::size_t words) { return std::min<std::size_t>(4, (words + kLine - 1) / kLine); }
  static std::uint64_t fetched_rows(std::uint64_t k, std::size_t lines) {
    return lines == 1 ? k : std::min<std::uint64_t>(k, 3);
  }

  // Columns that are less than a line: all words of a row are in one. Half of the rows are read without a look: a branch
  // a row would cost more than it saves.
  template <class Found>
  static Touched intersect_words(const Word* const* rows, std::uint64_t k, std::size_t begin, std::size_t end,
                                 Found found) {
    const std::uint64_t half = (k + 1) / 2;
    Touched touched = {.lines = half};
    for (std::size_t column = begin; column < end; ++column) {
      Word ones = load_word(rows[0] + column);
      for (std::uint64_t i = 1; i < half; ++i) ones &= load_word(rows[i] + column);
      touched.words += half;
      if (ones == 0) continue;
      for (std::uint64_t i = half; i < k; ++i) ones &= load_word(rows[i] + column);
      touched.words += k - half;
      touched.lines = k;
      if (ones != 0) found(column, ones);
    }
    return touched;
  }

  // The AND of a line's worth of words of a and b; whether anything is left.
  static bool and_line(const Word* a, const Word* b, Word* out) {
#ifdef BLOOMERY_AVX2
    const auto* va = reinterpret_cast<const __m256i*>(a);
    const auto* vb = reinterpret_cast<const __m256i*>(b);
    const __m256i low = _mm256_and_si256(_mm256_load_si256(va), _mm256_load_si256(vb));
    const __m256i high = _mm256_and_si256(_mm256_load_si256(va + 1), _mm256_load_si256(vb + 1));
    _mm256_store_si256(reinterpret_cast<__m256i*>(out), low);
    _mm256_store_si256(reinterpret_cast<__m256i*>(out) + 1, high);
    const __m256i any = _mm256_or_si256(low, high);
    return !_mm256_testz_si256(any, any);
#else
    Word any = 0;
    for (std::size_t i = 0; i < kLine; ++i) any |= out[i] = load_word(a + i) & load_word(b + i);
    return any != 0;
#endif
  }

  const Word* first_;
  std::size_t width_;  // words from row to row
};

class BitRows {
 public:
  static constexpr std::size_t kLine = RowView::kLine;

  // Words of a row for so many: inside one line while it fits, then whole lines.
  static std::size_t padded_width(std::size_t words);

  explicit BitRows(std::uint64_t rows) : rows_(rows), matrix_(1) {}

  std::uint64_t rows() const { return rows_; }
  std::size_t width() const { return width_; }  // words from row to row
  Word* row(std::uint64_t position) { return matrix_.at(0) + position * width_; }
  const Word* row(std::uint64_t position) const { return matrix_.at(0) + position * width_; }
  std::uint64_t memory_bytes() const { return width_ == 0 ? 0 : matrix_.resident_bytes(); }

  // Lays the rows out anew with room for so many words: the price of one array.
  void widen(std::size_t words);
  BitRows widened(std::size_t words) const;  // a copy: queries may go on reading this one

  void clear_column(std::size_t slot, const Word* keep = nullptr) {
    clear_bits(row(0) + slot / 64, rows_, width_, slot % 64, keep);
  }
  void move_word(std::size_t from, std::size_t to);  // of every row; zero is left behind

  using Touched = RowView::Touched;
  RowView view() const { return {matrix_.at(0), width_}; }
  void prefetch_rows(const std::uint64_t* positions, std::uint64_t k, std::size_t first, std::size_t words) const {
    view().prefetch_rows(positions, k, first, words);
  }
  static std::size_t queries_in_flight(std::uint64_t k, std::size_t words) {
    return RowView::queries_in_flight(k, words);
  }
  template <class Found>
  [[gnu::always_inline]] Touched intersect(const std::uint64_t* positions, std::uint64_t k, std::size_t begin,
                                           std::size_t end, Found found) const {
    return view().intersect(positions, k, begin, end, found);
  }

 private:
  std::uint64_t rows_;
  std::size_t width_ = 0;
  Arena matrix_;  // one slot
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BIT_ROWS_H_
