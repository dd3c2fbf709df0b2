#include "structures/yoon_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "structures/bit_windows.h"
#include "structures/filter_shape.h"
#include "structures/packed_filter.h"
#include "structures/probes.h"
#include "structures/rolling.h"

namespace bloomery {
namespace {

constexpr double kMostBits = 0x1p40;

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// Levels of nodes above so many leaves; one at least, for a key of the only set has to be found in something.
std::uint64_t levels_for(std::uint64_t sets, std::uint64_t d) {
  std::uint64_t levels = 1;
  for (std::uint64_t reached = d; reached < sets; reached *= d) ++levels;
  return levels;
}

}  // namespace

YoonTree::Shape::Shape(Params& params)
    : sets(params.integer("sets", 256, 1, 1 << 24, "sets that there is room for: ids below it")),
      d(params.integer("d", 2, 2, 64, "children of a node")),
      k(params.integer("k", 4, 1, kMostHashes, "hash functions of each child's group")) {
  const std::uint64_t height = levels_for(sets, d);
  const std::uint64_t n_exp = params.integer("n_exp", 100, 1, 1ULL << 36, "keys expected in a set");
  const double usual = static_cast<double>(height) * static_cast<double>(bits_for(k, static_cast<double>(n_exp)));
  const std::uint64_t m = params.integer("m", static_cast<std::uint64_t>(std::min(usual, 2 * kMostBits)), 1,
                                         static_cast<std::uint64_t>(kMostBits),
                                         "bits a set, all levels together; by default from n_exp and k");
  const std::string name = params.given("m") ? "m" : "n_exp";
  const double all = static_cast<double>(m) * static_cast<double>(sets);
  if (all > kMostBits)
    throw ParamError(name, fmt::format("{} makes a tree of {:.3g} bits; {:.3g} are the most", name, all, kMostBits));
  expect_fits_memory(name, all);
  const double share = all / static_cast<double>(height);
  std::uint64_t leaves = 1;
  for (std::uint64_t i = 1; i < height; ++i) leaves *= d;
  std::uint64_t bit = 0, edge = 0;
  for (; levels.size() < height; leaves /= d) {
    const std::uint64_t nodes = ceil_div(sets, leaves * d);
    const auto each = static_cast<std::uint64_t>(std::ceil(share / static_cast<double>(nodes)));
    levels.push_back({.nodes = nodes, .leaves = leaves, .m = each, .first_bit = bit, .first_edge = edge});
    bit += nodes * each;
    edge += nodes * d;
  }
  seed = ask_mixed_seed(params);
}

YoonTree::YoonTree(Params& params) : shape_(params), atomic_(ask_atomic(params)), arena_(words_for(shape_.bits())) {
  arena_.allocate();
  // The whole array from the start, because it is of a fixed size whatever the sets are.
  std::memset(bits(), 0, words_for(shape_.bits()) * sizeof(Word));
}

std::uint64_t YoonTree::children(const Level& level, std::uint64_t node) const {
  return std::min(shape_.d, ceil_div(shape_.sets, level.leaves) - node * shape_.d);
}

// --- keys ------------------------------------------------------------------------------------------------------------

template <class Policy>
void YoonTree::insert_keys(Policy policy, SetId id, Keys keys) {
  for (Key key : keys) {
    const std::uint64_t hash = mix64(key ^ shape_.seed);
    for (const Level& level : shape_.levels) {
      const std::uint64_t child = id / level.leaves;  // counted along the level
      set_all(policy, bits(), level.first_bit + child / shape_.d * level.m,
              IndependentProbes(link_hash(hash, level.first_edge + child), level.m),
              static_cast<std::uint32_t>(shape_.k));
    }
  }
}

Cost YoonTree::insert(SetId id, Keys keys) {
  if (id >= shape_.sets) {
    throw ParamError("sets", fmt::format("sets is {}: there is no room for a set {}", shape_.sets, id));
  }
  with_policy(atomic_, [&](auto policy) { insert_keys(policy, id, keys); });
  return {.filters = shape_.levels.size(), .nodes = shape_.levels.size()};
}

Cost YoonTree::build(Sets sets, const Executor& executor) {
  if (sets.size() > shape_.sets) {
    throw ParamError("sets", fmt::format("sets is {}: there is no room for {} sets", shape_.sets, sets.size()));
  }
  // All sets share the root, so that without atomic bits one thread has to do it.
  const Executor alone;
  (atomic_ ? executor : alone).for_chunks(sets.size(), 16, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t id = begin; id < end; ++id) insert(static_cast<SetId>(id), sets[id]);
  });
  return {.filters = sets.size() * shape_.levels.size(), .nodes = sets.size() * shape_.levels.size()};
}

// Follows every child whose group says yes.
template <bool kCount>
void YoonTree::search(std::size_t depth, std::uint64_t node, std::uint64_t hash, std::uint32_t index, Matches& out,
                      Cost& cost) const {
  const Level& level = shape_.levels[depth];
  const std::uint64_t first = node * shape_.d, last = first + children(level, node);
  for (std::uint64_t child = first; child < last; ++child) {
    std::uint32_t read = 0;
    const IndependentProbes probes(link_hash(hash, level.first_edge + child), level.m);
    const bool yes =
        all_set(bits(), level.first_bit + node * level.m, probes, static_cast<std::uint32_t>(shape_.k), read);
    if constexpr (kCount) cost += {.bf_checks = 1, .words = read};
    if (!yes) continue;
    if (depth + 1 < shape_.levels.size()) {
      search<kCount>(depth + 1, child, hash, index, out, cost);
    } else {
      out.ensure(1);
      out.push(index, static_cast<SetId>(child));
    }
  }
}

// The first probe of every child's group.
void YoonTree::fetch_root(std::uint64_t hash) const {
  const Level& root = shape_.levels[0];
  for (std::uint64_t child = 0; child < children(root, 0); ++child) {
    prefetch(bits() + IndependentProbes(link_hash(hash, root.first_edge + child), root.m).next() / 64);
  }
}

template <bool kCount>
Cost YoonTree::query(Keys keys, Matches& out) const {
  Cost cost;
  roll(
      keys.size(),
      [&](std::size_t i) {
        const std::uint64_t hash = mix64(keys[i] ^ shape_.seed);
        fetch_root(hash);
        return hash;
      },
      [&](std::size_t i, std::uint64_t hash) { search<kCount>(0, 0, hash, static_cast<std::uint32_t>(i), out, cost); });
  return cost;
}

template Cost YoonTree::query<true>(Keys, Matches&) const;
template Cost YoonTree::query<false>(Keys, Matches&) const;

// --- size and theory -------------------------------------------------------------------------------------------------

std::uint64_t YoonTree::size_in_bits() const { return shape_.bits(); }

Footprint YoonTree::footprint() const {
  Footprint result{.storage_bytes = words_for(shape_.bits()) * sizeof(Word), .memory_bytes = arena_.resident_bytes()};
  for (const Level& level : shape_.levels) result.nodes += level.nodes;
  result.height = shape_.levels.size() - 1;
  return result;
}

// That a child's group says yes to a key of no set.
double YoonTree::group_rate(const Level& level, std::uint64_t node) const {
  const std::uint64_t ones = count_ones_between(bits(), level.first_bit + node * level.m, level.m);
  return std::pow(static_cast<double>(ones) / static_cast<double>(level.m), static_cast<double>(shape_.k));
}

double YoonTree::expected_below(std::size_t depth, std::uint64_t node) const {
  const Level& level = shape_.levels[depth];
  const double yes = group_rate(level, node);
  double below = 0;
  for (std::uint64_t i = 0; i < children(level, node); ++i) {
    below += depth + 1 < shape_.levels.size() ? expected_below(depth + 1, node * shape_.d + i) : 1;
  }
  return yes * below;
}

double YoonTree::expected_false_matches() const { return expected_below(0, 0); }

// That a key of no set is led from the node to any leaf.
double YoonTree::any_below(std::size_t depth, std::uint64_t node) const {
  const Level& level = shape_.levels[depth];
  const double yes = group_rate(level, node);
  double none = 1;
  for (std::uint64_t i = 0; i < children(level, node); ++i) {
    none *= 1 - yes * (depth + 1 < shape_.levels.size() ? any_below(depth + 1, node * shape_.d + i) : 1);
  }
  return 1 - none;
}

// The sum over the leaves below of the logarithms of their chains' products, in which a node counts as wrong if any of
// its groups is.
double YoonTree::log_chains_below(std::size_t depth, std::uint64_t node) const {
  const Level& level = shape_.levels[depth];
  const double groups = static_cast<double>(children(level, node));
  const double wrong = std::log(1 - std::pow(1 - group_rate(level, node), groups));
  if (depth + 1 == shape_.levels.size()) return groups * wrong;
  const std::uint64_t first = node * shape_.d * level.leaves;
  const double leaves = static_cast<double>(std::min(shape_.sets, first + shape_.d * level.leaves) - first);
  double below = leaves * wrong;
  for (std::uint64_t i = 0; i < children(level, node); ++i) below += log_chains_below(depth + 1, node * shape_.d + i);
  return below;
}

// By the paper that compares it with others, the posterior of a query is the product over one chain of nodes; what a
// user sees is how often any chain says yes.
Worth YoonTree::worth(Keys) const {
  PackedShape packed;
  double hashes = 0;
  for (const Level& level : shape_.levels) {
    packed.stretch_bits.push_back(level.nodes * level.m);
    hashes += static_cast<double>(shape_.d * shape_.k);
  }
  return {.geometric_rate = std::exp(log_chains_below(0, 0) / static_cast<double>(shape_.sets)),
          .expected_rate = any_below(0, 0),
          .array_bits = size_in_bits(),
          .sent_bits = coded_bits(packed, bits()),
          .hashes = hashes};
}

}  // namespace bloomery
