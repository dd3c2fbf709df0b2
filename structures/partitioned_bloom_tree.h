// The partitioned BloomTree (Fu and Biersack, section 4.4): k_1 trees, each with one of the hash functions of level 1
// and a k_1-th of its bits. What a key does in one tree has nothing to do with the others, so that they can be worked
// on at the same time. In memory it is one BloomTree whose j-th branches all lie in the j-th part of level 1.
//
// `parallel` says how a batch is spread over `threads` threads: the partitions of all its keys, as in the paper, or the
// keys with all their partitions. A query by partitions asks every one of them, also for keys that another has ruled
// out.
#ifndef BLOOMERY_STRUCTURES_PARTITIONED_BLOOM_TREE_H_
#define BLOOMERY_STRUCTURES_PARTITIONED_BLOOM_TREE_H_

#include <string>

#include "structures/bloom_tree.h"

namespace bloomery {

// Thread safety: that of BloomTree; the threads of a call are its own.
class PartitionedBloomTree {
 public:
  static constexpr bool kConcurrentInsert = BloomTree::kConcurrentInsert;

  explicit PartitionedBloomTree(Params& params);
  Cost insert(SetId id, Keys keys);
  Cost replace(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const { return tree_.footprint(); }
  std::string validate() const { return tree_.validate(); }

  void intersect_with(const PartitionedBloomTree& other) { tree_.intersect_with(other.tree_); }
  Worth worth(Keys sample) const { return tree_.worth(sample); }
  const BloomTree& tree() const { return tree_; }

 private:
  enum class Spread { kNone, kKeys, kPartitions };

  template <bool kCount>
  Cost query_partitions(Keys keys, Matches& out) const;
  template <bool kCount>
  Cost query_keys(Keys keys, Matches& out) const;

  BloomTree tree_;
  Spread spread_;
  Executor executor_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_PARTITIONED_BLOOM_TREE_H_
