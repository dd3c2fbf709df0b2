#include "structures/sliced_bloofi.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "structures/flat_search.h"
#include "structures/sliced_model.h"

namespace bloomery {
namespace {

constexpr std::size_t kKeyGroup = 32;    // keys hashed together on insert, and queries whose lines are in flight
constexpr std::size_t kFewestGroups = 8;  // below, reading all leaf lines is as cheap

}  // namespace

SlicedBloofi::Plan::Plan(Params& params) {
  own_hashes = params.choice("from", "keys", {"keys", "filters"}, "what the upper level is made of") == "keys";
  const std::uint64_t group = params.integer(
      "group", 0, 0, 1 << 16, "sets of a group, in multiples of 64; 0: chosen by the build, for 100 000 sets without one");
  upper_bits = params.integer("upper_bits", 0, 0, 64, "bits of the upper level, in multiples of m (only from keys); 0: group / 64");
  upper_k = params.integer("upper_k", 4, 1, kMostHashes, "its hash functions (only from keys)");
  expected_hits = params.real("expected_hits", 0.5, 0, 1, "share of the searches that the groups are chosen for which find a set");
  chosen = group == 0 && own_hashes;
  group_words = group > 0 ? std::max<std::size_t>(1, group / 64) : own_hashes ? 4 : 1;
}

// Of groups of several sizes the one that the model says is searched fastest. The upper bits grow with the groups, so
// that the upper level stays as full, and as small beside the leaves. Or it has the positions of the leaves: large
// groups would fill it, but those of small groups are in cache, and need no hash functions of their own.
void SlicedBloofi::Plan::choose(double sets, double keys_per_set, const Hasher& leaves) {
  if (!chosen) return;
  const SlicedLoad load = {sets, keys_per_set, static_cast<double>(leaves.m()), static_cast<double>(leaves.k()), expected_hits};
  const auto time_of = [&](std::size_t words, bool own) {
    const SlicedLevels levels = {static_cast<double>(words), own, static_cast<double>(upper_k), static_cast<double>(factor(words))};
    return search_time(sliced_search(load, levels), own);
  };
  double best = time_of(1, false);
  own_hashes = false;
  group_words = 1;
  for (std::size_t words = 1; words <= 16; words *= 2) {
    const double time = time_of(words, true);
    if (time >= best) continue;
    best = time;
    own_hashes = true;
    group_words = words;
  }
}

Hasher SlicedBloofi::Plan::upper_hasher(const Hasher& leaves) const {
  if (!own_hashes) return leaves;
  return Hasher(HashKind::kDouble, leaves.m() * factor(group_words), upper_k, leaves.seed() + 1);
}

SlicedBloofi::SlicedBloofi(Params& params)
    : shape_(params),
      plan_(params),
      upper_use_(params.choice("upper", "auto", {"auto", "always", "never"},
                               "ask the upper level where it pays, always or never")),
      similar_(params.choice("grouping", "arrival", {"arrival", "similar"},
                             "groups of sets in the order of the build, or of similar sets (an O(N^2) sort)") ==
               "similar"),
      leaves_(shape_.hasher),
      upper_(plan_.upper_hasher(shape_.hasher)) {}

// --- slots and groups ------------------------------------------------------------------------------------------------

std::uint32_t SlicedBloofi::slot_of(SetId id) {
  std::uint32_t slot = slots_.find(id);
  if (slot == Slots::kNone) {
    slot = slots_.assign(id);
    make_room();
  }
  return slot;
}

void SlicedBloofi::make_room() {
  BitRows& leaves = leaves_.matrix;
  BitRows& upper = upper_.matrix;
  if (columns() > leaves.width()) leaves.widen(columns() + leaves.width() / 4);
  const std::size_t words = words_for(groups());
  if (words > upper.width()) upper.widen(words + upper.width() / 4);
  opaque_.resize(std::max(opaque_.size(), words));
}

// The last column takes the place of an empty one, and its group's keys go with it.
void SlicedBloofi::drop_column(std::size_t column) {
  const std::size_t last = columns() - 1;
  leaves_.matrix.move_word(last, column);
  slots_.move_last_to(column);
  const std::size_t from = last / plan_.group_words;
  const bool empty = from >= groups();
  if (const std::size_t into = column / plan_.group_words; from != into || empty) fold_group(from, into, empty);
}

// One group's upper bits, or that it has unseen keys, are added to another's; they are cleared if it is empty.
void SlicedBloofi::fold_group(std::size_t from, std::size_t into, bool empty) {
  const auto fold = [&](Word* row) {
    const Word bit = row[from / 64] >> (from % 64) & 1;
    if (bit == 0) return;
    if (from != into) {
      upper_ones_ += (row[into / 64] >> (into % 64) & 1) ^ 1;
      row[into / 64] |= bit << (into % 64);
    }
    if (empty) {
      row[from / 64] &= ~(Word{1} << (from % 64));
      --upper_ones_;
    }
  };
  const std::uint64_t ones = upper_ones_;
  fold(opaque_.data());
  upper_ones_ = ones;  // the opaque groups are no part of the matrix
  for (std::uint64_t position = 0; position < upper_.hasher.m(); ++position) fold(upper_.matrix.row(position));
}

// --- maintenance -----------------------------------------------------------------------------------------------------

void SlicedBloofi::set_bits(Level& level, std::size_t column, Keys keys, bool atomic, std::uint64_t* fresh) {
  const std::uint64_t k = level.hasher.k();
  std::uint64_t positions[kKeyGroup * kMostHashes];
  const auto word = [&](std::uint64_t position) { return level.matrix.row(position) + column / 64; };
  with_policy(atomic, [&](auto policy) {
    std::uint64_t set = 0;
    for (std::size_t begin = 0; begin < keys.size(); begin += kKeyGroup) {
      const std::size_t count = std::min(kKeyGroup, keys.size() - begin);
      level.hasher.positions(keys.data() + begin, count, positions);
      for (std::size_t i = 0; i < count * k; ++i) __builtin_prefetch(word(positions[i]), 1, 3);
      for (std::size_t i = 0; i < count * k; ++i) set += policy.set(word(positions[i]), column % 64);
    }
    if (fresh != nullptr) policy.add(fresh, set);
  });
}

void SlicedBloofi::add_keys(std::uint32_t slot, Keys keys, bool atomic) {
  set_bits(upper_, group_of(slot), keys, atomic, &upper_ones_);
  set_bits(leaves_, slot, keys, atomic, nullptr);
}

std::vector<SetId> SlicedBloofi::order_of(Sets sets, const Executor& executor) const {
  std::vector<SetId> order(sets.size());
  std::iota(order.begin(), order.end(), SetId{0});
  if (!similar_ || sets.size() < 2) return order;
  Arena filters(shape_.words());
  std::vector<const Word*> views;
  for (std::size_t i = 0; i < sets.size(); ++i) views.push_back(filters.at(filters.allocate()));
  executor.for_chunks(sets.size(), 16, [&](std::size_t begin, std::size_t end, int) {
    std::uint64_t positions[kMostHashes];
    for (std::size_t i = begin; i < end; ++i) {
      for (const Key key : sets[i]) {
        shape_.hasher.positions(&key, 1, positions);
        for (std::uint64_t j = 0; j < shape_.hasher.k(); ++j) {
          SerialBits::set(filters.at(static_cast<std::uint32_t>(i)), positions[j]);
        }
      }
    }
  });
  return nearest_neighbour_order(views, shape_.words(), Similarity::kHamming, executor);
}

void SlicedBloofi::choose_groups(Sets sets) {
  double keys = 0;
  for (const Keys& set : sets) keys += static_cast<double>(set.size());
  const auto count = static_cast<double>(sets.size());
  plan_.choose(count, keys / std::max(1.0, count), shape_.hasher);
  upper_ = Level(plan_.upper_hasher(shape_.hasher));
}

Cost SlicedBloofi::build(Sets sets, const Executor& executor) {
  choose_groups(sets);
  leaves_.matrix.widen(words_for(sets.size()));
  for (const SetId id : order_of(sets, executor)) slot_of(id);
  const bool atomic = shape_.atomic || executor.threads() > 1;  // neighbours share words of the upper level
  executor.for_chunks(sets.size(), 64, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t id = begin; id < end; ++id) add_keys(slots_.find(static_cast<SetId>(id)), sets[id], atomic);
  });
  return {.filters = sets.size() + groups(), .nodes = sets.size() + groups()};
}

Cost SlicedBloofi::insert(SetId id, Keys keys) {
  add_keys(slot_of(id), keys, shape_.atomic);
  return {.filters = 2, .nodes = 2};
}

Cost SlicedBloofi::insert_filter(SetId id, FilterBits bits) {
  const std::uint32_t slot = slot_of(id);
  const std::size_t group = group_of(slot);
  if (plan_.own_hashes) opaque_[group / 64] |= Word{1} << (group % 64);
  for (std::size_t w = 0; w < shape_.words(); ++w) {
    for (Word rest = bits[w]; rest != 0; rest &= rest - 1) {
      const std::uint64_t position = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
      if (!plan_.own_hashes) upper_ones_ += SerialBits::set(upper_.matrix.row(position) + group / 64, group % 64);
      SerialBits::set(leaves_.matrix.row(position) + slot / 64, slot % 64);
    }
  }
  return {.filters = 3, .nodes = 2};
}

Cost SlicedBloofi::erase(SetId id) {
  if (slots_.find(id) == Slots::kNone) return {};
  const std::uint32_t slot = slots_.release(id);
  if (slots_.empty(slot / 64)) {
    drop_column(slot / 64);
    return {.filters = 1, .nodes = 1, .reshapes = 1};
  }
  leaves_.matrix.clear_column(slot);
  return {.filters = 1, .nodes = 1};
}

Cost SlicedBloofi::replace(SetId id, Keys keys) {
  const std::uint32_t slot = slot_of(id);
  leaves_.matrix.clear_column(slot);
  add_keys(slot, keys, shape_.atomic);
  return {.filters = 2, .nodes = 2};
}

// --- search ----------------------------------------------------------------------------------------------------------

// Whether asking the upper level first saves reading: it must be of some size and let most groups go.
bool SlicedBloofi::upper_pays() const {
  if (upper_use_ != "auto") return upper_use_ == "always";
  if (groups() < kFewestGroups) return false;
  const double bits = static_cast<double>(upper_.hasher.m()) * static_cast<double>(groups());
  const double pass = std::pow(static_cast<double>(load_word(&upper_ones_)) / bits, static_cast<double>(upper_.hasher.k()));
  return pass < 0.25;
}

template <bool kCount>
Cost SlicedBloofi::query(Keys keys, Matches& out) const {
  if (columns() == 0) return {};
  return upper_pays() ? query_sliced<kCount>(keys, out) : query_flat<kCount>(keys, out);
}

template <bool kCount>
Cost SlicedBloofi::query_flat(Keys keys, Matches& out) const {
  const std::uint64_t k = leaves_.hasher.k();
  std::uint64_t* positions = out.scratch(0, keys.size() * k);
  leaves_.hasher.positions(keys.data(), keys.size(), positions);
  return search_rows<kCount>(leaves_.matrix, slots_, columns(), positions, k, keys.size(), out);
}

// A batch of keys goes through three rounds, each of which starts the reads of the next: the upper rows of all keys, the
// lines of all groups that are left, the matches in them.
template <bool kCount>
Cost SlicedBloofi::query_sliced(Keys keys, Matches& out) const {
  const std::uint64_t k = leaves_.hasher.k(), upper_k = upper_.hasher.k();
  const std::size_t words = words_for(groups());
  std::uint64_t leaf_positions[kKeyGroup * kMostHashes];
  std::uint64_t own_positions[kKeyGroup * kMostHashes];
  const std::uint64_t* upper_positions = plan_.own_hashes ? own_positions : leaf_positions;
  Cost cost;
  for (std::size_t begin = 0; begin < keys.size(); begin += kKeyGroup) {
    const std::size_t count = std::min(kKeyGroup, keys.size() - begin);
    if (plan_.own_hashes) upper_.hasher.positions(keys.data() + begin, count, own_positions);
    if (!plan_.own_hashes) leaves_.hasher.positions(keys.data() + begin, count, leaf_positions);
    for (std::size_t q = 0; q < count; ++q) upper_.matrix.prefetch_rows(upper_positions + q * upper_k, upper_k, 0, words);
    if (plan_.own_hashes) leaves_.hasher.positions(keys.data() + begin, count, leaf_positions);
    std::uint64_t* candidates = out.scratch(0, count * groups());
    std::size_t size = 0;
    const auto look_into = [&](std::size_t q, std::size_t word, Word hits) {
      for (; hits != 0; hits &= hits - 1) {
        const std::size_t group = word * 64 + static_cast<std::size_t>(std::countr_zero(hits));
        leaves_.matrix.prefetch_rows(leaf_positions + q * k, k, group * plan_.group_words, plan_.group_words);
        candidates[size++] = q << 32 | group;
      }
    };
    for (std::size_t q = 0; q < count; ++q) {
      const BitRows::Touched touched =
          upper_.matrix.intersect(upper_positions + q * upper_k, upper_k, 0, words, [&](std::size_t word, Word hits) {
            look_into(q, word, hits & ~opaque_[word]);
          });
      for (std::size_t word = 0; word < words; ++word) look_into(q, word, opaque_[word]);
      if constexpr (kCount) cost += {.bf_checks = groups(), .words = touched.words, .lines = touched.lines};
    }
    for (std::size_t c = 0; c < size; ++c) {
      const std::size_t q = candidates[c] >> 32, group = candidates[c] & 0xffffffffU;
      const std::size_t first = group * plan_.group_words, last = std::min(first + plan_.group_words, columns());
      const BitRows::Touched touched =
          leaves_.matrix.intersect(leaf_positions + q * k, k, first, last, [&](std::size_t column, Word hits) {
            slots_.push(hits, column, begin + q, out);
          });
      if constexpr (kCount) {
        cost += {.bf_checks = (last - first) * 64, .words = touched.words, .lines = touched.lines};
      }
    }
  }
  return cost;
}

template Cost SlicedBloofi::query<true>(Keys, Matches&) const;
template Cost SlicedBloofi::query<false>(Keys, Matches&) const;

// --- inspection ------------------------------------------------------------------------------------------------------

Footprint SlicedBloofi::footprint() const {
  const std::uint64_t slots = columns() * 64;
  return {.storage_bytes = (slots * words_for(leaves_.hasher.m()) + groups() * words_for(upper_.hasher.m())) * sizeof(Word),
          .memory_bytes = leaves_.matrix.memory_bytes() + upper_.matrix.memory_bytes() + slots_.memory_bytes() +
                          bytes_of(opaque_),
          .nodes = slots + groups(),
          .height = columns() > 0 ? 1U : 0U};
}

// The slots are sound, free ones hold nothing, and where both levels have the same positions every leaf bit is in its group's.
std::string SlicedBloofi::validate() const {
  if (std::string problem = slots_.validate(); !problem.empty()) return problem;
  std::uint64_t ones = 0;
  for (std::uint64_t position = 0; position < upper_.hasher.m() && columns() > 0; ++position) {
    ones += count_ones(upper_.matrix.row(position), upper_.matrix.width());
  }
  if (ones != upper_ones_) return fmt::format("the upper level has {} ones, not {}", ones, upper_ones_);
  for (std::uint64_t position = 0; position < leaves_.hasher.m(); ++position) {
    for (std::size_t column = 0; column < columns(); ++column) {
      const Word word = leaves_.matrix.row(position)[column];
      const std::size_t group = column / plan_.group_words;
      if (word & ~slots_.used(column)) return fmt::format("a free slot of column {} has bits", column);
      if (!plan_.own_hashes && word != 0 && !test_bit(upper_.matrix.row(position), group)) {
        return fmt::format("group {} lacks bit {}, which one of its sets has", group, position);
      }
    }
  }
  return "";
}

}  // namespace bloomery
