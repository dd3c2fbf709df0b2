#include "structures/flat_bloofi.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "structures/flat_search.h"

namespace bloomery {
namespace {

constexpr std::size_t kKeyGroup = 32;  // keys hashed together on insert

}  // namespace

FlatBloofi::FlatBloofi(Params& params, std::unique_ptr<Epochs> epochs)
    : shape_(params),
      rows_(params.choice("layout", "rows", {"words", "rows"},
                          "arrays of 64-bit words, one for 64 sets, or one array of rows as wide as all sets") == "rows"),
      maintenance_(params, std::move(epochs)),
      matrix_(std::make_unique<BitRows>(shape_.hasher.m())),
      shown_(matrix_.get()),
      arrays_(rows_ ? 1 : shape_.hasher.m()) {}

// --- slots -----------------------------------------------------------------------------------------------------------

template <class Fill>
void FlatBloofi::fill(SetId id, Fill fill_slot) {
  recycle();
  if (const std::uint32_t slot = slots_.find(id); slot != Slots::kNone) return fill_slot(slot);
  const std::uint32_t slot = slots_.take(id);
  make_room();
  fill_slot(slot);
  slots_.publish(slot, id);
}

void FlatBloofi::make_room() {
  if (!rows_) {
    while (array_of_.size() < columns()) array_of_.push_back(arrays_.allocate());
  } else if (columns() > matrix_->width()) {
    widen(columns() + matrix_->width() / 4);
  }
}

void FlatBloofi::widen(std::size_t words) {
  if (words <= matrix_->width()) return;
  auto wider = std::make_unique<BitRows>(matrix_->widened(words));
  shown_.store(wider.get(), std::memory_order_release);
  outgrown_.add(std::exchange(matrix_, std::move(wider)), maintenance_);
  recycle();
}

void FlatBloofi::recycle() {
  withdrawn_.release(maintenance_, [this](std::uint32_t slot) { slots_.free(slot); });
  outgrown_.release(maintenance_, [](std::unique_ptr<BitRows>& matrix) { matrix.reset(); });
}

// The last column takes the place of an empty one.
void FlatBloofi::drop_column(std::size_t column) {
  const std::size_t last = columns() - 1;
  if (rows_) {
    matrix_->move_word(last, column);
  } else {
    std::swap(array_of_[column], array_of_[last]);
    arrays_.free(array_of_[last]);
    array_of_.pop_back();
  }
  slots_.move_last_to(column);
}

// Which bits the set had is not known, so every row is visited.
void FlatBloofi::clear_slot(std::uint32_t slot, const Word* keep) {
  if (rows_) return matrix_->clear_column(slot, keep);
  clear_bits(word(slot / 64, 0), shape_.hasher.m(), 1, slot % 64, keep);
}

// --- maintenance -----------------------------------------------------------------------------------------------------

void FlatBloofi::set_bits(std::uint32_t slot, Keys keys) {
  const std::uint64_t k = shape_.hasher.k();
  std::uint64_t positions[kKeyGroup * kMostHashes];
  with_policy(shape_.atomic, [&](auto policy) {
    for (std::size_t begin = 0; begin < keys.size(); begin += kKeyGroup) {
      const std::size_t count = std::min(kKeyGroup, keys.size() - begin);
      shape_.hasher.positions(keys.data() + begin, count, positions);
      for (std::size_t i = 0; i < count * k; ++i) __builtin_prefetch(word(slot / 64, positions[i]), 1, 3);
      for (std::size_t i = 0; i < count * k; ++i) policy.set(word(slot / 64, positions[i]), slot % 64);
    }
  });
}

void FlatBloofi::set_filter(std::uint32_t slot, FilterBits bits) {
  for (std::size_t w = 0; w < shape_.words(); ++w) {
    for (Word rest = bits[w]; rest != 0; rest &= rest - 1) {
      SerialBits::set(word(slot / 64, w * 64 + static_cast<std::size_t>(std::countr_zero(rest))), slot % 64);
    }
  }
}

Cost FlatBloofi::build(Sets sets, const Executor& executor) {
  if (rows_) widen(words_for(sets.size()));
  for (SetId id = 0; id < sets.size(); ++id) fill(id, [](std::uint32_t) {});
  executor.for_chunks(sets.size(), 64, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t id = begin; id < end; ++id) set_bits(slots_.find(static_cast<SetId>(id)), sets[id]);
  });
  return {.filters = sets.size(), .nodes = sets.size()};
}

// Keys into a set that exists share the structure; only a set that does not needs it alone, and by then it may exist.
Cost FlatBloofi::insert(SetId id, Keys keys) {
  const Cost cost = {.filters = 1, .nodes = 1};
  {
    const Adding adding(maintenance_);
    if (const std::uint32_t slot = slots_.find(id); slot != Slots::kNone) {
      set_bits(slot, keys);
      return cost;
    }
  }
  const Changing changing(maintenance_);
  fill(id, [&](std::uint32_t slot) { set_bits(slot, keys); });
  return cost;
}

Cost FlatBloofi::insert_filter(SetId id, FilterBits bits) {
  const Changing changing(maintenance_);
  fill(id, [&](std::uint32_t slot) { set_filter(slot, bits); });
  return {.filters = 2, .nodes = 1};
}

Cost FlatBloofi::erase(SetId id) {
  const Changing changing(maintenance_);
  if (slots_.find(id) == Slots::kNone) return {};
  const std::uint32_t slot = slots_.withdraw(id);
  withdrawn_.add(slot, maintenance_);
  if (maintenance_.readers_stay()) {
    clear_slot(slot);
    recycle();
    return {.filters = 1, .nodes = 1};
  }
  recycle();
  if (slots_.empty(slot / 64)) {
    drop_column(slot / 64);
    return {.filters = 1, .nodes = 1, .reshapes = 1};
  }
  clear_slot(slot);
  return {.filters = 1, .nodes = 1};
}

Cost FlatBloofi::replace(SetId id, Keys keys) {
  const Changing changing(maintenance_);
  const bool existed = slots_.find(id) != Slots::kNone;
  fill(id, [&](std::uint32_t slot) { set_bits(slot, keys); });
  if (existed) {
    std::vector<Word> kept(shape_.words());
    std::vector<std::uint64_t> positions(keys.size() * shape_.hasher.k());
    shape_.hasher.positions(keys.data(), keys.size(), positions.data());
    for (const std::uint64_t position : positions) SerialBits::set(kept.data(), position);
    clear_slot(slots_.find(id), kept.data());
  }
  return {.filters = 1, .nodes = 1};
}

// --- search ----------------------------------------------------------------------------------------------------------

// k words of each array; the next arrays' words are fetched meanwhile.
template <bool kCount>
Cost FlatBloofi::query_words(const std::uint64_t* positions, std::size_t columns, std::size_t index,
                             Matches& out) const {
  constexpr std::size_t kAhead = 8;
  const std::uint64_t k = shape_.hasher.k();
  Cost cost;
  for (std::size_t column = 0; column < columns; ++column) {
    if (column + kAhead < columns) {
      const Word* later = arrays_.at(array_of_[column + kAhead]);
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(k, 2); ++i) prefetch(later + positions[i]);
    }
    const Word* array = arrays_.at(array_of_[column]);
    Word hits = load_word(array + positions[0]);
    std::uint64_t read = 1;
    while (read < k && hits != 0) hits &= load_word(array + positions[read++]);
    if constexpr (kCount) cost += {.words = read, .lines = read};
    if (hits != 0) slots_.push(hits, column, index, out);
  }
  return cost;
}

template <bool kCount>
Cost FlatBloofi::query(Keys keys, Matches& out) const {
  const std::uint64_t k = shape_.hasher.k();
  std::uint64_t* positions = out.scratch(0, keys.size() * k);
  shape_.hasher.positions(keys.data(), keys.size(), positions);
  const Reading reading(maintenance_);
  // A column that has no room yet has no published set either.
  if (rows_) {
    const BitRows& matrix = *shown_.load(std::memory_order_acquire);
    return search_rows<kCount>(matrix, slots_, std::min(slots_.columns(), matrix.width()), positions, k, keys.size(), out);
  }
  const std::size_t columns = std::min(slots_.columns(), array_of_.size());
  Cost cost;
  for (std::size_t q = 0; q < keys.size(); ++q) {
    cost += query_words<kCount>(positions + q * k, columns, q, out);
    if constexpr (kCount) cost.bf_checks += columns * 64;  // every filter takes part in every query
  }
  return cost;
}

template Cost FlatBloofi::query<true>(Keys, Matches&) const;
template Cost FlatBloofi::query<false>(Keys, Matches&) const;

// --- inspection ------------------------------------------------------------------------------------------------------

Footprint FlatBloofi::footprint() const {
  const std::uint64_t slots = columns() * 64;
  return {.storage_bytes = slots * shape_.words() * sizeof(Word),
          .memory_bytes = (rows_ ? matrix_->memory_bytes() : arrays_.resident_bytes()) + array_of_.memory_bytes() +
                          slots_.memory_bytes(),
          .nodes = slots};
}

std::string FlatBloofi::validate() const {
  if (std::string problem = slots_.validate(maintenance_.readers_stay()); !problem.empty()) return problem;
  auto* self = const_cast<FlatBloofi*>(this);  // word() is shared with the writers
  for (std::size_t column = 0; column < columns(); ++column) {
    for (std::uint64_t row = 0; row < shape_.hasher.m(); ++row) {
      if (*self->word(column, row) & ~slots_.used(column)) return fmt::format("a free slot of column {} has bits", column);
    }
  }
  return "";
}

}  // namespace bloomery
