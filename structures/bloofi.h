// Bloofi: a balanced tree of Bloom filters (Crainiceanu and Lemire, "Bloofi: Multidimensional Bloom Filters").
//
// The leaves are the filters of the sets; an inner node's filter is the OR of its children's, so a key that misses a
// node misses everything below it. Like a B+ tree of order d: d to 2d children an inner node, 2 to 2d the root.
//
// Invariants, checked by validate():
//   1. All leaves have the same depth.
//   2. An inner node has at least d children (the root 2, unless it is the only inner node) and at most 2d, unless the
//      all-ones rule let it grow.
//   3. A node's filter is the OR of its children's; its cardinality is the number of bits set.
//   4. Parent and child links agree, and each set has exactly one leaf.
//
// Thread safety: keys may be inserted into sets that exist, concurrently with each other and with queries. At every
// moment an ancestor's filter contains its descendants': insert writes a bit from the root down to the leaf. So an
// insert that finds its bits in some node may leave out that node's ancestors, and a query that begins after an insert
// returned finds the whole path. Everything else needs the structure to itself.
#ifndef BLOOMERY_STRUCTURES_BLOOFI_H_
#define BLOOMERY_STRUCTURES_BLOOFI_H_

#include <random>
#include <string>
#include <vector>

#include "structures/arena.h"
#include "structures/child_lists.h"
#include "structures/filter_shape.h"
#include "structures/similarity.h"

namespace bloomery {

class Bloofi {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit Bloofi(Params& params);
  Cost build(Sets sets, const Executor& executor);
  Cost insert(SetId id, Keys keys);
  Cost insert_filter(SetId id, FilterBits bits);
  Cost erase(SetId id);
  Cost replace(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;
  std::string validate() const;

  // For tests: the sets below each child of the root, in order.
  std::vector<std::vector<SetId>> sets_below_root() const;

 private:
  using NodeId = std::uint32_t;
  static constexpr NodeId kNone = ~NodeId{0};
  struct Node {
    NodeId parent = kNone;
    SetId set = 0;                  // leaves only
    std::uint64_t cardinality = 0;  // bits set in the filter
    bool leaf = true;
  };

  // bloofi.cc: the tree
  NodeId new_node();
  void free_node(NodeId node);
  NodeId new_leaf(SetId id);
  NodeId leaf_of(SetId id) const { return id < leaf_of_.size() ? leaf_of_[id] : kNone; }
  void set_bits(NodeId leaf, Keys keys);
  void link_leaf(NodeId leaf, Cost& cost);                      // Algorithm 2, iterative
  void link_leaf_rightmost(NodeId leaf, Cost& cost);            // bulk
  void insert_after(NodeId entry, NodeId sibling, Cost& cost);  // Algorithm 3, up to the root
  NodeId split(NodeId node, Cost& cost);
  void grow_root(NodeId sibling, Cost& cost);
  void recompute(NodeId node, Cost& cost);
  void recompute_to_root(NodeId node, Cost& cost);
  void unlink(NodeId node, Cost& cost);                         // Algorithm 4
  void fix_underflow(NodeId node, Cost& cost);
  void insert_positions(NodeId leaf, std::vector<std::uint64_t>& positions, Cost& cost);  // Algorithm 5, by keys
  void absorb(NodeId node, const Word* filter);
  double distance_of(NodeId node, NodeId leaf) const;
  NodeId nearest_child(NodeId node, NodeId leaf);
  NodeId authors_child(NodeId node, NodeId leaf);
  struct Probes;
  template <bool kCount, std::size_t kRound>
  std::size_t keep_matching(std::uint64_t* candidates, std::size_t count, const Probes& probes, Cost& cost) const;
  std::size_t expand(std::size_t count, const Probes& probes, Matches& out) const;
  std::string check_node(NodeId node, std::size_t depth, std::size_t leaf_depth, std::size_t& leaves) const;
  std::size_t height() const;

  Word* bits(NodeId node) { return arena_.at(node); }
  const Word* bits(NodeId node) const { return arena_.at(node); }
  bool full(NodeId node) const { return nodes_[node].cardinality == shape_.hasher.m(); }

  FilterShape shape_;
  std::size_t order_;
  Similarity metric_;
  bool authors_descent_;
  bool bulk_;
  bool all_ones_;  // a node with every bit set is not split (section 5.4)
  std::mt19937_64 ties_;

  Arena arena_;              // slot i is the filter of node i
  std::vector<Node> nodes_;
  ChildLists children_;
  std::vector<NodeId> leaf_of_;
  NodeId root_ = kNone;
  std::size_t live_nodes_ = 0;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BLOOFI_H_
