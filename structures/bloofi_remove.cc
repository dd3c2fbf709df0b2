// Deletion from Bloofi (Algorithm 4): nodes that lose a child, and filters that lose bits.
#include <algorithm>
#include <cstring>

#include "structures/bloofi.h"

namespace bloomery {

// Block by block in memory of its own: queries see a word's old value or its new one, nothing in between.
void Bloofi::unite_children(NodeId node) {
  constexpr std::size_t kBlock = 256;
  const auto children = children_.of(node);
  Word block[kBlock];
  std::uint64_t ones = 0;
  for (std::size_t begin = 0; begin < shape_.words(); begin += kBlock) {
    const std::size_t words = std::min(kBlock, shape_.words() - begin);
    std::memcpy(block, bits(children[0]) + begin, words * sizeof(Word));
    std::uint64_t block_ones = children.size() == 1 ? count_ones(block, words) : 0;
    for (const NodeId child : children.subspan(1)) block_ones = or_into(block, bits(child) + begin, words);
    copy_into(bits(node) + begin, block, words);
    ones += block_ones;
  }
  store_word(&nodes_[node].cardinality, ones);
}

void Bloofi::recompute(NodeId node, Cost& cost) {
  unite_children(node);
  cost.filters += children_.count(node) + 1;
}

// From `node` on values can only shrink, so a node that keeps its cardinality keeps its value, and so do those above.
void Bloofi::recompute_to_root(NodeId node, Cost& cost) {
  bool changing = true;
  for (; node != kNone; node = nodes_[node].parent) {
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
  const Changing changing(maintenance_);
  Cost cost;
  if (const NodeId leaf = leaf_of(id); leaf != kNone) remove(leaf, cost);
  return cost;
}

void Bloofi::remove(NodeId leaf, Cost& cost) {
  const NodeId parent = nodes_[leaf].parent;
  leaf_of_[nodes_[leaf].set] = kNone;
  substitute(parent, children_.place_of(parent, leaf), 1, {});
  free_node(leaf);
  settle(parent, cost);
}

void Bloofi::settle(NodeId node, Cost& cost) {
  const auto left = children_.of(node);
  if (node != root_) return left.size() < order_ ? fix_underflow(node, cost) : recompute_to_root(node, cost);
  if (left.empty()) {
    set_root(kNone);
    free_node(node);
    ++cost.nodes;
  } else if (const NodeId only = left[0]; left.size() == 1 && !nodes_[only].leaf) {
    nodes_[only].parent = kNone;
    set_root(only);
    free_node(node);
    ++cost.reshapes;
  } else {
    recompute_to_root(node, cost);
  }
}

// Takes children from the right sibling, else the left, if it has some to spare; else the two become one. The order of
// the leaves stays.
void Bloofi::fix_underflow(NodeId node, Cost& cost) {
  const NodeId parent = nodes_[node].parent;
  const std::size_t place = children_.place_of(parent, node);
  const bool right = place + 1 < children_.count(parent);
  const std::size_t first_place = right ? place : place - 1;
  const NodeId first = children_.of(parent)[first_place], second = children_.of(parent)[first_place + 1];
  std::vector<NodeId> all(children_.of(first).begin(), children_.of(first).end());
  all.insert(all.end(), children_.of(second).begin(), children_.of(second).end());
  const std::span<const NodeId> both(all);
  const std::size_t mine = children_.count(node), theirs = all.size() - mine;
  ++cost.reshapes;
  if (theirs > order_) {
    const std::size_t moved = std::min(std::max<std::size_t>((theirs - mine) / 2, 1), 2 * order_ - mine);
    const std::size_t border = right ? mine + moved : theirs - moved;
    const NodeId new_first = new_parent(both.first(border), cost), new_second = new_parent(both.subspan(border), cost);
    cost.nodes += moved + 1;
    substitute(parent, first_place, 2, {new_first, new_second});
    recompute_to_root(parent, cost);
  } else {
    const NodeId merged = new_parent(both, cost);
    cost.nodes += mine;
    substitute(parent, first_place, 2, {merged});
    settle(parent, cost);
  }
  free_node(first);
  free_node(second);
}

}  // namespace bloomery
