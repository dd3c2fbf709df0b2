#include "structures/bloofi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace bloomery {

// The counters are those of the authors' program, so that costs compare: filters +2 an OR and +2 a child compared;
// nodes +1 a node visited and +4 an insertion into a parent; a split counts the children it moved and kept. They count
// what the published algorithm touches, also where ours proves that it need not look.

Bloofi::Bloofi(Params& params)
    : shape_(params),
      order_(params.integer("d", 2, 2, 1 << 16, "order: inner nodes have d to 2d children")),
      metric_(parse_similarity(params.choice("metric", "hamming", {"hamming", "jaccard", "cosine"},
                                             "distance that places a new filter"))),
      bulk_(params.choice("construction", "iterative", {"iterative", "bulk"},
                          "build one by one, or sorted by nearest neighbour and appended on the right") == "bulk"),
      all_ones_(params.flag("all_ones", true, "do not split a node that has all bits set")),
      ties_(params.integer("tie_seed", 1, 0, ~0ULL >> 1, "chooses among equally near children")),
      arena_(shape_.words()) {}

// --- nodes -----------------------------------------------------------------------------------------------------------

Bloofi::NodeId Bloofi::new_node() {
  const NodeId node = arena_.allocate();
  if (node >= nodes_.size()) nodes_.resize(std::size_t{node} + 1);
  nodes_[node] = {};
  children_.add_node(node);
  ++live_nodes_;
  return node;
}

void Bloofi::free_node(NodeId node) {
  children_.clear(node);
  arena_.free(node);
  --live_nodes_;
}

Bloofi::NodeId Bloofi::new_leaf(SetId id) {
  const NodeId leaf = new_node();
  nodes_[leaf].set = id;
  if (id >= leaf_of_.size()) leaf_of_.resize(std::size_t{id} + 1, kNone);
  leaf_of_[id] = leaf;
  return leaf;
}

void Bloofi::set_bits(NodeId leaf, Keys keys) {
  const std::uint64_t k = shape_.hasher.k();
  std::uint64_t positions[64];
  for (const Key& key : keys) {
    shape_.hasher.positions(&key, 1, positions);
    for (std::uint64_t i = 0; i < k; ++i) SerialBits::set(bits(leaf), positions[i]);  // nobody else knows the leaf yet
  }
  nodes_[leaf].cardinality = count_ones(bits(leaf), shape_.words());
}

void Bloofi::absorb(NodeId node, const Word* filter) {
  nodes_[node].cardinality = or_into(bits(node), filter, shape_.words());
}

// --- construction and insertion --------------------------------------------------------------------------------------

Cost Bloofi::build(Sets sets, const Executor& executor) {
  Cost cost;
  if (!bulk_) {
    for (SetId id = 0; id < sets.size(); ++id) cost += insert(id, sets[id]);
    return cost;
  }
  std::vector<NodeId> leaves;
  for (SetId id = 0; id < sets.size(); ++id) leaves.push_back(new_leaf(id));
  executor.for_chunks(sets.size(), 16, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t id = begin; id < end; ++id) set_bits(leaves[id], sets[id]);
  });
  std::vector<const Word*> filters;
  for (NodeId leaf : leaves) filters.push_back(bits(leaf));
  for (std::uint32_t next : nearest_neighbour_order(filters, shape_.words(), metric_, executor)) {
    link_leaf_rightmost(leaves[next], cost);
  }
  return cost;
}

Cost Bloofi::insert(SetId id, Keys keys) {
  Cost cost;
  if (const NodeId leaf = leaf_of(id); leaf != kNone) {
    thread_local std::vector<std::uint64_t> positions;
    positions.resize(keys.size() * shape_.hasher.k());
    shape_.hasher.positions(keys.data(), keys.size(), positions.data());
    insert_positions(leaf, positions, cost);
    return cost;
  }
  const NodeId leaf = new_leaf(id);
  set_bits(leaf, keys);
  link_leaf(leaf, cost);
  return cost;
}

Cost Bloofi::insert_filter(SetId id, FilterBits filter) {
  Cost cost;
  NodeId node = leaf_of(id);
  if (node == kNone) {
    node = new_leaf(id);
    absorb(node, filter.data());
    link_leaf(node, cost);
    return cost;
  }
  for (; node != kNone; node = nodes_[node].parent) {
    absorb(node, filter.data());
    cost += {.filters = 2, .nodes = 1};
  }
  return cost;
}

Cost Bloofi::replace(SetId id, Keys keys) {
  Cost cost = erase(id);
  return cost += insert(id, keys);
}

// Climbs from the leaf while bits are missing, then writes from the top down (see the header). An ancestor contains its
// descendants, so what a node misses is part of what its child misses: one list serves, its missing part in front.
void Bloofi::insert_positions(NodeId leaf, std::vector<std::uint64_t>& positions, Cost& cost) {
  struct Step {
    NodeId node;
    std::size_t missing;
  };
  thread_local std::vector<Step> path;
  path.clear();
  with_policy(shape_.atomic, [&](auto policy) {
    auto end = positions.end();
    for (NodeId node = leaf; node != kNone; node = nodes_[node].parent) {
      cost += {.filters = 2, .nodes = 1};
      if (end == positions.begin()) continue;  // counted as Algorithm 5 counts, but there is nothing left to write
      const Word* filter = bits(node);
      end = std::partition(positions.begin(), end, [&](std::uint64_t p) { return !policy.seen(filter, p); });
      path.push_back({node, static_cast<std::size_t>(end - positions.begin())});
    }
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
      std::uint64_t fresh = 0;
      for (std::size_t i = 0; i < step->missing; ++i) fresh += policy.set(bits(step->node), positions[i]);
      if (fresh != 0) policy.add(&nodes_[step->node].cardinality, fresh);
    }
  });
}

void Bloofi::link_leaf(NodeId leaf, Cost& cost) {
  if (root_ == kNone) return grow_root(leaf, cost);
  NodeId node = root_;
  while (true) {
    absorb(node, bits(leaf));
    cost += {.filters = 2, .nodes = 1};
    const NodeId child = nearest_child(node, leaf, cost);
    if (nodes_[child].leaf) return insert_after(leaf, child, cost);
    node = child;
  }
}

void Bloofi::link_leaf_rightmost(NodeId leaf, Cost& cost) {
  if (root_ == kNone) return grow_root(leaf, cost);
  NodeId node = root_;
  for (; !nodes_[node].leaf; node = children_.of(node).back()) {
    absorb(node, bits(leaf));
    cost += {.filters = 2, .nodes = 1};
  }
  insert_after(leaf, node, cost);
}

// The nearest child, ties broken evenly. A child whose cardinality alone rules it out is not read: under an all but
// full root, where children differ by hundreds of bits and all contain nearly all of the new filter, that is most.
Bloofi::NodeId Bloofi::nearest_child(NodeId node, NodeId leaf, Cost& cost) {
  const auto children = children_.of(node);
  const std::uint64_t leaf_ones = nodes_[leaf].cardinality;
  const auto bound = [&](NodeId child) { return distance_bound(metric_, nodes_[child].cardinality, leaf_ones); };
  cost.filters += 2 * children.size();
  NodeId best = kNone;
  double best_distance = std::numeric_limits<double>::infinity();
  std::uint64_t ties = 0;
  const auto consider = [&](NodeId child) {
    const std::uint64_t common =
        full(child) ? leaf_ones : count_common(bits(child), bits(leaf), shape_.words());
    const double d = distance(metric_, nodes_[child].cardinality, leaf_ones, common);
    if (d > best_distance) return;
    ties = d < best_distance ? 1 : ties + 1;
    best_distance = d;
    if (ties == 1 || ties_() % ties == 0) best = child;
  };
  const NodeId first = *std::ranges::min_element(children, {}, bound);
  consider(first);
  for (NodeId child : children) {
    if (child != first && bound(child) <= best_distance) consider(child);
  }
  return best;
}

void Bloofi::insert_after(NodeId entry, NodeId sibling, Cost& cost) {
  while (true) {
    const NodeId parent = nodes_[sibling].parent;
    children_.insert(parent, children_.place_of(parent, sibling) + 1, entry);
    nodes_[entry].parent = parent;
    cost.nodes += 4;
    if (children_.count(parent) <= 2 * order_ || (all_ones_ && full(parent))) return;
    entry = split(parent, cost);
    sibling = parent;
    if (parent == root_) return grow_root(entry, cost);
  }
}

// The later half of the children moves to a new node, which is returned.
Bloofi::NodeId Bloofi::split(NodeId node, Cost& cost) {
  const NodeId created = new_node();
  nodes_[created].leaf = false;
  const std::size_t count = children_.count(node), keep = (count + 1) / 2;
  for (std::size_t i = keep; i < count; ++i) {
    const NodeId child = children_.of(node)[i];
    children_.push_back(created, child);
    nodes_[child].parent = created;
  }
  for (std::size_t i = count; i > keep; --i) children_.remove(node, i - 1);
  cost.nodes += count - keep + 2;
  recompute(node, cost);
  recompute(created, cost);
  ++cost.reshapes;
  return created;
}

// A new root over the old one (if any) and `entry`.
void Bloofi::grow_root(NodeId entry, Cost& cost) {
  const NodeId created = new_node();
  nodes_[created].leaf = false;
  for (NodeId child : {root_, entry}) {
    if (child == kNone) continue;
    children_.push_back(created, child);
    nodes_[child].parent = created;
    absorb(created, bits(child));
  }
  root_ = created;
  cost += {.filters = 3, .nodes = 3};
}

// --- deletion --------------------------------------------------------------------------------------------------------

void Bloofi::recompute(NodeId node, Cost& cost) {
  const auto children = children_.of(node);
  std::memcpy(bits(node), bits(children[0]), shape_.words() * sizeof(Word));
  nodes_[node].cardinality = nodes_[children[0]].cardinality;
  for (NodeId child : children.subspan(1)) absorb(node, bits(child));
  cost.filters += children.size() + 1;
}

// Above `node` values can only shrink, so an ancestor that keeps its cardinality keeps its value, and so do those above.
void Bloofi::recompute_to_root(NodeId node, Cost& cost) {
  recompute(node, cost);
  ++cost.nodes;
  bool changing = true;
  for (node = nodes_[node].parent; node != kNone; node = nodes_[node].parent) {
    ++cost.nodes;
    if (!changing) {
      cost.filters += children_.count(node) + 1;
      continue;
    }
    const std::uint64_t before = nodes_[node].cardinality;
    recompute(node, cost);
    changing = nodes_[node].cardinality != before;
  }
}

Cost Bloofi::erase(SetId id) {
  Cost cost;
  const NodeId leaf = leaf_of(id);
  if (leaf == kNone) return cost;
  leaf_of_[id] = kNone;
  unlink(leaf, cost);
  return cost;
}

void Bloofi::unlink(NodeId node, Cost& cost) {
  const NodeId parent = nodes_[node].parent;
  children_.remove(parent, children_.place_of(parent, node));
  free_node(node);
  const std::size_t left = children_.count(parent);
  if (parent != root_) return left < order_ ? fix_underflow(parent, cost) : recompute_to_root(parent, cost);
  if (left == 0) {
    free_node(root_);
    root_ = kNone;
  } else if (const NodeId only = children_.of(parent)[0]; left == 1 && !nodes_[only].leaf) {
    free_node(root_);
    root_ = only;
    nodes_[only].parent = kNone;
    ++cost.reshapes;
  } else {
    recompute_to_root(root_, cost);
  }
}

// Takes children from the right sibling, else the left, if it has some to spare; else gives its own to it and goes.
void Bloofi::fix_underflow(NodeId node, Cost& cost) {
  const NodeId parent = nodes_[node].parent;
  const std::size_t place = children_.place_of(parent, node);
  const bool right = place + 1 < children_.count(parent);
  const NodeId sibling = children_.of(parent)[right ? place + 1 : place - 1];
  // The near end of the sibling adjoins the far end of the node, so that the order of the leaves stays.
  const auto move_one = [&](NodeId from, NodeId to, bool from_front) {
    const std::size_t at = from_front ? 0 : children_.count(from) - 1;
    const NodeId child = children_.of(from)[at];
    children_.remove(from, at);
    children_.insert(to, from_front ? children_.count(to) : 0, child);
    nodes_[child].parent = to;
    ++cost.nodes;
  };
  ++cost.reshapes;
  const std::size_t mine = children_.count(node), theirs = children_.count(sibling);
  if (theirs > order_) {
    const std::size_t moved = std::min(std::max<std::size_t>((theirs - mine) / 2, 1), 2 * order_ - mine);
    for (std::size_t i = 0; i < moved; ++i) move_one(sibling, node, right);
    recompute(sibling, cost);
    recompute_to_root(node, cost);
  } else {
    while (children_.count(node) > 0) move_one(node, sibling, !right);
    recompute(sibling, cost);
    unlink(node, cost);
  }
}

// --- search ----------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kGroup = 16;  // queries that go down the tree together
constexpr std::size_t kProbes = 2;  // bits tested before the next look at who is left

std::uint64_t candidate(std::uint64_t query, std::uint32_t node) { return query << 32 | node; }

}  // namespace

// A group of queries descends level by level. A level's candidates (query, node) are tested a few bits at a time, all of
// them before the next bits of any; who fails drops out without a branch (written always, kept by advancing). So the
// cache misses of a level overlap, and no outcome is predicted: most tests of a well-filled node could go either way.
template <bool kCount>
Cost Bloofi::query(Keys keys, Matches& out) const {
  Cost cost;
  if (root_ == kNone) return cost;
  const std::uint64_t k = shape_.hasher.k();
  std::uint64_t positions[kGroup * 64];
  std::uint64_t* current = out.scratch(0, kGroup);
  for (std::size_t begin = 0; begin < keys.size(); begin += kGroup) {
    std::size_t count = std::min(kGroup, keys.size() - begin);
    shape_.hasher.positions(keys.data() + begin, count, positions);
    for (std::size_t q = 0; q < count; ++q) current[q] = candidate(q, root_);
    bool leaves = false;
    while (count > 0) {
      if constexpr (kCount) cost.bf_checks += count;
      for (std::size_t probe = 0; probe < k && count > 0; probe += kProbes) {
        const std::size_t last = std::min<std::size_t>(probe + kProbes, k);
        const std::size_t next = last < k ? last : probe;
        std::size_t kept = 0;
        if constexpr (kCount) cost.words += count * (last - probe);
        for (std::size_t c = 0; c < count; ++c) {
          const std::uint64_t entry = current[c];
          const std::uint64_t* probes = positions + (entry >> 32) * k;
          const Word* filter = bits(static_cast<NodeId>(entry));
          Word all = 1;
          for (std::size_t p = probe; p < last; ++p) all &= load_word(filter + probes[p] / 64) >> (probes[p] % 64);
          prefetch(filter + probes[next] / 64);
          current[kept] = entry;
          kept += all & 1;
        }
        count = kept;
      }
      if (leaves) break;
      // Children of the survivors, the words of their first probes on the way.
      std::size_t total = 0;
      for (std::size_t c = 0; c < count; ++c) total += children_.count(static_cast<NodeId>(current[c]));
      std::uint64_t* expanded = out.scratch(1, total);
      std::size_t size = 0;
      for (std::size_t c = 0; c < count; ++c) {
        const std::uint64_t query = current[c] >> 32;
        for (NodeId child : children_.of(static_cast<NodeId>(current[c]))) {
          prefetch(bits(child) + positions[query * k] / 64);
          expanded[size++] = candidate(query, child);
        }
      }
      leaves = size > 0 && nodes_[static_cast<NodeId>(expanded[0])].leaf;  // one depth for all
      out.swap_scratch(0, 1);
      current = out.scratch(0, size);
      count = size;
    }
    out.ensure(count);
    for (std::size_t c = 0; c < count; ++c) {
      out.push(static_cast<std::uint32_t>(begin + (current[c] >> 32)), nodes_[static_cast<NodeId>(current[c])].set);
    }
    current = out.scratch(0, kGroup);
  }
  return cost;
}

template Cost Bloofi::query<true>(Keys, Matches&) const;
template Cost Bloofi::query<false>(Keys, Matches&) const;

// --- inspection ------------------------------------------------------------------------------------------------------

std::size_t Bloofi::height() const {
  std::size_t edges = 0;
  for (NodeId node = root_; node != kNone && !nodes_[node].leaf; node = children_.of(node)[0]) ++edges;
  return edges;
}

Footprint Bloofi::footprint() const {
  return {.storage_bytes = live_nodes_ * shape_.words() * sizeof(Word),
          .memory_bytes =
              arena_.resident_bytes() + bytes_of(nodes_) + children_.memory_bytes() + bytes_of(leaf_of_),
          .nodes = live_nodes_,
          .height = height()};
}

std::string Bloofi::validate() const {
  const auto sets = static_cast<std::size_t>(std::ranges::count_if(leaf_of_, [](NodeId leaf) { return leaf != kNone; }));
  if (root_ == kNone) return sets == 0 ? "" : "there are sets but no root";
  if (nodes_[root_].parent != kNone) return "the root has a parent";
  std::size_t leaves = 0;
  if (std::string problem = check_node(root_, 0, height(), leaves); !problem.empty()) return problem;
  if (leaves != sets) return fmt::format("{} leaves for {} sets", leaves, sets);
  return "";
}

std::string Bloofi::check_node(NodeId node, std::size_t depth, std::size_t leaf_depth, std::size_t& leaves) const {
  const Node& it = nodes_[node];
  if (it.cardinality != count_ones(bits(node), shape_.words())) return fmt::format("node {}: wrong cardinality", node);
  if (it.leaf) {
    ++leaves;
    if (depth != leaf_depth) return fmt::format("leaf {} is at depth {}, others at {}", node, depth, leaf_depth);
    if (leaf_of(it.set) != node) return fmt::format("leaf {} is not the leaf of its set {}", node, it.set);
    return "";
  }
  const auto children = children_.of(node);
  const std::size_t least = node != root_ ? order_ : leaf_depth == 1 ? 1 : 2;
  if (children.size() < least) return fmt::format("node {} has {} children, fewer than {}", node, children.size(), least);
  if (!all_ones_ && children.size() > 2 * order_) return fmt::format("node {} has {} children", node, children.size());
  std::vector<Word> value(shape_.words());
  for (NodeId child : children) {
    if (nodes_[child].parent != node) return fmt::format("node {} is not the parent of its child {}", node, child);
    or_into(value.data(), bits(child), value.size());
    if (std::string problem = check_node(child, depth + 1, leaf_depth, leaves); !problem.empty()) return problem;
  }
  if (!std::equal(value.begin(), value.end(), bits(node))) return fmt::format("node {}: not the OR of its children", node);
  return "";
}

std::vector<std::vector<SetId>> Bloofi::sets_below_root() const {
  std::vector<std::vector<SetId>> result;
  if (root_ == kNone) return result;
  for (NodeId top : children_.of(root_)) {
    std::vector<NodeId> level = {top};
    while (!nodes_[level[0]].leaf) {
      std::vector<NodeId> below;
      for (NodeId node : level) below.insert(below.end(), children_.of(node).begin(), children_.of(node).end());
      level = std::move(below);
    }
    auto& sets = result.emplace_back();
    for (NodeId leaf : level) sets.push_back(nodes_[leaf].set);
  }
  return result;
}

}  // namespace bloomery
