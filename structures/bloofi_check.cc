// What a Bloofi tree looks like: its size, its invariants, its order.
#include <fmt/format.h>

#include <algorithm>

#include "structures/bloofi.h"

namespace bloomery {

std::size_t Bloofi::height() const {
  std::size_t edges = 0;
  for (NodeId node = root_; node != kNone && !nodes_[node].leaf; node = children_.of(node)[0]) ++edges;
  return edges;
}

Footprint Bloofi::footprint() const {
  return {.storage_bytes = live_nodes_ * shape_.words() * sizeof(Word),
          .memory_bytes =
              arena_.resident_bytes() + nodes_.memory_bytes() + children_.memory_bytes() + bytes_of(leaf_of_),
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
