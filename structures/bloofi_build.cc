// Construction of Bloofi from many sets at once.
#include <algorithm>

#include "structures/bloofi.h"
#include "structures/similarity_order.h"

namespace bloomery {

Cost Bloofi::build(Sets sets, const Executor& executor) {
  Cost cost;
  if (construction_ == Construction::kIterative) {
    for (SetId id = 0; id < sets.size(); ++id) add_leaf(id, sets[id], cost);
    return cost;
  }
  const std::vector<NodeId> leaves = sorted(new_leaves(sets, executor), executor);
  if (construction_ == Construction::kPacked) {
    pack(leaves, executor, cost);
  } else {
    for (const NodeId leaf : leaves) link_leaf_rightmost(leaf, cost);
  }
  return cost;
}

std::vector<Bloofi::NodeId> Bloofi::new_leaves(Sets sets, const Executor& executor) {
  std::vector<NodeId> leaves;
  for (SetId id = 0; id < sets.size(); ++id) leaves.push_back(new_leaf(id));
  executor.for_chunks(sets.size(), 16, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t id = begin; id < end; ++id) set_bits(leaves[id], sets[id]);
  });
  return leaves;
}

std::vector<Bloofi::NodeId> Bloofi::sorted(const std::vector<NodeId>& leaves, const Executor& executor) const {
  if (sort_ == Sort::kNone) return leaves;
  std::vector<const Word*> filters;
  for (const NodeId leaf : leaves) filters.push_back(bits(leaf));
  const std::vector<std::uint32_t> order = sort_ == Sort::kNearest
                                               ? nearest_neighbour_order(filters, shape_.words(), metric_, executor)
                                               : near_order(filters, shape_.words(), metric_, executor);
  std::vector<NodeId> result;
  for (const std::uint32_t next : order) result.push_back(leaves[next]);
  return result;
}

void Bloofi::link_leaf_rightmost(NodeId leaf, Cost& cost) {
  if (root_ == kNone) {
    grow_root({leaf}, cost);
    return;
  }
  NodeId node = root_;
  for (; !nodes_[node].leaf; node = children_.of(node).back()) {
    absorb(node, bits(leaf));
    cost += {.filters = 2, .nodes = 1};
  }
  insert_after(leaf, node, cost);
}

// Level by level from the leaves up, each in parallel. A level on which every node has all bits set would send all
// queries on: by the all-ones rule the root takes the level below as it is.
void Bloofi::pack(std::vector<NodeId> level, const Executor& executor, Cost& cost) {
  cost.nodes += level.size();
  while (level.size() > 2 * order_) {
    std::vector<NodeId> parents = parents_of(level, executor, cost);
    if (all_ones_ && std::ranges::all_of(parents, [&](NodeId node) { return full(node); })) {
      for (const NodeId node : parents) free_node(node);
      break;
    }
    level = std::move(parents);
    cost.nodes += level.size();
  }
  if (level.empty()) return;
  set_root(new_parent(level, cost));
  ++cost.nodes;
}

// As few parents as hold all nodes, and as evenly filled as can be: at least half of each is used.
std::vector<Bloofi::NodeId> Bloofi::parents_of(const std::vector<NodeId>& level, const Executor& executor, Cost& cost) {
  const std::span<const NodeId> all(level);
  const std::size_t count = (level.size() + 2 * order_ - 1) / (2 * order_);
  std::vector<NodeId> parents;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * level.size() / count, end = (i + 1) * level.size() / count;
    const NodeId parent = parents.emplace_back(new_node());
    nodes_[parent].leaf = false;
    put_children(parent, all.subspan(begin, end - begin));
    cost += {.filters = end - begin + 1, .nodes = 1};
  }
  executor.for_chunks(count, 4, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) unite_children(parents[i]);
  });
  return parents;
}

}  // namespace bloomery
