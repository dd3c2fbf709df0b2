// BloomTree (Fu and Biersack): a tree of small Bloom filters, one below every bit of the filter above. One set.
//
// A key sets its k_1 bits of level 1, then k_2 bits in the filter below each of those, and so on down (see
// tree_shape.h). It is in the set if every filter that it would have visited says yes.
//
// A filter below a bit has a bit set only if that bit is set: by whoever set the lower one. So when the last level says
// yes, all the levels above have to; `check: leaves` reads the last level only and gives the same answers as
// `check: levels`, which asks all of them as the paper does. It also means that the paper's
// posterior, a product over the filters of all levels, counts the upper ones twice: the rate that a user sees is the
// mean of the product over the filters of the last level.
#ifndef BLOOMERY_STRUCTURES_BLOOM_TREE_H_
#define BLOOMERY_STRUCTURES_BLOOM_TREE_H_

#include <optional>
#include <string>
#include <vector>

#include "structures/arena.h"
#include "structures/packed_filter.h"
#include "structures/structure.h"
#include "structures/tree_shape.h"
#include "structures/worth.h"

namespace bloomery {

// Thread safety: insert may run concurrently with insert and query (with `atomic`, the default), in whatever order a
// key's bits are set: all of them are when its insert returns, and until then it may be found or not. Everything else
// that changes the tree needs it to itself.
//
// Invariant, without inserts in flight: a bit of level i + 1 is set only if the bit of level i that its filter hangs
// from is. Union, intersection and halving keep it, and so does removal: a counter is never above that of the bit it
// hangs from, and one that is full, and stays, hangs from a full one.
class BloomTree {
 public:
  static constexpr bool kConcurrentInsert = true;

  explicit BloomTree(Params& params, bool partitioned = false);
  Cost insert(SetId id, Keys keys);
  Cost replace(SetId id, Keys keys);
  template <bool kCount>
  Cost query(Keys keys, Matches& out) const;
  Footprint footprint() const;
  std::string validate() const;

  // With `counters`, takes out keys that were inserted before and have not been removed since. A key that is not in is
  // left alone; one that was never inserted but is a false positive would take others with it, as in any counting
  // filter. Throws a ParamError without counters.
  void remove(Keys keys);

  // With a tree of the same shape, seed and hashing, both without counters; anything else is a ParamError and changes
  // nothing. The union is the tree of the union of the sets; the intersection has every key of both.
  void union_with(const BloomTree& other);
  void intersect_with(const BloomTree& other);

  // Half of level 1 and of all that hangs from it, every key kept, by OR of neighbours; inserts and queries go on. An
  // odd m_1 or a tree with counters is a ParamError and changes nothing.
  void halve();

  // --- what the tree is worth. Levels count from 0 here; a key's filters are those that it visits, each once.
  std::size_t depth() const { return shape_.depth(); }
  const TreeLevel& level(std::size_t i) const { return shape_.levels[i]; }
  std::uint64_t size_in_bits() const { return shape_.bits(); }
  std::uint64_t filters(std::size_t level) const { return shape_.filters(level); }
  double fill(std::size_t level) const;                // the share of the level's bits that are set
  std::vector<double> fills(std::size_t level) const;  // of each filter
  std::vector<std::uint32_t> keys_a_filter(std::size_t level, Keys keys) const;  // how many of the keys visit each
  // For each key, the product of fill^k over its filters of a level, or of all levels (the paper's posterior).
  std::vector<double> posterior_rates(Keys keys, std::optional<std::size_t> level = std::nullopt) const;
  // Of the posteriors that are not zero, as the paper samples only queries that meet no empty filter.
  struct GeometricMean {
    double rate = 0;
    std::size_t zeros = 0;  // posteriors left out
  };
  GeometricMean geometric_mean_rate(Keys keys) const;
  // The rate that is to be measured, by the last level: the mean over the keys.
  double expected_false_positive_rate(Keys keys) const;
  Worth worth(Keys sample) const;

  // --- to be sent
  Bytes save() const;                     // a code a level
  void load(ByteView bytes);              // replaces what is in; throws a PackedFilterError and changes nothing
  std::uint64_t compressed_bits() const;  // a code a level: the paper's ByLevel
  std::uint64_t zstd_bits() const;        // of zstd, a level at a time
  FilterwiseCode code_filterwise(std::size_t level) const;  // a probability a filter: the paper's ByBF

  // --- for those who spread a batch over threads: only the branches of a range, of k_1.
  struct Branches {
    std::uint64_t first, last;
  };
  std::uint64_t branches() const { return shape_.branches(); }
  bool atomic() const { return atomic_; }
  Cost insert_branches(Keys keys, Branches branches);
  // Appends the keys, in order, that all branches of the range say yes to.
  template <bool kCount>
  Cost query_branches(Keys keys, Branches branches, Matches& out) const;

 private:
  Word* bits() { return arena_.at(0); }
  const Word* bits() const { return arena_.at(0); }
  Word* counts() { return counters_->at(0); }

  // Filters: one by one, for long runs and for counters. Runs: a batch at a time, as in tree_runs.h.
  void fetch(std::size_t from_level, std::uint64_t branch) const;
  template <class Policy, class Hashes>
  std::uint64_t set_filters(Policy policy, Keys keys, Branches branches);
  template <std::size_t kWords, class Policy, class Hashes>
  std::uint64_t set_runs(Policy policy, Keys keys, Branches branches);
  template <bool kCount, class Hashes>
  bool holds(const Hashes& hashes, std::uint64_t branch, Cost& cost) const;
  template <bool kCount, class Hashes>
  void query_filters(Keys keys, Branches branches, std::uint32_t begin, Matches& out, Cost& cost) const;
  template <bool kCount, std::size_t kWords, class Hashes>
  void query_runs(Keys keys, Branches branches, std::uint32_t begin, Matches& out, Cost& cost) const;
  template <class Visit>
  void visit_filters(Key key, const Visit& visit) const;
  template <class Policy>
  void set_mask(Policy policy, std::uint64_t offset, Word mask);
  void lower_mask(std::uint64_t offset, Word mask);
  void expect_without_counters(const char* what) const;
  void expect_same_shape(const BloomTree& other) const;
  std::string broken_link(const Word* words) const;
  std::uint64_t filter_bits(std::size_t level) const { return shape_.bits(level) / filters(level); }
  std::uint64_t ones_of(std::size_t level, std::uint64_t filter) const;
  double fill_of(std::size_t level, std::uint64_t filter) const;
  BitStretch stretch(std::size_t level) const { return {shape_.levels[level].first_bit, shape_.bits(level)}; }
  PackedShape packed_shape() const;

  TreeShape shape_;
  std::size_t first_checked_;  // level that a query begins to look at
  bool atomic_, counting_;
  std::size_t run_words_;  // of tree_runs.h; 0 also where counters are to be met one by one
  Arena arena_;
  std::optional<Arena> counters_;  // four bits for each bit, if counting
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_BLOOM_TREE_H_
