// Yoon's Bloom tree: a search tree of Bloom filters from a key to the sets that may hold it.
//
// The sets are the leaves of a complete tree in which every node has d children. A node is one filter with a group of k
// hash functions for each child. A key of set v is hashed in every node on the path to leaf v, by the group of the
// child where the path goes on. A query starts at the root and follows every child whose group says yes: it is never
// led past a set that holds the key, and a false positive has to pass a filter on every level.
//
// All nodes lie in one array. Each level has the same share of it, for every key is once in each; the nodes of a level
// have equal parts.
#ifndef BLOOMERY_STRUCTURES_YOON_TREE_H_
#define BLOOMERY_STRUCTURES_YOON_TREE_H_

#include <vector>

#include "structures/arena.h"
#include "structures/structure.h"
#include "structures/worth.h"

namespace bloomery {

// Thread safety: insert may run concurrently with insert and query (with `atomic`, the default), also into sets that
// had no keys: which sets there can be is fixed from the start.
class YoonTree {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit YoonTree(Params& params);
  Cost build(Sets sets, const Executor& executor);
  Cost insert(SetId id, Keys keys);  // throws a ParamError for an id that the tree has no leaf for
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;

  std::uint64_t size_in_bits() const;
  // Sets that a key of none of them is led to on average, by the share of bits set in each node.
  double expected_false_matches() const;
  Worth worth(Keys sample) const;  // of whether any set has a key

 private:
  struct Level {
    std::uint64_t nodes;
    std::uint64_t leaves;      // below a child of one of them
    std::uint64_t m;           // bits of a node
    std::uint64_t first_bit;   // of the level in the array
    std::uint64_t first_edge;  // children are numbered through, so that each has hash functions of its own
  };
  struct Shape {
    explicit Shape(Params& params);
    std::uint64_t bits() const { return levels.back().first_bit + levels.back().nodes * levels.back().m; }
    std::uint64_t sets, d, k, seed;
    std::vector<Level> levels;
  };

  Word* bits() { return arena_.at(0); }
  const Word* bits() const { return arena_.at(0); }
  // Children of a node that have a set below them.
  std::uint64_t children(const Level& level, std::uint64_t node) const;
  template <class Policy>
  void insert_keys(Policy policy, SetId id, Keys keys);
  void fetch_root(std::uint64_t hash) const;
  template <bool kCount>
  void search(std::size_t level, std::uint64_t node, std::uint64_t hash, std::uint32_t index, Matches& out,
              Cost& cost) const;
  double group_rate(const Level& level, std::uint64_t node) const;
  double expected_below(std::size_t level, std::uint64_t node) const;
  double any_below(std::size_t level, std::uint64_t node) const;
  double log_chains_below(std::size_t level, std::uint64_t node) const;

  Shape shape_;
  bool atomic_;
  Arena arena_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_YOON_TREE_H_
