// Which set lives in which slot (a column of bits), 64 slots a column word. Freed slots are reused.
//
// Queries may ask columns() and set_in() while one thread takes, publishes, withdraws and frees slots; moving columns
// needs all to itself.
#ifndef BLOOMERY_STRUCTURES_SLOTS_H_
#define BLOOMERY_STRUCTURES_SLOTS_H_

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "structures/arena.h"
#include "structures/stable_array.h"
#include "structures/structure.h"

namespace bloomery {

class Slots {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::size_t columns() const { return used_.size(); }
  std::uint32_t find(SetId id) const { return id < slot_of_.size() ? slot_of_[id] : kNone; }
  SetId set_in(std::size_t slot) const { return __atomic_load_n(&set_in_[slot], __ATOMIC_ACQUIRE); }  // or kNone
  bool empty(std::size_t column) const { return used_[column] == 0; }
  Word used(std::size_t column) const { return used_[column]; }

  // Adds to the matches of a key the sets whose bits of a column are set. A set that comes or goes has bits before it is
  // published.
  void push(Word hits, std::size_t column, std::size_t index, Matches& out) const {
    out.ensure(64);
    for (; hits != 0; hits &= hits - 1) {
      const SetId set = set_in(column * 64 + static_cast<std::size_t>(std::countr_zero(hits)));
      out.push(static_cast<std::uint32_t>(index), set, set != kNone);
    }
  }

  // The set must have no slot. Columns are added as needed.
  std::uint32_t assign(SetId id) {
    const std::uint32_t slot = take(id);
    publish(slot, id);
    return slot;
  }
  // The same in two steps: queries do not know the set before it is published, when its bits are there.
  std::uint32_t take(SetId id) {
    const std::uint32_t slot = free_slot();
    if (id >= slot_of_.size()) slot_of_.resize(std::size_t{id} + 1, kNone);
    used_[slot / 64] |= Word{1} << (slot % 64);
    return slot_of_[id] = slot;
  }
  void publish(std::uint32_t slot, SetId id) { __atomic_store_n(&set_in_[slot], id, __ATOMIC_RELEASE); }

  // The set must have a slot.
  std::uint32_t release(SetId id) {
    const std::uint32_t slot = withdraw(id);
    free(slot);
    return slot;
  }
  // The same in two steps: the slot is not given to another set before it is freed.
  std::uint32_t withdraw(SetId id) {
    const std::uint32_t slot = std::exchange(slot_of_[id], kNone);
    publish(slot, kNone);
    ++withdrawn_;
    return slot;
  }
  void free(std::uint32_t slot) {
    used_[slot / 64] &= ~(Word{1} << (slot % 64));
    first_free_ = std::min<std::size_t>(first_free_, slot / 64);
    --withdrawn_;
  }

  // The sets of the last column move into an empty one.
  void move_last_to(std::size_t column) {
    const std::size_t last = columns() - 1;
    if (column != last) {
      used_[column] = used_[last];
      for (std::size_t i = 0; i < 64; ++i) {
        set_in_[column * 64 + i] = set_in_[last * 64 + i];
        if (used_[column] >> i & 1) slot_of_[set_in_[column * 64 + i]] = static_cast<std::uint32_t>(column * 64 + i);
      }
    }
    used_.pop_back();
    set_in_.resize(columns() * 64);
    first_free_ = std::min(first_free_, column);
  }

  std::uint64_t memory_bytes() const { return used_.memory_bytes() + set_in_.memory_bytes() + bytes_of(slot_of_); }

  std::string validate(bool may_be_empty = false) const {
    std::size_t used = 0, sets = 0;
    for (std::size_t column = 0; column < columns(); ++column) {
      if (used_[column] == 0 && !may_be_empty) return fmt::format("column {} is empty but was not dropped", column);
      used += static_cast<std::size_t>(std::popcount(used_[column]));
    }
    for (SetId id = 0; id < slot_of_.size(); ++id) {
      const std::uint32_t slot = slot_of_[id];
      if (slot == kNone) continue;
      ++sets;
      if (slot / 64 >= columns() || !(used_[slot / 64] >> (slot % 64) & 1)) return fmt::format("set {}: slot unused", id);
      if (set_in_[slot] != id) return fmt::format("slot {} holds set {}, not {}", slot, set_in_[slot], id);
    }
    return sets + withdrawn_ == used ? "" : fmt::format("{} slots used for {} sets", used, sets);
  }

 private:
  std::uint32_t free_slot() {
    while (first_free_ < columns() && ~used_[first_free_] == 0) ++first_free_;
    if (first_free_ == columns()) {
      set_in_.resize((columns() + 1) * 64, kNone);
      used_.push_back(0);
    }
    return static_cast<std::uint32_t>(first_free_ * 64 + static_cast<std::size_t>(std::countr_one(used_[first_free_])));
  }

  StableArray<Word> used_;              // a bit a slot
  StableArray<SetId> set_in_;           // slot to set
  std::vector<std::uint32_t> slot_of_;  // set to slot
  std::size_t first_free_ = 0;          // no column before it has a free slot
  std::size_t withdrawn_ = 0;           // slots without a set that are not free
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_SLOTS_H_
