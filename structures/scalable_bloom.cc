#include "structures/scalable_bloom.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "structures/filter_shape.h"
#include "structures/lookahead.h"
#include "structures/places.h"
#include "structures/probes.h"

namespace bloomery {
namespace {

constexpr std::size_t kGroup = 32;        // keys hashed together; their bits fit a mask
constexpr std::size_t kLineWords = 8;     // links are whole cache lines
constexpr std::uint32_t kFirstRound = 2;  // three of four keys that a half-full link does not hold end here
constexpr std::uint32_t kLastRound = 8;
constexpr double kMostKeys = 0x1p40;

double bits_of(const LinkShape& shape, double capacity) { return std::max(64.0, std::ceil(shape.c * capacity)); }

}  // namespace

ScalableBloom::Sizes::Sizes(Params& params) {
  start = params.integer("start", 2048, 1, 1ULL << 36, "keys of the first link");
  doubling = params.choice("growth", "double", {"double", "fixed"}, "of the capacity of the links") == "double";
  fraction =
      params.real("fraction", 0.25, 0, 1024, "with fixed growth: keys of a further link over those of the first");
  most_links = params.integer("most_links", 48, 1, 64, "length of the chain; the last link then takes whatever comes");
  const std::string name = params.choice("probes", "independent", {"independent", "scaled", "classic"},
                                         "positions of a key: independent, double hashing of 64-bit fractions, or "
                                         "(H1 + i H2) mod m");
  hashing = name == "independent" ? Hashing::kIndependent : name == "scaled" ? Hashing::kScaled : Hashing::kClassic;
}

ScalableBloom::ScalableBloom(Params& params)
    : shape_(params, 2),
      sizes_(params),
      arena_((expect_fits_memory("start", bits_of(shape_.link(0), static_cast<double>(sizes_.start))), kLineWords)),
      links_(sizes_.most_links) {
  add_link();
}

std::uint64_t ScalableBloom::capacity_of(std::size_t link) const {
  const auto start = static_cast<double>(sizes_.start);
  if (link == 0) return sizes_.start;
  const double capacity = sizes_.doubling ? std::ldexp(start, static_cast<int>(link)) : start * sizes_.fraction;
  return static_cast<std::uint64_t>(std::clamp(std::round(capacity), 1.0, kMostKeys));
}

void ScalableBloom::add_link() {
  Link& link = links_[used_];
  link.shape = shape_.link(used_);
  link.capacity = capacity_of(used_);
  link.m = static_cast<std::uint64_t>(bits_of(link.shape, static_cast<double>(link.capacity)));
  link.words = arena_.at(arena_.allocate_run((words_for(link.m) + kLineWords - 1) / kLineWords));
  __atomic_store_n(&used_, used_ + 1, __ATOMIC_RELEASE);
}

void ScalableBloom::grow(std::size_t full) {
  const std::lock_guard lock(growing_);
  if (used_ == full + 1) add_link();
}

// One place for each key, or as many as the last link has left. Places beyond its capacity are nobody's.
template <class Policy>
ScalableBloom::Places ScalableBloom::reserve(std::size_t wanted) {
  for (;;) {
    const std::size_t last = links() - 1;
    Link& link = links_[last];
    if (last + 1 == links_.size()) {
      take_places<Policy>(&link.taken, wanted);
      return {last, wanted};
    }
    const std::uint64_t taken = take_places<Policy>(&link.taken, wanted);
    if (taken < link.capacity) return {last, std::min<std::uint64_t>(wanted, link.capacity - taken)};
    grow(last);
  }
}

template <class Probes, class Policy>
void ScalableBloom::put(Policy policy, const Places& places, const Key* keys) {
  Link& link = links_[places.link];
  std::uint64_t positions[kGroup * (kMostHashes + 1)];
  std::size_t count = 0;
  for (std::size_t i = 0; i < places.count; ++i) {
    const std::uint64_t hash = mix64(keys[i] ^ shape_.seed);
    Probes probes(link_hash(hash, places.link), link.m);
    for (std::uint32_t left = link.shape.hashes_of(hash); left > 0; --left) {
      positions[count++] = probes.next();
    }
  }
  // All of them at once would be more lines than the nearest cache has.
  const auto fetch = [&](std::size_t i) { __builtin_prefetch(link.words + positions[i] / 64, 1, 3); };
  for (std::size_t i = 0; i < std::min(count, kAhead); ++i) fetch(i);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) fetch(i + kAhead);
    policy.set(link.words, positions[i]);
  }
}

template <class Body>
auto ScalableBloom::with_probes(Body&& body) const {
  switch (sizes_.hashing) {
    case Hashing::kScaled:
      return body(std::type_identity<ScaledProbes>{});
    case Hashing::kClassic:
      return body(std::type_identity<ClassicProbes>{});
    default:
      return body(std::type_identity<IndependentProbes>{});
  }
}

Cost ScalableBloom::insert(SetId, Keys keys) {
  const std::size_t before = links();
  with_policy(shape_.atomic, [&](auto policy) {
    with_probes([&]<class Probes>(std::type_identity<Probes>) {
      for (std::size_t done = 0; done < keys.size();) {
        const Places places = reserve<decltype(policy)>(std::min(kGroup, keys.size() - done));
        put<Probes>(policy, places, keys.data() + done);
        done += places.count;
      }
    });
  });
  const std::size_t grown = links() - before;
  return {.filters = 1 + grown, .nodes = 1 + grown, .reshapes = grown};
}

// Which of the pending keys the link answers yes to. Bits are fetched for all keys and then tested, a few in the first
// round, where most keys that the link does not hold end, and more in each that follows. No branch depends on a bit.
template <class Probes, bool kCount>
std::uint32_t ScalableBloom::ask(std::size_t index, const std::uint64_t* hashes, std::uint32_t pending,
                                 Cost& cost) const {
  const Link& link = links_[index];
  Probes probes[kGroup];
  std::uint32_t left[kGroup];
  std::uint64_t positions[kGroup][kLastRound];
  for_each_bit(pending, [&](std::size_t i) {
    probes[i] = Probes(link_hash(hashes[i], index), link.m);
    left[i] = link.shape.hashes_of(hashes[i]);
  });
  if constexpr (kCount) cost.bf_checks += static_cast<std::uint64_t>(std::popcount(pending));
  std::uint32_t hits = 0;
  for (std::uint32_t round = kFirstRound; pending != 0; round = std::min(2 * round, kLastRound)) {
    for_each_bit(pending, [&](std::size_t i) {
      for (std::uint32_t j = 0; j < std::min(round, left[i]); ++j) {
        positions[i][j] = probes[i].next();
        prefetch(link.words + positions[i][j] / 64);
      }
    });
    std::uint32_t still = 0;
    for_each_bit(pending, [&](std::size_t i) {
      const std::uint32_t tests = std::min(round, left[i]);
      bool all = true;
      for (std::uint32_t j = 0; j < tests; ++j) all &= test_bit(link.words, positions[i][j]);
      left[i] -= tests;
      hits |= std::uint32_t{all && left[i] == 0} << i;
      still |= std::uint32_t{all && left[i] != 0} << i;
      if constexpr (kCount) cost += {.words = tests, .lines = tests};
    });
    pending = still;
  }
  return hits;
}

template <class Probes, bool kCount>
Cost ScalableBloom::query_with(Keys keys, Matches& out) const {
  Cost cost;
  std::uint64_t hashes[kGroup];
  const std::size_t used = links();
  for (std::size_t begin = 0; begin < keys.size(); begin += kGroup) {
    const std::size_t count = std::min(kGroup, keys.size() - begin);
    for (std::size_t i = 0; i < count; ++i) hashes[i] = mix64(keys[begin + i] ^ shape_.seed);
    const std::uint32_t all = ~std::uint32_t{0} >> (kGroup - count);
    std::uint32_t hits = 0;
    for (std::size_t link = used; link-- > 0 && hits != all;) {
      hits |= ask<Probes, kCount>(link, hashes, all & ~hits, cost);
    }
    for (std::size_t i = 0; i < count; ++i) out.push(static_cast<std::uint32_t>(begin + i), 0, (hits >> i) & 1);
  }
  return cost;
}

template <bool kCount>
Cost ScalableBloom::query(Keys keys, Matches& out) const {
  out.ensure(keys.size());
  return with_probes([&]<class Probes>(std::type_identity<Probes>) { return query_with<Probes, kCount>(keys, out); });
}

template Cost ScalableBloom::query<true>(Keys, Matches&) const;
template Cost ScalableBloom::query<false>(Keys, Matches&) const;

Footprint ScalableBloom::footprint() const {
  Footprint result{.memory_bytes = arena_.resident_bytes() + bytes_of(links_), .nodes = links(), .height = links() - 1};
  for (std::size_t i = 0; i < links(); ++i) result.storage_bytes += words_for(links_[i].m) * sizeof(Word);
  return result;
}

std::string ScalableBloom::validate() const {
  for (std::size_t i = 0; i < links(); ++i) {
    const Link& link = links_[i];
    const bool last = i + 1 == links();
    if (!last && link.taken < link.capacity) return fmt::format("link {} was followed before it was full", i);
    const std::uint64_t keys = i + 1 == links_.size() ? link.taken : std::min(link.taken, link.capacity);
    const std::uint64_t ones = count_ones(link.words, words_for(link.m));
    if (ones > keys * (link.shape.hashes + 1)) return fmt::format("link {} has more bits set than its keys can set", i);
    if (!last && ones == 0) return fmt::format("link {} is full and has no bit set", i);
  }
  return "";
}

double ScalableBloom::rate_bound() const {
  const LinkShape first = shape_.link(0);
  return scalable_rate_bound(false_positive_rate(first.c, first.k, 1), shape_.ratio);
}

double ScalableBloom::posterior_false_positive_rate() const {
  double none = 1;
  for (std::size_t i = 0; i < links(); ++i) {
    const Link& link = links_[i];
    const double fill = static_cast<double>(count_ones(link.words, words_for(link.m))) / static_cast<double>(link.m);
    const double share = static_cast<double>(link.shape.share) * 0x1p-64, rate = std::pow(fill, link.shape.hashes);
    none *= 1 - rate * (1 - share + share * fill);
  }
  return 1 - none;
}

}  // namespace bloomery
