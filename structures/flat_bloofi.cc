#include "structures/flat_bloofi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace bloomery {
namespace {

constexpr std::size_t kLine = 8;     // words of a cache line
constexpr std::size_t kKeyGroup = 32;  // keys hashed together on insert

// Widths that keep a row inside one line while it fits, then whole lines.
std::size_t padded_width(std::size_t columns) {
  return columns <= kLine ? std::bit_ceil(std::max<std::size_t>(columns, 1)) : (columns + kLine - 1) / kLine * kLine;
}

// The AND of a line's worth of words of rows a and b; whether anything is left.
inline bool and_line(const Word* a, const Word* b, Word* out) {
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

}  // namespace

FlatBloofi::FlatBloofi(Params& params)
    : shape_(params),
      rows_(params.choice("layout", "rows", {"words", "rows"},
                          "arrays of 64-bit words, one for 64 sets, or one array of rows as wide as all sets") == "rows"),
      matrix_(rows_ ? 1 : shape_.hasher.m()) {}

// --- slots -----------------------------------------------------------------------------------------------------------

std::uint32_t FlatBloofi::free_slot() {
  for (std::size_t column = 0; column < columns(); ++column) {
    if (~used_[column] != 0) return static_cast<std::uint32_t>(column * 64 + std::countr_one(used_[column]));
  }
  add_column();
  return static_cast<std::uint32_t>((columns() - 1) * 64);
}

std::uint32_t FlatBloofi::slot_of(SetId id) {
  if (id >= slot_of_.size()) slot_of_.resize(std::size_t{id} + 1, kNone);
  if (slot_of_[id] == kNone) {
    const std::uint32_t slot = free_slot();
    used_[slot / 64] |= Word{1} << (slot % 64);
    set_in_[slot] = id;
    slot_of_[id] = slot;
  }
  return slot_of_[id];
}

void FlatBloofi::add_column() {
  if (!rows_) {
    arrays_.push_back(matrix_.allocate());
  } else if (columns() == width_) {
    widen(width_ + std::max<std::size_t>(width_ / 4, 1));
  }
  used_.push_back(0);
  set_in_.resize(columns() * 64);
}

// Lays the rows out anew with room for more columns: the price of one array.
void FlatBloofi::widen(std::size_t wanted) {
  const std::size_t width = padded_width(wanted);
  Arena wider(shape_.hasher.m() * width);
  wider.allocate();
  for (std::uint64_t row = 0; row < shape_.hasher.m() && columns() > 0; ++row) {
    std::memcpy(wider.at(0) + row * width, matrix_.at(0) + row * width_, columns() * sizeof(Word));
  }
  matrix_ = std::move(wider);
  width_ = width;
}

// The last column takes the place of an empty one.
void FlatBloofi::drop_column(std::size_t column) {
  const std::size_t last = columns() - 1;
  if (rows_) {
    for (std::uint64_t row = 0; row < shape_.hasher.m(); ++row) {
      if (column != last) *word(column, row) = *word(last, row);
      *word(last, row) = 0;
    }
  } else {
    std::swap(arrays_[column], arrays_[last]);
    matrix_.free(arrays_.back());
    arrays_.pop_back();
  }
  used_[column] = used_[last];
  std::copy_n(set_in_.begin() + static_cast<std::ptrdiff_t>(last * 64), 64,
              set_in_.begin() + static_cast<std::ptrdiff_t>(column * 64));
  used_.pop_back();
  set_in_.resize(columns() * 64);
  if (column == last) return;
  for (std::uint32_t i = 0; i < 64; ++i) {
    if (used_[column] >> i & 1) slot_of_[set_in_[column * 64 + i]] = static_cast<std::uint32_t>(column * 64 + i);
  }
}

// Which bits the set had is not known, so every row is visited. Few have the bit: looking first leaves most lines clean.
void FlatBloofi::clear_slot(std::uint32_t slot) {
  constexpr std::uint64_t kTogether = 8;
  const Word bit = Word{1} << (slot % 64);
  const std::size_t step = rows_ ? width_ : 1;
  const std::uint64_t m = shape_.hasher.m();
  Word* at = word(slot / 64, 0);
  for (std::uint64_t row = 0; row < m; row += kTogether, at += kTogether * step) {
    const std::uint64_t count = std::min(kTogether, m - row);
    // Far-apart rows are beyond what the hardware foresees.
    if (rows_) {
      for (std::uint64_t i = 0; i < kTogether; ++i) prefetch(at + (4 * kTogether + i) * step);
    }
    Word any = 0;
    for (std::uint64_t i = 0; i < count; ++i) any |= at[i * step];
    if ((any & bit) == 0) continue;
    for (std::uint64_t i = 0; i < count; ++i) at[i * step] &= ~bit;
  }
}

// --- maintenance -----------------------------------------------------------------------------------------------------

void FlatBloofi::set_bits(std::uint32_t slot, Keys keys) {
  const std::uint64_t k = shape_.hasher.k();
  std::uint64_t positions[kKeyGroup * 64];
  with_policy(shape_.atomic, [&](auto policy) {
    for (std::size_t begin = 0; begin < keys.size(); begin += kKeyGroup) {
      const std::size_t count = std::min(kKeyGroup, keys.size() - begin);
      shape_.hasher.positions(keys.data() + begin, count, positions);
      for (std::size_t i = 0; i < count * k; ++i) __builtin_prefetch(word(slot / 64, positions[i]), 1, 3);
      for (std::size_t i = 0; i < count * k; ++i) policy.set(word(slot / 64, positions[i]), slot % 64);
    }
  });
}

Cost FlatBloofi::build(Sets sets, const Executor& executor) {
  if (rows_ && sets.size() > 0) widen(words_for(sets.size()));
  for (SetId id = 0; id < sets.size(); ++id) {
    // As slot_of, but the next slot is known: looking for it would make building quadratic.
    if (id % 64 == 0) add_column();
    used_[id / 64] |= Word{1} << (id % 64);
    set_in_[id] = id;
    slot_of_.push_back(id);
  }
  executor.for_chunks(sets.size(), 64, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t id = begin; id < end; ++id) set_bits(slot_of_[id], sets[id]);
  });
  return {.filters = sets.size(), .nodes = sets.size()};
}

Cost FlatBloofi::insert(SetId id, Keys keys) {
  const bool known = id < slot_of_.size() && slot_of_[id] != kNone;
  set_bits(known ? slot_of_[id] : slot_of(id), keys);
  return {.filters = 1, .nodes = 1};
}

Cost FlatBloofi::insert_filter(SetId id, FilterBits bits) {
  const std::uint32_t slot = slot_of(id);
  for (std::size_t w = 0; w < shape_.words(); ++w) {
    for (Word rest = bits[w]; rest != 0; rest &= rest - 1) {
      *word(slot / 64, w * 64 + std::countr_zero(rest)) |= Word{1} << (slot % 64);
    }
  }
  return {.filters = 2, .nodes = 1};
}

Cost FlatBloofi::erase(SetId id) {
  if (id >= slot_of_.size() || slot_of_[id] == kNone) return {};
  const std::uint32_t slot = std::exchange(slot_of_[id], kNone);
  const std::size_t column = slot / 64;
  used_[column] &= ~(Word{1} << (slot % 64));
  if (used_[column] == 0) {
    drop_column(column);
    return {.filters = 1, .nodes = 1, .reshapes = 1};
  }
  clear_slot(slot);
  return {.filters = 1, .nodes = 1};
}

Cost FlatBloofi::replace(SetId id, Keys keys) {
  const std::uint32_t slot = slot_of(id);
  clear_slot(slot);
  set_bits(slot, keys);
  return {.filters = 1, .nodes = 1};
}

// --- search ----------------------------------------------------------------------------------------------------------

inline void FlatBloofi::push_matches(Word hits, std::size_t column, std::uint32_t index, Matches& out) const {
  if (hits == 0) return;
  out.ensure(64);
  for (; hits != 0; hits &= hits - 1) out.push(index, set_in_[column * 64 + std::countr_zero(hits)]);
}

// k words of each array; the next arrays' words are fetched meanwhile.
template <bool kCount>
Cost FlatBloofi::query_words(const std::uint64_t* positions, std::uint32_t index, Matches& out) const {
  constexpr std::size_t kAhead = 8;
  const std::uint64_t k = shape_.hasher.k();
  Cost cost;
  for (std::size_t column = 0; column < columns(); ++column) {
    if (column + kAhead < columns()) {
      const Word* later = matrix_.at(arrays_[column + kAhead]);
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(k, 2); ++i) prefetch(later + positions[i]);
    }
    const Word* array = matrix_.at(arrays_[column]);
    Word hits = load_word(array + positions[0]);
    std::uint64_t read = 1;
    while (read < k && hits != 0) hits &= load_word(array + positions[read++]);
    if constexpr (kCount) cost.words += read;
    push_matches(hits, column, index, out);
  }
  return cost;
}

// A cache line of each row at a time. Few sets pass two rows unless the filters are full, so the other rows are mostly
// not read at all.
template <bool kCount>
Cost FlatBloofi::query_rows(const std::uint64_t* positions, std::uint32_t index, Matches& out) const {
  const std::uint64_t k = shape_.hasher.k();
  const Word* rows[64];
  for (std::uint64_t i = 0; i < k; ++i) rows[i] = matrix_.at(0) + positions[i] * width_;
  Cost cost;
  if (width_ < kLine) {
    for (std::size_t column = 0; column < columns(); ++column) {
      Word hits = load_word(rows[0] + column);
      for (std::uint64_t i = 1; i < k; ++i) hits &= load_word(rows[i] + column);
      if constexpr (kCount) cost.words += k;
      push_matches(hits, column, index, out);
    }
    return cost;
  }
  alignas(64) Word hits[kLine];
  for (std::size_t column = 0; column < columns(); column += kLine) {
    bool any = and_line(rows[0] + column, rows[k > 1 ? 1 : 0] + column, hits);
    std::uint64_t read = 2;
    for (; any && read < k; ++read) any = and_line(hits, rows[read] + column, hits);
    if constexpr (kCount) cost.words += read * kLine;
    if (!any) continue;
    for (std::size_t i = 0; i < kLine; ++i) push_matches(hits[i], column + i, index, out);
  }
  return cost;
}

template <bool kCount>
Cost FlatBloofi::query(Keys keys, Matches& out) const {
  constexpr std::size_t kAhead = 4;        // queries whose rows are on the way
  constexpr std::size_t kAheadLines = 4;   // of each row; the hardware follows a longer stretch by itself
  const std::uint64_t k = shape_.hasher.k();
  std::uint64_t* positions = out.scratch(0, keys.size() * k);
  shape_.hasher.positions(keys.data(), keys.size(), positions);
  const std::size_t lines = rows_ ? std::min(kAheadLines, (columns() + kLine - 1) / kLine) : 0;
  Cost cost;
  for (std::size_t q = 0; q < keys.size(); ++q) {
    if (lines > 0 && q + kAhead < keys.size()) {
      const std::uint64_t fetched = lines == 1 ? k : std::min<std::uint64_t>(k, 3);
      for (std::uint64_t i = 0; i < fetched; ++i) {
        const Word* row = matrix_.at(0) + positions[(q + kAhead) * k + i] * width_;
        for (std::size_t line = 0; line < lines; ++line) prefetch(row + line * kLine);
      }
    }
    const auto index = static_cast<std::uint32_t>(q);
    cost += rows_ ? query_rows<kCount>(positions + q * k, index, out) : query_words<kCount>(positions + q * k, index, out);
    if constexpr (kCount) cost.bf_checks += columns() * 64;  // every filter takes part in every query
  }
  return cost;
}

template Cost FlatBloofi::query<true>(Keys, Matches&) const;
template Cost FlatBloofi::query<false>(Keys, Matches&) const;

// --- inspection ------------------------------------------------------------------------------------------------------

Footprint FlatBloofi::footprint() const {
  const std::uint64_t slots = columns() * 64;
  return {.storage_bytes = slots * shape_.words() * sizeof(Word),
          .memory_bytes = matrix_.resident_bytes() + bytes_of(arrays_) + bytes_of(used_) + bytes_of(set_in_) +
                          bytes_of(slot_of_),
          .nodes = slots};
}

std::string FlatBloofi::validate() const {
  std::size_t used = 0;
  for (std::size_t column = 0; column < columns(); ++column) {
    if (used_[column] == 0) return fmt::format("column {} is empty but was not dropped", column);
    used += static_cast<std::size_t>(std::popcount(used_[column]));
  }
  std::size_t sets = 0;
  for (SetId id = 0; id < slot_of_.size(); ++id) {
    const std::uint32_t slot = slot_of_[id];
    if (slot == kNone) continue;
    ++sets;
    if (slot / 64 >= columns() || !(used_[slot / 64] >> (slot % 64) & 1)) return fmt::format("set {}: slot unused", id);
    if (set_in_[slot] != id) return fmt::format("slot {} holds set {}, not {}", slot, set_in_[slot], id);
  }
  if (sets != used) return fmt::format("{} slots used for {} sets", used, sets);
  auto* self = const_cast<FlatBloofi*>(this);  // word() is shared with the writers
  for (std::size_t column = 0; column < columns(); ++column) {
    for (std::uint64_t row = 0; row < shape_.hasher.m(); ++row) {
      if (*self->word(column, row) & ~used_[column]) return fmt::format("a free slot of column {} has bits", column);
    }
  }
  return "";
}

}  // namespace bloomery
