// Search in Bloofi (Algorithm 1), many queries at a time.
#include <algorithm>

#include "structures/bloofi.h"

namespace bloomery {
namespace {

constexpr std::size_t kGroup = 64;  // queries that go down the tree together

// How a level is searched depends on how full its filters are; the thresholds are measured ones.
constexpr double kFull = 0.97;    // seven bits pass four times in five: not worth a test
constexpr double kSparse = 0.2;   // the first bit decides, and each costs a cache miss: one at a time, else two

std::uint64_t candidate(std::uint64_t query, std::uint32_t node) { return query << 32 | node; }
std::uint32_t node_of(std::uint64_t candidate) { return static_cast<std::uint32_t>(candidate); }

}  // namespace

// The positions of a group of keys; each key's last one is repeated to fill its last round and the prefetch after it.
struct Bloofi::Probes {
  Probes(const Hasher& hasher, Keys keys) : k(hasher.k()), stride(k + 3) {
    for (std::size_t q = 0; q < keys.size(); ++q) {
      std::uint64_t* mine = positions + q * stride;
      hasher.positions(&keys[q], 1, mine);
      std::fill(mine + k, mine + stride, mine[k - 1]);
    }
  }
  const std::uint64_t* of(std::uint64_t candidate) const { return positions + (candidate >> 32) * stride; }

  std::size_t k, stride;
  std::uint64_t positions[kGroup * 67];
};

// Drops the candidates (query, node) that lack one of the query's bits from the node's filter; returns how many are left.
// All are tested for kRound bits before the next bits of any, and who fails drops out without a branch (written always,
// kept by advancing): cache misses overlap, and no outcome is predicted.
template <bool kCount, std::size_t kRound>
std::size_t Bloofi::keep_matching(std::uint64_t* candidates, std::size_t count, const Probes& probes, Cost& cost) const {
  for (std::size_t first = 0; first < probes.k && count > 0; first += kRound) {
    if constexpr (kCount) cost.words += count * std::min(kRound, probes.k - first);
    std::size_t kept = 0;
    for (std::size_t c = 0; c < count; ++c) {
      const std::uint64_t* positions = probes.of(candidates[c]) + first;
      const Word* filter = bits(node_of(candidates[c]));
      Word all = 1;
      for (std::size_t p = 0; p < kRound; ++p) all &= load_word(filter + positions[p] / 64) >> (positions[p] % 64);
      prefetch(filter + positions[kRound == 1 ? all & 1 : kRound] / 64);
      candidates[kept] = candidates[c];
      kept += all & 1;
    }
    count = kept;
  }
  return count;
}

// A group of queries descends level by level. Passing by a node without a test gives no match more or less, since its
// descendants hold its bits or lack them themselves; counted runs test every node, as the published algorithm does.
template <bool kCount>
Cost Bloofi::query(Keys keys, Matches& out) const {
  Cost cost;
  const Reading reading(maintenance_);
  const NodeId root = __atomic_load_n(&root_, __ATOMIC_ACQUIRE);
  for (std::size_t begin = 0; begin < keys.size() && root != kNone; begin += kGroup) {
    const Keys group = keys.subspan(begin, std::min(kGroup, keys.size() - begin));
    const Probes probes(shape_.hasher, group);
    std::size_t count = group.size();
    std::uint64_t* current = out.scratch(0, count);
    for (std::size_t q = 0; q < count; ++q) current[q] = candidate(q, root);
    const Node* sample = &nodes_[root];  // the nodes of a level are about equally full
    while (true) {
      if constexpr (kCount) cost.bf_checks += count;
      const double fill = static_cast<double>(load_word(&sample->cardinality)) / static_cast<double>(shape_.hasher.m());
      if (fill <= kSparse) {
        count = keep_matching<kCount, 1>(current, count, probes, cost);
      } else if (kCount || fill <= kFull || sample->leaf) {
        count = keep_matching<kCount, 2>(current, count, probes, cost);
      }
      if (count == 0 || sample->leaf) break;
      count = expand(count, probes, out);
      if (count == 0) break;  // a root that has just lost its last leaf
      current = out.scratch(0, count);
      sample = &nodes_[node_of(current[0])];
    }
    out.ensure(count);
    for (std::size_t c = 0; c < count; ++c) {
      out.push(static_cast<std::uint32_t>(begin + (current[c] >> 32)), nodes_[node_of(current[c])].set);
    }
  }
  return cost;
}

// Replaces the candidates in scratch 0 by their children, with the words of the first probe on their way. Queries that
// are at the same node stay neighbours, so that what they read of a child's filter is still in the cache for the next.
std::size_t Bloofi::expand(std::size_t count, const Probes& probes, Matches& out) const {
  const std::uint64_t* parents = out.scratch(0, count);
  std::size_t total = 0;
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    const NodeId parent = node_of(parents[begin]);
    while (end < count && node_of(parents[end]) == parent) ++end;
    const auto below = children_.of(parent);  // read once: it may change
    std::uint64_t* next = out.scratch(1, total + below.size() * (end - begin)) + total;
    total += below.size() * (end - begin);
    for (NodeId child : below) {
      for (std::size_t c = begin; c < end; ++c) {
        prefetch(bits(child) + *probes.of(parents[c]) / 64);
        *next++ = candidate(parents[c] >> 32, child);
      }
    }
  }
  out.swap_scratch(0, 1);
  return total;
}

template Cost Bloofi::query<true>(Keys, Matches&) const;
template Cost Bloofi::query<false>(Keys, Matches&) const;

}  // namespace bloomery
