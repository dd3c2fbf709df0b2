// What a tree of sets is worth to someone who is sent it and asks whether a key is in any of them.
#include <cmath>

#include "structures/bloofi.h"
#include "structures/packed_filter.h"

namespace bloomery {

// A query is wrong if any leaf is: what is above the leaves has their bits and denies nothing that they do not.
Worth Bloofi::worth(Keys) const {
  Worth worth;
  const auto k = static_cast<double>(shape_.hasher.k()), m = static_cast<double>(shape_.hasher.m());
  const PackedShape filter{.numbers = {}, .stretch_bits = {shape_.hasher.m()}};
  double none_wrong = 1;
  std::vector<NodeId> nodes;
  if (root_ != kNone) nodes.push_back(root_);
  while (!nodes.empty()) {
    const NodeId node = nodes.back();
    nodes.pop_back();
    worth.sent_bits += coded_bits(filter, bits(node));
    worth.array_bits += shape_.hasher.m();
    worth.hashes += k;
    if (nodes_[node].leaf) {
      none_wrong *= 1 - std::pow(static_cast<double>(nodes_[node].cardinality) / m, k);
    } else {
      const auto children = children_.of(node);
      nodes.insert(nodes.end(), children.begin(), children.end());
    }
  }
  worth.geometric_rate = worth.expected_rate = 1 - none_wrong;  // for every key the same
  return worth;
}

}  // namespace bloomery
