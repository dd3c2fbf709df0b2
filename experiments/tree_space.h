// The settings of a BloomTree that an optimiser may choose from, and what one of them is worth.
#ifndef BLOOMERY_EXPERIMENTS_TREE_SPACE_H_
#define BLOOMERY_EXPERIMENTS_TREE_SPACE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/stats.h"
#include "structures/structure.h"

namespace bloomery {

struct TreeSetting {
  std::vector<std::uint64_t> k;  // hash functions of a filter, of level 1 and on
  std::vector<std::uint64_t> m;  // bits of a filter, of level 2 and on

  std::string k_text() const;  // as bloom_tree takes them: 6,3,2
  std::string m_text() const;
};

struct Range {
  std::uint64_t low, high;
  std::uint64_t size() const { return high - low + 1; }
};

// All settings of d levels within the paper's bounds C1 and C2: 7 * 28^(d-1) of them.
class TreeSpace {
 public:
  static constexpr std::size_t kMostLevels = 5;  // the last of which alone takes up to 4096 bits a bit of the first

  explicit TreeSpace(std::size_t levels);

  std::uint64_t size() const;
  // The setting of that number: the last variable turns fastest.
  TreeSetting at(std::uint64_t number) const;
  std::uint64_t number_of(const TreeSetting& setting) const;

  // The paper's genetic representation: m_2 ... m_d, then k_1 ... k_d.
  const std::vector<Range>& variables() const { return variables_; }
  TreeSetting from_variables(const std::vector<double>& values) const;

 private:
  std::size_t levels_;
  std::vector<Range> variables_;
};

struct TrialSpec {
  std::uint64_t n = 10000;
  double rho_1 = 1;
  std::string hashing = "double";
  std::uint64_t queries = 5000;  // of a tree; none of the keys is in it
  std::uint64_t instances = 1;   // trees, each with keys, queries and hash functions of its own
  std::uint64_t seed = 1;
};

// What trees of one setting are worth, over all instances.
struct Trial {
  TreeSetting setting;
  std::uint64_t queries = 0, false_positives = 0;
  double geometric_rate = 0;  // the paper's: mean of each tree's geometric mean of the posterior
  double zeros = 0;           // the share of queries that it leaves out, because they meet an empty filter
  double bits_sent = 0;       // a key, arithmetic-coded a level
  double bits_stored = 0;     // a key

  // With its interval.
  Summary measured_rate() const {
    return share_of(Trials{static_cast<double>(false_positives), static_cast<double>(queries)});
  }
};

// Size over that of the best plain Bloom filter of that rate, the paper's equation 14: W_BT / W_SBF.
double share_of_standard(double bits_a_key, double rate);

// Tries settings out. The keys of an instance are the same for every setting, so that what differs is the setting; so
// are the results, whichever thread asks.
class TreeTrials {
 public:
  explicit TreeTrials(const TrialSpec& spec);
  Trial run(const TreeSetting& setting) const;

 private:
  struct Instance {
    std::vector<Key> keys, queries;
  };

  TrialSpec spec_;
  std::vector<Instance> instances_;
};

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_TREE_SPACE_H_
