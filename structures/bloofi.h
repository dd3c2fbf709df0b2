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
// returned finds the whole path. With `maintenance` other than exclusive, everything but build is concurrent, too. With
// epochs a query never waits, and its argument is:
//   1. A list of children changes by one store, from one complete list to the next. A leaf enters a list after its bits
//      are in all its ancestors.
//   2. Children never move from one node to another: a split, a merge or a redistribution makes new nodes, with filters
//      of their own, that take the place of the old ones in one store to the parent's list (or the root).
//   3. So a query that has passed the filter of a node finds below it all that was below it then: in the old nodes,
//      which stay as they are until no query is left that could have reached them, or in their successors.
//   4. The filter of a node in the tree gains bits before what needs them is linked, and loses bits word by word, each
//      from one sum of its children to a smaller one that holds all who stay: no bit that is needed is ever missing.
//   5. replace() leaves the leaf where it is: a key that is in the old set and in the new one is found all the time.
#ifndef BLOOMERY_STRUCTURES_BLOOFI_H_
#define BLOOMERY_STRUCTURES_BLOOFI_H_

#include <initializer_list>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "structures/arena.h"
#include "structures/child_lists.h"
#include "structures/filter_shape.h"
#include "structures/maintenance.h"
#include "structures/similarity.h"
#include "structures/stable_array.h"
#include "structures/worth.h"

namespace bloomery {

class Bloofi {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit Bloofi(Params& params, std::unique_ptr<Epochs> epochs = nullptr);
  Bloofi(Bloofi&&) = default;
  virtual ~Bloofi() = default;
  bool concurrent_maintenance() const { return maintenance_.concurrent(); }
  Cost build(Sets sets, const Executor& executor);
  Cost insert(SetId id, Keys keys);
  Cost insert_filter(SetId id, FilterBits bits);
  Cost erase(SetId id);
  Cost replace(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;
  std::string validate() const;
  Worth worth(Keys sample) const;  // of whether any set has a key

  // For tests: the sets below each child of the root, in order.
  std::vector<std::vector<SetId>> sets_below_root() const;

 protected:
  using NodeId = std::uint32_t;
  // A node on the way up from a leaf, and how many of the positions, from the first on, its filter lacked.
  struct Step {
    NodeId node;
    std::size_t missing;
  };
  using Positions = std::span<const std::uint64_t>;
  virtual void write_path(std::span<const Step> path, Positions positions);  // virtual for the tests that break it
  void write_step(const Step& step, Positions positions);

 private:
  static constexpr NodeId kNone = ~NodeId{0};
  struct Node {
    NodeId parent = kNone;
    SetId set = 0;                  // leaves only
    std::uint64_t cardinality = 0;  // bits set in the filter
    bool leaf = true;
  };

  enum class Construction { kIterative, kBulk, kPacked };
  enum class Sort { kNearest, kNear, kNone };

  // bloofi_build.cc
  std::vector<NodeId> new_leaves(Sets sets, const Executor& executor);
  std::vector<NodeId> sorted(const std::vector<NodeId>& leaves, const Executor& executor) const;
  void link_leaf_rightmost(NodeId leaf, Cost& cost);
  void pack(std::vector<NodeId> level, const Executor& executor, Cost& cost);
  std::vector<NodeId> parents_of(const std::vector<NodeId>& level, const Executor& executor, Cost& cost);

  // bloofi.cc: nodes and insertion
  NodeId new_node();
  NodeId new_parent(std::span<const NodeId> children, Cost& cost);
  void free_node(NodeId node);
  void recycle();
  NodeId new_leaf(SetId id);
  NodeId leaf_of(SetId id) const { return id < leaf_of_.size() ? leaf_of_[id] : kNone; }
  void set_bits(NodeId leaf, Keys keys);
  void link_leaf(NodeId leaf, Cost& cost);                      // Algorithm 2, iterative
  void insert_after(NodeId entry, NodeId sibling, Cost& cost);  // Algorithm 3, up to the root
  NodeId split(NodeId node, Cost& cost);                        // returns the node that has a child more
  NodeId grow_root(std::initializer_list<NodeId> children, Cost& cost);
  void put_children(NodeId node, std::span<const NodeId> children);
  void substitute(NodeId parent, std::size_t place, std::size_t count, std::initializer_list<NodeId> instead);
  void add_leaf(SetId id, Keys keys, Cost& cost);
  void add_keys(NodeId leaf, Keys keys, Cost& cost);
  void rewrite(NodeId leaf, Keys keys, Cost& cost);
  void insert_positions(NodeId leaf, std::vector<std::uint64_t>& positions, Cost& cost);  // Algorithm 5, by keys
  void absorb(NodeId node, const Word* filter);
  double distance_of(NodeId node, NodeId leaf) const;
  NodeId nearest_child(NodeId node, NodeId leaf);
  NodeId authors_child(NodeId node, NodeId leaf);

  // bloofi_remove.cc
  void unite_children(NodeId node);
  void recompute(NodeId node, Cost& cost);
  void recompute_to_root(NodeId node, Cost& cost);
  void remove(NodeId leaf, Cost& cost);                         // Algorithm 4
  void settle(NodeId node, Cost& cost);                         // after it lost a child
  void fix_underflow(NodeId node, Cost& cost);

  // bloofi_query.cc
  struct Probes;
  template <bool kCount, std::size_t kRound>
  std::size_t keep_matching(std::uint64_t* candidates, std::size_t count, const Probes& probes, Cost& cost) const;
  std::size_t expand(std::size_t count, const Probes& probes, Matches& out) const;

  // bloofi_check.cc
  std::string check_node(NodeId node, std::size_t depth, std::size_t leaf_depth, std::size_t& leaves) const;
  std::size_t height() const;

  Word* bits(NodeId node) { return arena_.at(node); }
  const Word* bits(NodeId node) const { return arena_.at(node); }
  void set_root(NodeId node) { __atomic_store_n(&root_, node, __ATOMIC_RELEASE); }
  bool full(NodeId node) const { return nodes_[node].cardinality == shape_.hasher.m(); }

  FilterShape shape_;
  std::size_t order_;
  Similarity metric_;
  bool authors_descent_;
  Construction construction_;
  Sort sort_;
  bool all_ones_;  // a node with every bit set is not split (section 5.4)
  std::mt19937_64 ties_;
  Maintenance maintenance_;

  Arena arena_;              // slot i is the filter of node i
  StableArray<Node> nodes_;
  ChildLists children_;
  std::vector<NodeId> leaf_of_;
  NodeId root_ = kNone;  // queries read it while it changes
  std::size_t live_nodes_ = 0;
  Limbo<NodeId> unlinked_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BLOOFI_H_
