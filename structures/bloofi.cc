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
      authors_descent_(params.choice("descent", "nearest", {"nearest", "authors"},
                                     "child that a new filter goes to: the nearest, or as the authors' program errs") ==
                       "authors"),
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
    cost.filters += 2 * children_.count(node);
    const NodeId child = authors_descent_ ? authors_child(node, leaf) : nearest_child(node, leaf);
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

double Bloofi::distance_of(NodeId node, NodeId leaf) const {
  const std::uint64_t leaf_ones = nodes_[leaf].cardinality;
  const std::uint64_t common = full(node) ? leaf_ones : count_common(bits(node), bits(leaf), shape_.words());
  return distance(metric_, nodes_[node].cardinality, leaf_ones, common);
}

// What the authors' program does: its test for a tie lacks an absolute value, so that every child no nearer than the
// best so far passes for one, and takes over with a probability of one in the number of children.
Bloofi::NodeId Bloofi::authors_child(NodeId node, NodeId leaf) {
  const auto children = children_.of(node);
  NodeId best = children[0];
  double best_distance = distance_of(best, leaf);
  for (const NodeId child : children.subspan(1)) {
    const double d = distance_of(child, leaf);
    if (d >= best_distance && ties_() % children.size() != 0) continue;
    best = child;
    best_distance = d;
  }
  return best;
}

// The nearest child, ties broken evenly. A child whose cardinality alone rules it out is not read: under an all but
// full root, where children differ by hundreds of bits and all contain nearly all of the new filter, that is most.
Bloofi::NodeId Bloofi::nearest_child(NodeId node, NodeId leaf) {
  const auto children = children_.of(node);
  const auto bound = [&](NodeId child) {
    return distance_bound(metric_, nodes_[child].cardinality, nodes_[leaf].cardinality);
  };
  NodeId best = kNone;
  double best_distance = std::numeric_limits<double>::infinity();
  std::uint64_t ties = 0;
  const auto consider = [&](NodeId child) {
    const double d = distance_of(child, leaf);
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
    ++cost.nodes;
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
