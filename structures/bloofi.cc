#include "structures/bloofi.h"

#include <algorithm>
#include <limits>

namespace bloomery {

// The counters are those of the authors' program, so that costs compare: filters +2 an OR and +2 a child compared;
// nodes +1 a node visited and +4 an insertion into a parent; a split counts the children it moved and kept. They count
// what the published algorithm touches, also where ours proves that it need not look.

namespace {

// A choice by its place among the options, of which the first is the default.
template <class Enum>
Enum one_of(Params& params, const std::string& name, const std::vector<std::string>& options, const std::string& about) {
  const std::string chosen = params.choice(name, options.front(), options, about);
  return static_cast<Enum>(std::ranges::find(options, chosen) - options.begin());
}

}  // namespace

Bloofi::Bloofi(Params& params, std::unique_ptr<Epochs> epochs)
    : shape_(params),
      order_(params.integer("d", 2, 2, 1 << 16, "order: inner nodes have d to 2d children")),
      metric_(parse_similarity(params.choice("metric", "hamming", {"hamming", "jaccard", "cosine"},
                                             "distance that places a new filter"))),
      authors_descent_(params.choice("descent", "nearest", {"nearest", "authors"},
                                     "child that a new filter goes to: the nearest, or as the authors' program errs") ==
                       "authors"),
      construction_(one_of<Construction>(
          params, "construction", {"iterative", "bulk", "packed"},
          "build one by one, or sorted and appended on the right, or sorted and packed into full nodes from below")),
      sort_(one_of<Sort>(params, "sort", {"nearest", "near", "none"},
                         "bulk and packed: nearest neighbours in O(N^2), near ones in O(N log N), or as "
                         "the sets come")),
      all_ones_(params.flag("all_ones", true, "do not split a node that has all bits set")),
      ties_(params.integer("tie_seed", 1, 0, ~0ULL >> 1, "chooses among equally near children")),
      maintenance_(params, std::move(epochs)),
      arena_(shape_.words()) {}

// --- nodes -----------------------------------------------------------------------------------------------------------

Bloofi::NodeId Bloofi::new_node() {
  recycle();
  const NodeId node = arena_.allocate();
  if (node >= nodes_.size()) nodes_.resize(std::size_t{node} + 1);
  nodes_[node] = {};
  children_.add_node(node);
  ++live_nodes_;
  return node;
}

// An inner node with these children, not yet in the tree.
Bloofi::NodeId Bloofi::new_parent(std::span<const NodeId> children, Cost& cost) {
  const NodeId node = new_node();
  nodes_[node].leaf = false;
  put_children(node, children);
  recompute(node, cost);
  return node;
}

// The node is no longer in the tree, but queries may be at it.
void Bloofi::free_node(NodeId node) {
  unlinked_.add(node, maintenance_);
  --live_nodes_;
}

void Bloofi::recycle() {
  unlinked_.release(maintenance_, [this](NodeId node) {
    children_.assign(node, {}, maintenance_);
    arena_.free(node);
  });
  children_.recycle(maintenance_);
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
  store_word(&nodes_[node].cardinality, or_into(bits(node), filter, shape_.words()));
}

// --- insertion --------------------------------------------------------------------------------------------------------

// Keys into a set that exists share the tree; only a set that does not needs it alone, and by then it may exist.
Cost Bloofi::insert(SetId id, Keys keys) {
  Cost cost;
  {
    const Adding adding(maintenance_);
    if (const NodeId leaf = leaf_of(id); leaf != kNone) {
      add_keys(leaf, keys, cost);
      return cost;
    }
  }
  const Changing changing(maintenance_);
  if (const NodeId leaf = leaf_of(id); leaf != kNone) {
    add_keys(leaf, keys, cost);
  } else {
    add_leaf(id, keys, cost);
  }
  return cost;
}

void Bloofi::add_keys(NodeId leaf, Keys keys, Cost& cost) {
  thread_local std::vector<std::uint64_t> positions;
  positions.resize(keys.size() * shape_.hasher.k());
  shape_.hasher.positions(keys.data(), keys.size(), positions.data());
  insert_positions(leaf, positions, cost);
}

void Bloofi::add_leaf(SetId id, Keys keys, Cost& cost) {
  const NodeId leaf = new_leaf(id);
  set_bits(leaf, keys);
  link_leaf(leaf, cost);
}

Cost Bloofi::insert_filter(SetId id, FilterBits filter) {
  const Changing changing(maintenance_);
  Cost cost;
  const NodeId leaf = leaf_of(id);
  if (leaf == kNone) {
    const NodeId created = new_leaf(id);
    absorb(created, filter.data());
    link_leaf(created, cost);
    return cost;
  }
  // From the top down, as keys are.
  std::vector<NodeId> path;
  for (NodeId node = leaf; node != kNone; node = nodes_[node].parent) path.push_back(node);
  for (auto node = path.rbegin(); node != path.rend(); ++node) {
    absorb(*node, filter.data());
    cost += {.filters = 2, .nodes = 1};
  }
  return cost;
}

// A set that goes and comes again finds its best place anew; but queries that go on must not see it gone.
Cost Bloofi::replace(SetId id, Keys keys) {
  const Changing changing(maintenance_);
  Cost cost;
  const NodeId leaf = leaf_of(id);
  if (leaf != kNone && maintenance_.readers_stay()) {
    rewrite(leaf, keys, cost);
    return cost;
  }
  if (leaf != kNone) remove(leaf, cost);
  add_leaf(id, keys, cost);
  return cost;
}

// The new bits from the root down, then the old ones away from the leaf up.
void Bloofi::rewrite(NodeId leaf, Keys keys, Cost& cost) {
  add_keys(leaf, keys, cost);
  std::vector<Word> filter(shape_.words());
  std::uint64_t positions[kMostHashes];
  for (const Key& key : keys) {
    shape_.hasher.positions(&key, 1, positions);
    for (std::uint64_t i = 0; i < shape_.hasher.k(); ++i) SerialBits::set(filter.data(), positions[i]);
  }
  copy_into(bits(leaf), filter.data(), filter.size());
  store_word(&nodes_[leaf].cardinality, count_ones(filter.data(), filter.size()));
  recompute_to_root(nodes_[leaf].parent, cost);
}

// Climbs from the leaf while bits are missing, then writes from the top down (see the header). An ancestor contains its
// descendants, so what a node misses is part of what its child misses: one list serves, its missing part in front.
void Bloofi::insert_positions(NodeId leaf, std::vector<std::uint64_t>& positions, Cost& cost) {
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
  });
  write_path(path, positions);
}

void Bloofi::write_path(std::span<const Step> path, Positions positions) {
  for (auto step = path.rbegin(); step != path.rend(); ++step) write_step(*step, positions);
}

void Bloofi::write_step(const Step& step, Positions positions) {
  with_policy(shape_.atomic, [&](auto policy) {
    std::uint64_t fresh = 0;
    for (std::size_t i = 0; i < step.missing; ++i) fresh += policy.set(bits(step.node), positions[i]);
    if (fresh != 0) policy.add(&nodes_[step.node].cardinality, fresh);
  });
}

void Bloofi::link_leaf(NodeId leaf, Cost& cost) {
  if (root_ == kNone) {
    grow_root({leaf}, cost);
    return;
  }
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

void Bloofi::put_children(NodeId node, std::span<const NodeId> children) {
  for (const NodeId child : children) nodes_[child].parent = node;
  children_.assign(node, children, maintenance_);
}

// In the parent's list, `count` children from `place` on give way to others: for queries in one step.
void Bloofi::substitute(NodeId parent, std::size_t place, std::size_t count, std::initializer_list<NodeId> instead) {
  const auto old = children_.of(parent);
  thread_local std::vector<NodeId> children;
  children.assign(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(place));
  children.insert(children.end(), instead);
  children.insert(children.end(), old.begin() + static_cast<std::ptrdiff_t>(place + count), old.end());
  for (const NodeId child : instead) nodes_[child].parent = parent;
  children_.assign(parent, children, maintenance_);
}

void Bloofi::insert_after(NodeId entry, NodeId sibling, Cost& cost) {
  NodeId parent = nodes_[sibling].parent;
  substitute(parent, children_.place_of(parent, sibling), 1, {sibling, entry});
  cost.nodes += 4;
  while (children_.count(parent) > 2 * order_ && !(all_ones_ && full(parent))) parent = split(parent, cost);
}

// Two new nodes, each with half of the children, take the place of the node.
Bloofi::NodeId Bloofi::split(NodeId node, Cost& cost) {
  const auto children = children_.of(node);
  const std::size_t count = children.size(), keep = (count + 1) / 2;
  const NodeId first = new_parent(children.first(keep), cost);
  const NodeId second = new_parent(children.subspan(keep), cost);
  cost.nodes += count - keep + 2;
  ++cost.reshapes;
  NodeId parent = nodes_[node].parent;
  if (parent == kNone) {
    parent = grow_root({first, second}, cost);
  } else {
    substitute(parent, children_.place_of(parent, node), 1, {first, second});
    cost.nodes += 4;
  }
  free_node(node);
  return parent;
}

Bloofi::NodeId Bloofi::grow_root(std::initializer_list<NodeId> children, Cost& cost) {
  const NodeId created = new_node();
  nodes_[created].leaf = false;
  put_children(created, children);
  for (const NodeId child : children) absorb(created, bits(child));
  set_root(created);
  cost += {.filters = 3, .nodes = 3};
  return created;
}

}  // namespace bloomery
