#include "structures/external_blocked_bloom.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "structures/arena.h"
#include "structures/block_head.h"
#include "structures/block_theory.h"
#include "structures/filter_shape.h"
#include "structures/places.h"
#include "structures/probes.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kHeadWords = FilterFile::kSumWord + 1;
constexpr std::uint64_t kMostBlocks = 1ULL << 28;
constexpr std::uint64_t kLevels = 32;    // that become tighter; pages further down a chain are like the last of them
constexpr std::size_t kGroup = 1 << 14;  // keys that are sorted by page together
constexpr std::size_t kKeysAhead = 16;   // between the prefetch of a page's head and its use
constexpr std::uint64_t kFull = ~0ULL;   // no place in a page

// A visit is a key's page above its index in the batch, so that sorted visits are in the order of the pages.
std::uint64_t page_of(std::uint64_t visit) { return visit >> 32; }
std::size_t index_of(std::uint64_t visit) { return visit & 0xffffffffU; }

// Calls body(first, last) for every stretch of visits in which together(a visit, the next) holds.
template <class Together, class Body>
void for_stretches(const std::uint64_t* visits, std::size_t count, Together together, Body body) {
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin + 1;
    while (end < count && together(visits[end - 1], visits[end])) ++end;
    body(begin, end);
    begin = end;
  }
}

bool same_page(std::uint64_t a, std::uint64_t b) { return page_of(a) == page_of(b); }
bool near_page(std::uint64_t a, std::uint64_t b) { return page_of(b) <= page_of(a) + 1; }

void announce(const FilterFile& file, const std::uint64_t* visits, std::size_t count) {
  if (same_page(visits[0], visits[count - 1])) return;  // nothing to overlap
  for_stretches(visits, count, near_page, [&](std::size_t begin, std::size_t end) {
    file.will_need(page_of(visits[begin]), page_of(visits[end - 1]) - page_of(visits[begin]) + 1);
  });
}

}  // namespace

// --- shape -----------------------------------------------------------------------------------------------------------

ExternalBlockedBloom::Layout::Layout(Params& params, const ChainShape& shape) {
  n_exp = params.integer("n_exp", 10000, 1, 1ULL << 36, "keys expected");
  page_bytes = params.integer("page_bytes", 4096, 4096, 1 << 16, "of a page, which is a block: a power of two");
  if (!std::has_single_bit(page_bytes)) {
    throw ParamError("page_bytes", fmt::format("page_bytes is {}; it must be a power of two", page_bytes));
  }
  reserve = params.real("reserve", 0.07, 0, 0.9, "share of a page that is kept for growth cells");
  fraction = params.real("fraction", 0.02, 0, 1, "bits of a growth cell over those of the first");
  const std::uint64_t words = page_bytes / sizeof(Word) - kHeadWords;
  const double kept = reserve * static_cast<double>(words);
  grow_words = std::max<std::uint64_t>(1, std::llround(fraction * (static_cast<double>(words) - kept)));
  cells = 1 + std::min(kMostGrowthCells, static_cast<std::uint64_t>(kept) / grow_words);
  first_words = words - (cells - 1) * grow_words;
  const std::uint64_t capacity = places_in(shape.link(0), first_words * 64);
  if (capacity == 0) {
    throw ParamError("page_bytes",
                     fmt::format("page_bytes is {}; a key alone needs {:.0f} bits", page_bytes, shape.link(0).c));
  }
  blocks = (n_exp + capacity - 1) / capacity;
  if (blocks <= kMostBlocks) return;
  throw ParamError("n_exp",
                   fmt::format("n_exp is {}, which needs {} pages; {} are the most", n_exp, blocks, kMostBlocks));
}

ExternalBlockedBloom::Access::Access(Params& params)
    : path(params.text("path", "", "a file that exists, or whose folder does",
                       "of the filter; by default a file without a name in $TMPDIR or /tmp")),
      mapped(params.choice("io", "mmap", {"mmap", "pread"}, "how pages are reached") == "mmap"),
      readahead(
          params.flag("readahead", true, "announce the pages of a batch to the kernel before the first is read")) {}

FilterFile::Plan ExternalBlockedBloom::plan() const {
  const auto text = [](auto value) { return fmt::format("{}", value); };
  return {access_.path,
          layout_.page_bytes,
          layout_.blocks,
          {{"structure", "external_blocked_bloom"},
           {"page_bytes", text(layout_.page_bytes)},
           {"n_exp", text(layout_.n_exp)},
           {"k", text(shape_.k)},
           {"c", text(shape_.c)},
           {"ratio", text(shape_.ratio)},
           {"extra", text(shape_.extra)},
           {"rounding", shape_.rounding},
           {"reserve", text(layout_.reserve)},
           {"fraction", text(layout_.fraction)},
           {"seed", text(shape_.seed)}}};
}

ExternalBlockedBloom::ExternalBlockedBloom(Params& params)
    : shape_(params, 0), layout_(params, shape_), access_(params), file_(plan()) {
  for (std::uint64_t level = 0; level < kLevels; ++level) {
    for (std::uint64_t i = 0; i < layout_.cells; ++i) {
      const LinkShape shape = shape_.link(level + i);
      const std::uint64_t word = kHeadWords + (i == 0 ? 0 : layout_.first_words + (i - 1) * layout_.grow_words);
      const std::uint64_t m = (i == 0 ? layout_.first_words : layout_.grow_words) * 64;
      cells_.push_back({shape, word, m, std::max<std::uint64_t>(1, places_in(shape, m))});
    }
  }
  if (!file_.existed()) return;
  if (const std::string problem = validate(); !problem.empty()) file_.reject("is damaged: " + problem);
}

const ExternalBlockedBloom::Cell& ExternalBlockedBloom::cell(std::uint64_t level, std::uint64_t i) const {
  return cells_[std::min(level, kLevels - 1) * layout_.cells + i];
}

std::uint64_t ExternalBlockedBloom::hash_of(Key key) const { return mix64(key ^ shape_.seed); }
std::uint64_t ExternalBlockedBloom::block_of(std::uint64_t hash) const { return 1 + scaled(hash, layout_.blocks); }

// Independent of those in every other cell of the chain.
PairedProbes ExternalBlockedBloom::probes_of(std::uint64_t hash, std::uint64_t level, std::uint64_t i) const {
  return PairedProbes(link_hash(hash, level * layout_.cells + i), cell(level, i).m);
}

// --- one key ---------------------------------------------------------------------------------------------------------

template <bool kCount, class Pages>
bool ExternalBlockedBloom::holds(Pages& pages, std::uint64_t block, std::uint64_t hash, Cost& cost) const {
  std::uint64_t number = block;
  for (std::uint64_t level = 0; number != 0; ++level) {
    const Word* page = pages.at(level, number);
    const Word head = acquire_word(page);
    if constexpr (kCount) cost += {.bf_checks = 1, .words = 1, .lines = 1};
    for (std::uint64_t i = 0; i <= cells_of(head); ++i) {
      const Cell& here = cell(level, i);
      std::uint32_t read = 0;
      const bool yes = all_set(page + here.word, 0, probes_of(hash, level, i), here.shape.hashes_of(hash), read);
      if constexpr (kCount) cost += {.words = read, .lines = read};
      if (yes) return true;
    }
    number = link_of(head);
  }
  return false;
}

// In the newest cell of a page, or in the next one; which, or kFull.
template <class Policy>
std::uint64_t ExternalBlockedBloom::take_place(Word* head, std::uint64_t level) const {
  Word state = acquire_word(head);
  for (;;) {
    const std::uint64_t newest = cells_of(state);
    if (taken_of(state) < cell(level, newest).capacity) {
      if (update_word<Policy>(head, state, state + 1)) return newest;
    } else if (newest + 1 == layout_.cells) {
      return kFull;
    } else if (update_word<Policy>(head, state, pack_head(0, newest + 1, 1))) {
      return newest + 1;
    }
  }
}

// The page after a full one, which gets one if it has none; 0 if the file cannot grow.
std::uint64_t ExternalBlockedBloom::next_page(Word* head) {
  if (const std::uint32_t linked = link_of(acquire_word(head)); linked != 0) return linked;
  const std::lock_guard lock(chaining_);
  const Word state = acquire_word(head);
  if (link_of(state) != 0) return link_of(state);
  const std::uint64_t fresh = file_.append();
  // Nobody else writes the head of a full page; release, for what the file says of its pages to be seen with it.
  if (fresh != 0) __atomic_store_n(head, state | pack_head(fresh, 0, 0), __ATOMIC_RELEASE);
  return fresh;
}

// Returns how many pages it went down the chain. In a file that cannot grow, the last cell takes whatever comes.
template <class Policy, class Pages>
std::uint64_t ExternalBlockedBloom::insert_key(Policy policy, Pages& pages, std::uint64_t block, std::uint64_t hash) {
  Cost unused;
  if (holds<false>(pages, block, hash, unused)) return 0;
  std::uint64_t number = block;
  for (std::uint64_t level = 0;; ++level) {
    Word* page = pages.at(level, number);
    std::uint64_t i = take_place<Policy>(page, level);
    if (i != kFull || link_of(acquire_word(page)) == 0) pages.changed(level, number);
    if (const std::uint64_t next = i == kFull ? next_page(page) : 0; next != 0) {
      number = next;
      continue;
    }
    i = std::min(i, layout_.cells - 1);
    const Cell& here = cell(level, i);
    set_all(policy, page + here.word, 0, probes_of(hash, level, i), here.shape.hashes_of(hash));
    return level;
  }
}

// --- batches ---------------------------------------------------------------------------------------------------------

template <class Body>
auto ExternalBlockedBloom::with_pages(Body&& body) const {
  if (access_.mapped) return body(MappedPages(file_));
  return body(BufferedPages(file_, shape_.atomic ? &locks_ : nullptr));
}

void ExternalBlockedBloom::list_visits(Keys keys, std::uint64_t* visits) const {
  for (std::size_t i = 0; i < keys.size(); ++i) visits[i] = block_of(hash_of(keys[i])) << 32 | i;
  std::sort(visits, visits + keys.size());
  if (access_.readahead) announce(file_, visits, keys.size());
}

template <class Policy, class Pages>
std::uint64_t ExternalBlockedBloom::insert_group(Policy policy, Pages& pages, Keys keys, std::uint64_t* visits) {
  std::uint64_t down = 0;
  list_visits(keys, visits);
  for_stretches(visits, keys.size(), same_page, [&](std::size_t begin, std::size_t end) {
    const std::uint64_t block = page_of(visits[begin]);
    [[maybe_unused]] const auto visit = pages.write(block);
    for (std::size_t v = begin; v < end; ++v) {
      if (v + kKeysAhead < keys.size()) pages.prefetch_page(page_of(visits[v + kKeysAhead]));
      down += insert_key(policy, pages, block, hash_of(keys[index_of(visits[v])]));
    }
    pages.leave();
  });
  return down;
}

Cost ExternalBlockedBloom::insert(SetId, Keys keys) {
  if (keys.empty()) return {.filters = 1, .nodes = 1};
  const std::uint64_t before = file_.pages();
  std::vector<std::uint64_t> visits(std::min(kGroup, keys.size()));
  file_.begin_writing();
  std::uint64_t down = 0;
  with_policy(shape_.atomic && access_.mapped, [&](auto policy) {
    with_pages([&](auto pages) {
      for (std::size_t begin = 0; begin < keys.size(); begin += kGroup) {
        down += insert_group(policy, pages, keys.subspan(begin, std::min(kGroup, keys.size() - begin)), visits.data());
      }
    });
  });
  return {.filters = keys.size() + down, .nodes = keys.size() + down, .reshapes = file_.pages() - before};
}

template <bool kCount, class Pages>
Cost ExternalBlockedBloom::query_group(Pages& pages, Keys keys, std::uint64_t* visits, Word* hits) const {
  Cost cost;
  list_visits(keys, visits);
  std::fill_n(hits, words_for(keys.size()), Word{0});
  for_stretches(visits, keys.size(), same_page, [&](std::size_t begin, std::size_t end) {
    const std::uint64_t block = page_of(visits[begin]);
    [[maybe_unused]] const auto visit = pages.read(block);
    for (std::size_t v = begin; v < end; ++v) {
      if (v + kKeysAhead < keys.size()) pages.prefetch_page(page_of(visits[v + kKeysAhead]));
      const std::size_t i = index_of(visits[v]);
      const bool hit = holds<kCount>(pages, block, hash_of(keys[i]), cost);
      hits[i / 64] |= Word{hit} << (i % 64);
    }
  });
  return cost;
}

template <bool kCount>
Cost ExternalBlockedBloom::query(Keys keys, Matches& out) const {
  Cost cost;
  out.ensure(keys.size());
  const std::size_t most = std::min(kGroup, keys.size());
  std::uint64_t* visits = out.scratch(0, most);
  Word* hits = out.scratch(1, words_for(most));
  with_pages([&](auto pages) {
    for (std::size_t begin = 0; begin < keys.size(); begin += kGroup) {
      const std::size_t count = std::min(kGroup, keys.size() - begin);
      cost += query_group<kCount>(pages, keys.subspan(begin, count), visits, hits);
      for (std::size_t i = 0; i < count; ++i) out.push(static_cast<std::uint32_t>(begin + i), 0, test_bit(hits, i));
    }
  });
  return cost;
}

template Cost ExternalBlockedBloom::query<true>(Keys, Matches&) const;
template Cost ExternalBlockedBloom::query<false>(Keys, Matches&) const;

// --- the whole -------------------------------------------------------------------------------------------------------

Footprint ExternalBlockedBloom::footprint() const {
  Footprint result{.storage_bytes = (file_.pages() + 1) * layout_.page_bytes, .nodes = file_.pages()};
  result.memory_bytes = result.storage_bytes + file_.memory_bytes() + bytes_of(cells_);
  for (std::uint64_t block = 1; block <= layout_.blocks; ++block) {
    std::uint64_t height = 0;
    for (std::uint32_t next = link_of(*file_.page(block)); next != 0; next = link_of(*file_.page(next))) ++height;
    result.height = std::max(result.height, height);
  }
  return result;
}

// Links lead to pages further back only, so that no chain is a circle.
std::string ExternalBlockedBloom::check_page(std::uint64_t number, std::uint64_t level) const {
  const Word head = *file_.page(number);
  const std::uint64_t newest = cells_of(head), next = link_of(head);
  if (newest >= layout_.cells) return fmt::format("page {} has more cells than it has room for", number);
  if (taken_of(head) > cell(level, newest).capacity) return fmt::format("page {} has more keys than places", number);
  if (next == 0) return "";
  if (next <= number || next <= layout_.blocks || next > file_.pages()) {
    return fmt::format("page {} links to page {}", number, next);
  }
  const bool full = newest + 1 == layout_.cells && taken_of(head) == cell(level, newest).capacity;
  return full ? "" : fmt::format("page {} has a next page and is not full", number);
}

std::string ExternalBlockedBloom::validate() const {
  std::vector<bool> linked(file_.pages() + 1);
  for (std::uint64_t block = 1; block <= layout_.blocks; ++block) {
    std::uint64_t number = block;
    for (std::uint64_t level = 0; number != 0; ++level) {
      if (std::string problem = check_page(number, level); !problem.empty()) return problem;
      if (linked[number]) return fmt::format("two pages link to page {}", number);
      linked[number] = true;
      number = link_of(*file_.page(number));
    }
  }
  return "";
}

// The keys of a page fill its cells, and then those of the pages chained to it, one after the other.
double ExternalBlockedBloom::page_rate(double load) const {
  double none = 1;
  for (std::size_t i = 0; i < cells_.size() && load > 0; ++i) {
    const Cell& here = cells_[i];
    const double keys = std::min(load, static_cast<double>(here.capacity));
    const double k = here.shape.hashes + static_cast<double>(here.shape.share) * 0x1p-64;
    none *= 1 - block_false_positive_rate(static_cast<double>(here.m), k, keys);
    load -= keys;
  }
  return 1 - none;
}

double ExternalBlockedBloom::expected_false_positive_rate(std::uint64_t n) const {
  return mean_over_block_loads(static_cast<double>(n), static_cast<double>(layout_.blocks),
                               [&](double load) { return page_rate(load); });
}

}  // namespace bloomery
