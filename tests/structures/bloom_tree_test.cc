// The tree answers as its definition says, whatever way it is gone through, and keeps its keys whatever is done to it.
#include "structures/bloom_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "structures/tree_runs.h"
#include "tests/structures/rates.h"

namespace bloomery::test {
namespace {

// Every depth; runs of one word, of two, and longer; filters of one word; hash functions that meet.
const std::vector<ParamMap> kShapes = {
    {{"m", "500"}, {"d", "1"}, {"k", "5"}},
    {{"m", "300"}, {"k", "6,1"}, {"m_levels", "3"}},
    {{"m", "300"}, {"k", "6,3,2"}, {"m_levels", "4,3"}},
    {{"m", "301"}, {"k", "5,3,2,2"}, {"m_levels", "5,3,3"}},
    {{"m", "200"}, {"k", "6,3,3,2"}, {"m_levels", "4,4,5"}},
    {{"m", "300"}, {"k", "4,1,3,1,1"}, {"m_levels", "2,4,2,7"}},
    {{"m", "100"}, {"k", "3,2"}, {"m_levels", "3"}, {"d", "6"}},
    {{"m", "60"}, {"k", "2,1"}, {"m_levels", "2"}, {"d", "8"}},
    {{"m", "40"}, {"k", "1,9,3"}, {"m_levels", "64,17"}},
    {{"m", "1"}, {"k", "3,40,2"}, {"m_levels", "8,5"}},
};

BloomTree make_tree(ParamMap params, const ParamMap& more = {}) {
  params.insert(more.begin(), more.end());
  Params given(params);
  return BloomTree(given);
}

BloomTree tree_of(const ParamMap& params, Keys keys, const ParamMap& more = {}) {
  BloomTree tree = make_tree(params, more);
  tree.insert(0, keys);
  return tree;
}

std::vector<Match> answers(const BloomTree& tree, Keys keys) {
  Matches out;
  tree.query<false>(keys, out);
  return sorted(out);
}

// Which hashing, and all ways to go through the tree.
template <class Body>
void for_shapes(Body&& body) {
  for (const ParamMap& shape : kShapes) {
    for (const char* hashing : {"double", "independent"}) {
      ParamMap params = shape;
      params["hashing"] = hashing;
      SCOPED_TRACE(name_of({"bloom_tree", params}));
      body(params);
    }
  }
}

// The definition, with a set of the bits that are on.
class Oracle {
 public:
  explicit Oracle(const ParamMap& params) : shape_(shape_of_tree(params)) {}
  void insert(Key key) {
    for_bits(key, [&](const Bit& bit) { return bits_.insert(bit), true; });
  }
  bool holds(Key key) const {
    return for_bits(key, [&](const Bit& bit) { return bits_.contains(bit); });
  }

 private:
  using Bit = std::tuple<std::size_t, std::uint64_t, std::uint64_t>;  // level, filter, position

  static TreeShape shape_of_tree(const ParamMap& params) {
    Params given(params);
    return TreeShape(given, false);
  }
  template <class Body>
  bool for_bits(Key key, const Body& body) const {
    return with_hashes(shape_, [&](auto kind) {
      const decltype(kind) hashes(mix64(key ^ shape_.seed));
      for (std::uint64_t j = 0; j < shape_.branches(); ++j) {
        const std::uint64_t branch = shape_.branch(hashes, j);
        if (!body(Bit{0, 0, branch}) || !below(hashes, branch, 1, 0, body)) return false;
      }
      return true;
    });
  }
  template <class Hashes, class Body>
  bool below(const Hashes& hashes, std::uint64_t branch, std::size_t level, std::uint64_t place,
             const Body& body) const {
    if (level == shape_.depth()) return true;
    const TreeLevel& one = shape_.levels[level];
    const Word mask = mask_of(hashes, one, branch, place);
    for (std::uint64_t p = 0; p < one.m; ++p) {
      if ((mask >> p & 1) == 0) continue;
      if (!body(Bit{level, branch * one.siblings + place, p})) return false;
      if (!below(hashes, branch, level + 1, place * one.m + p, body)) return false;
    }
    return true;
  }

  TreeShape shape_;
  std::set<Bit> bits_;
};

TEST(BloomTree, AnswersAsTheDefinitionSays) {
  std::set<std::size_t> words;
  std::size_t false_positives = 0;
  for_shapes([&](const ParamMap& params) {
    const std::vector<Key> keys = random_keys(90, 1), probes = random_keys(3000, 2);
    Oracle oracle(params);
    for (Key key : keys) oracle.insert(key);
    std::vector<Match> wanted;
    for (std::uint32_t i = 0; i < probes.size(); ++i) {
      if (oracle.holds(probes[i])) wanted.push_back({i, 0});
    }
    false_positives += wanted.size();
    for (const ParamMap& way : std::vector<ParamMap>{
             {}, {{"check", "levels"}}, {{"counters", "true"}}, {{"counters", "true"}, {"check", "levels"}}}) {
      const BloomTree tree = tree_of(params, keys, way);
      EXPECT_EQ(tree.validate(), "");
      EXPECT_EQ(answers(tree, keys).size(), keys.size());
      EXPECT_EQ(answers(tree, probes), wanted);
      Matches counted;
      const Cost cost = tree.query<true>(probes, counted);
      EXPECT_EQ(sorted(counted), wanted);
      EXPECT_GE(cost.bf_checks, probes.size());
    }
    Params given(params);
    words.insert(run_words(TreeShape(given, false)));
  });
  EXPECT_EQ(words, (std::set<std::size_t>{0, 1, 2})) << "a way to go through the tree is not tested";
  EXPECT_GT(false_positives, 1000U);
}

// A query counts a filter once, however the tree is gone through.
TEST(BloomTree, CountsTheSameFiltersByRunsAndOneByOne) {
  const std::vector<Key> keys = random_keys(500, 1);
  for (const char* check : {"leaves", "levels"}) {
    const ParamMap params = {{"m", "20000"}, {"k", "4,3,2"}, {"m_levels", "4,3"}, {"check", check}};
    Matches out;
    const Cost runs = tree_of(params, keys).query<true>(keys, out);
    const Cost filters = tree_of(params, keys, {{"counters", "true"}}).query<true>(keys, out);
    EXPECT_EQ(runs.bf_checks, filters.bf_checks) << check;
  }
}

TEST(BloomTree, IsOneArrayOfAllItsLevels) {
  const BloomTree tree = make_tree({{"n_exp", "1000"}, {"rho_1", "0.5"}, {"k", "6,3,3,2"}, {"m_levels", "4,4,5"}});
  EXPECT_EQ(tree.size_in_bits(), 500U * (1 + 4 + 16 + 80));
  EXPECT_EQ(tree.depth(), 4U);
  EXPECT_EQ(tree.filters(0), 1U);
  EXPECT_EQ(tree.filters(1), 500U);
  EXPECT_EQ(tree.filters(3), 500U * 16);
}

// --- theory ----------------------------------------------------------------------------------------------------------

// With independent hash functions a key is a false positive with the probability that the fills of its leaves give, so
// that the number of false positives has a known mean and variance. The paper's product over all levels is lower.
TEST(BloomTree, TheLastLevelGivesTheRate) {
  const std::vector<Key> probes = random_keys(100000, 5);
  for (const ParamMap& params : std::vector<ParamMap>{{{"k", "6,3"}, {"m_levels", "4"}},
                                                      {{"k", "6,3,2"}, {"m_levels", "4,3"}},
                                                      {{"k", "5,3,2"}, {"m_levels", "4,3"}, {"rho_1", "0.5"}},
                                                      {{"k", "6,3,2,2"}, {"m_levels", "5,3,3"}, {"rho_1", "0.5"}}}) {
    const BloomTree tree = tree_of(params, random_keys(10000, 4), {{"hashing", "independent"}});
    double mean = 0, variance = 0;
    for (double rate : tree.posterior_rates(probes, tree.depth() - 1)) {
      mean += rate;
      variance += rate * (1 - rate);
    }
    const auto found = static_cast<double>(answers(tree, probes).size());
    EXPECT_NEAR(found, mean, 5 * std::sqrt(variance)) << name_of({"bloom_tree", params});
    EXPECT_NEAR(tree.expected_false_positive_rate(probes) * static_cast<double>(probes.size()), mean, 1e-6);
    const std::vector<double> product = tree.posterior_rates(probes);
    EXPECT_LT(std::accumulate(product.begin(), product.end(), 0.0), mean);
    EXPECT_LT(tree.geometric_mean_rate(probes).rate, mean / static_cast<double>(probes.size()));
  }
}

// In filters of a few bits one start and step a key are not as good as independent hash functions.
TEST(BloomTree, DoubleHashingCostsFalsePositives) {
  const std::vector<Key> keys = random_keys(20000, 4), probes = random_keys(200000, 5);
  const ParamMap params = {{"n_exp", "20000"}, {"k", "6,3,2"}, {"m_levels", "4,3"}};
  const auto rate = [&](const char* hashing) {
    return static_cast<double>(answers(tree_of(params, keys, {{"hashing", hashing}}), probes).size()) / 200000;
  };
  const double independent = rate("independent"), twice = rate("double");
  EXPECT_GT(twice, independent * 1.5 + 5 * binomial_deviation(twice, 200000));
}

// The paper's example: n = 10 000, d = 4, rho_1 = 1, k = 4, 2, 2, 2, all m_i = 4. A filter of level 2 gets 4 keys on
// average, less the keys that come twice; below, 4 (1 - (3/4)^2) = 1.75, where the paper's estimate has 2.
TEST(BloomTree, KeysAndFillsOfTheFilters) {
  const std::vector<Key> keys = random_keys(10000, 4);
  const BloomTree tree = tree_of({{"k", "4,2"}, {"m_levels", "4"}, {"d", "4"}}, keys, {{"hashing", "independent"}});
  EXPECT_EQ(tree.keys_a_filter(0, keys), std::vector<std::uint32_t>{10000});
  const double wanted[] = {4, 1.75, 1.75 * 0.4375};
  for (std::size_t level = 1; level < 4; ++level) {
    const std::vector<std::uint32_t> counts = tree.keys_a_filter(level, keys);
    const std::vector<double> fills = tree.fills(level);
    ASSERT_EQ(counts.size(), tree.filters(level));
    for (std::size_t f = 0; f < counts.size(); ++f) ASSERT_EQ(fills[f] == 0, counts[f] == 0);
    const double filters = static_cast<double>(counts.size()),
                 mean = std::accumulate(counts.begin(), counts.end(), 0.0) / filters;
    EXPECT_NEAR(mean, wanted[level - 1], 0.02 * wanted[level - 1]) << level;
    EXPECT_NEAR(tree.fill(level), std::accumulate(fills.begin(), fills.end(), 0.0) / filters, 1e-9);
  }
}

TEST(BloomTree, PosteriorsAreProductsOverTheLevels) {
  const BloomTree tree = tree_of({{"m", "2000"}, {"k", "4,2,2"}, {"m_levels", "4,3"}}, random_keys(1500, 1));
  const std::vector<Key> probes = random_keys(500, 2);
  const std::vector<double> all = tree.posterior_rates(probes);
  std::vector<double> product(probes.size(), 1);
  for (std::size_t level = 0; level < tree.depth(); ++level) {
    const std::vector<double> one = tree.posterior_rates(probes, level);
    for (std::size_t i = 0; i < probes.size(); ++i) product[i] *= one[i];
  }
  double logarithms = 0;
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    EXPECT_NEAR(all[i], product[i], 1e-12);
    all[i] == 0 ? static_cast<double>(++zeros) : logarithms += std::log(all[i]);
  }
  const BloomTree::GeometricMean mean = tree.geometric_mean_rate(probes);
  EXPECT_EQ(mean.zeros, zeros);
  EXPECT_NEAR(mean.rate, std::exp(logarithms / static_cast<double>(probes.size() - zeros)), 1e-12);
  EXPECT_EQ(make_tree({}).geometric_mean_rate(probes).rate, 0);
}

// --- what is done to trees -------------------------------------------------------------------------------------------

TEST(BloomTree, UnionIsTheTreeOfAllKeys) {
  for_shapes([](const ParamMap& params) {
    const std::vector<Key> all = random_keys(100, 1);
    BloomTree one = tree_of(params, Keys(all).first(60));
    one.union_with(tree_of(params, Keys(all).subspan(40)));
    EXPECT_EQ(one.save(), tree_of(params, all).save());
  });
}

TEST(BloomTree, IntersectionHasTheKeysOfBoth) {
  for_shapes([](const ParamMap& params) {
    const std::vector<Key> all = random_keys(100, 1), probes = random_keys(3000, 2);
    BloomTree one = tree_of(params, Keys(all).first(60));
    const BloomTree other = tree_of(params, Keys(all).subspan(40));
    const std::size_t before = answers(one, probes).size();
    one.intersect_with(other);
    EXPECT_EQ(one.validate(), "");
    EXPECT_EQ(answers(one, Keys(all).subspan(40, 20)).size(), 20U);
    EXPECT_LE(answers(one, probes).size(), before);
    one.union_with(other);
    EXPECT_EQ(one.save(), other.save());
  });
}

TEST(BloomTree, HalvedTreesKeepTheirKeysAndGoOn) {
  for (ParamMap params : kShapes) {
    params["m"] = "304";  // 16 times an odd number
    SCOPED_TRACE(name_of({"bloom_tree", params}));
    const std::vector<Key> keys = random_keys(200, 1), more = random_keys(50, 3), probes = random_keys(2000, 2);
    BloomTree tree = tree_of(params, keys), grown = tree_of(params, keys);
    grown.insert(0, more);
    for (int halvings = 1; halvings <= 4; ++halvings) {
      const std::uint64_t bits = tree.size_in_bits();
      const std::vector<Match> before = answers(tree, probes);
      tree.halve();
      grown.halve();
      EXPECT_EQ(tree.size_in_bits(), bits / 2);
      EXPECT_EQ(tree.validate(), "");
      EXPECT_EQ(answers(tree, keys).size(), keys.size());
      EXPECT_TRUE(contains_all(answers(tree, probes), before));
      // Halving and inserting may be done in either order.
      BloomTree later = tree_of(params, keys);
      for (int i = 0; i < halvings; ++i) later.halve();
      later.insert(0, more);
      EXPECT_EQ(later.save(), grown.save());
    }
    EXPECT_THROW(tree.halve(), ParamError);
    EXPECT_EQ(answers(tree, keys).size(), keys.size());
  }
}

TEST(BloomTree, ATreeIsOnlyJoinedWithItsLike) {
  BloomTree tree = make_tree({{"m", "100"}});
  for (const ParamMap& other : std::vector<ParamMap>{{{"m", "101"}},
                                                     {{"m", "100"}, {"seed", "2"}},
                                                     {{"m", "100"}, {"k", "6,3,1"}},
                                                     {{"m", "100"}, {"m_levels", "4,4"}},
                                                     {{"m", "100"}, {"hashing", "independent"}}}) {
    EXPECT_THROW(tree.union_with(make_tree(other)), ParamError);
    EXPECT_THROW(tree.intersect_with(make_tree(other)), ParamError);
  }
  BloomTree counted = make_tree({{"m", "100"}, {"counters", "true"}});
  EXPECT_THROW(counted.union_with(tree), ParamError);
  EXPECT_THROW(counted.intersect_with(tree), ParamError);
  EXPECT_THROW(counted.halve(), ParamError);
  EXPECT_THROW(counted.load(tree.save()), ParamError);
  EXPECT_THROW(tree.remove(random_keys(1, 1)), ParamError);
}

// --- removal ---------------------------------------------------------------------------------------------------------

TEST(BloomTree, WhatIsLeftAfterRemovalIsTheTreeOfTheRest) {
  for (const char* hashing : {"double", "independent"}) {
    const ParamMap params = {{"m", "20000"}, {"k", "4,3,2"}, {"m_levels", "5,4"}, {"hashing", hashing}};
    const std::vector<Key> keys = random_keys(2000, 1), never = random_keys(2000, 2);
    BloomTree tree = tree_of(params, keys, {{"counters", "true"}});
    tree.insert(0, Keys(keys).first(500));  // these are in twice
    tree.remove(never);                     // few are false positives: all but none are left alone
    tree.remove(Keys(keys).subspan(0, 1500));
    EXPECT_EQ(tree.validate(), "");
    std::vector<Key> rest(keys.begin(), keys.begin() + 500);
    rest.insert(rest.end(), keys.begin() + 1500, keys.end());
    EXPECT_EQ(answers(tree, rest).size(), rest.size());
    EXPECT_EQ(tree.save(), tree_of(params, rest).save());
    tree.remove(rest);
    EXPECT_EQ(tree.save(), make_tree(params).save());
  }
}

// Counters that are full stay full: nothing is lost, though bits are left over.
TEST(BloomTree, FullCountersLoseNoKey) {
  const std::vector<Key> keys = random_keys(3000, 1);
  BloomTree tree = tree_of({{"m", "200"}, {"k", "3,2,2"}, {"m_levels", "3,3"}, {"counters", "true"}}, keys);
  for (std::size_t gone = 0; gone < keys.size(); gone += 250) {
    tree.remove(Keys(keys).subspan(gone, 250));
    ASSERT_EQ(tree.validate(), "");
    const Keys rest = Keys(keys).subspan(gone + 250);
    ASSERT_EQ(answers(tree, rest).size(), rest.size());
  }
  EXPECT_GT(tree.fill(2), 0);
}

// --- sent, and refused -----------------------------------------------------------------------------------------------

TEST(BloomTree, ArrivesAsItWasSentAtTheSizeOfItsLevels) {
  const std::vector<Key> keys = random_keys(10000, 1);
  const ParamMap params = {{"k", "6,3,2"}, {"m_levels", "4,3"}};
  const BloomTree tree = tree_of(params, keys);
  BloomTree received = tree_of(params, random_keys(10, 2));
  received.load(tree.save());
  EXPECT_EQ(received.validate(), "");
  EXPECT_EQ(received.save(), tree.save());
  double bound = 0;  // Theorem 4.1
  for (std::size_t level = 0; level < 3; ++level) {
    const std::uint64_t bits = level == 0 ? 10000 : level == 1 ? 40000 : 120000;
    bound += entropy_bits(static_cast<std::uint64_t>(std::llround(tree.fill(level) * static_cast<double>(bits))), bits);
  }
  EXPECT_NEAR(static_cast<double>(tree.compressed_bits()), bound, 0.01 * bound);
  EXPECT_LT(tree.compressed_bits(), tree.size_in_bits() * 6 / 10);
  // A probability for each filter is smaller only as long as nobody has to be told them.
  const FilterwiseCode leaves = tree.code_filterwise(2);
  EXPECT_EQ(leaves.count_bits, 2 * tree.filters(2));
  const double by_level = entropy_bits(static_cast<std::uint64_t>(std::llround(tree.fill(2) * 120000)), 120000);
  EXPECT_LT(static_cast<double>(leaves.bytes.size() * 8 - leaves.count_bits), by_level);
  EXPECT_GT(static_cast<double>(leaves.bytes.size() * 8), by_level);
}

TEST(BloomTree, RefusesWhatCannotBe) {
  const auto refused = [](const ParamMap& params, const std::string& name) {
    expect_refused("bloom_tree", params, name);
  };
  refused({{"d", "0"}}, "d");
  refused({{"d", "9"}}, "d");
  for (const char* list :
       {"", "x", "6,", ",6", "6,,3", "6;3", "6,3x", "0", "65", "-1", "6 3", "99999999999999999999"}) {
    refused({{"k", list}}, "k");
    refused({{"m_levels", list}}, "m_levels");
  }
  refused({{"m_levels", "1"}}, "m_levels");
  refused({{"d", "2"}, {"k", "6,3,2"}}, "k");
  refused({{"d", "2"}, {"m_levels", "4,3"}}, "m_levels");
  refused({{"d", "1"}, {"m_levels", "4"}}, "m_levels");
  refused({{"m_levels", "4,4,4,4,4,4,4,4"}}, "m_levels");
  refused({{"k", "64"}, {"d", "8"}, {"m_levels", "64"}, {"m", "1"}}, "k");
  refused({{"rho_1", "0"}}, "rho_1");
  refused({{"rho_1", "2"}, {"m", "500"}}, "rho_1");
  refused({{"m", "0"}}, "m");
  refused({{"m", "1099511627776"}}, "m_levels");
  refused({{"m", "1099511627776"}, {"d", "1"}, {"counters", "true"}}, "m");
  refused({{"hashing", "triple"}}, "hashing");
  refused({{"check", "some"}}, "check");
}

TEST(BloomTree, ListsGoOn) {
  const auto bits = [](const ParamMap& params) { return make_tree(params).size_in_bits(); };
  EXPECT_EQ(bits({{"m", "10"}, {"d", "4"}, {"m_levels", "3"}}), 10U * (1 + 3 + 9 + 27));
  EXPECT_EQ(bits({{"m", "10"}, {"d", "4"}, {"m_levels", "3, 2"}}), 10U * (1 + 3 + 6 + 12));
  EXPECT_EQ(bits({{"m", "10"}, {"d", "2"}}), 10U * (1 + 4));
  EXPECT_EQ(bits({{"m", "10"}, {"k", "5,4,3,2"}}), 10U * (1 + 4 + 12 + 36));
}

}  // namespace
}  // namespace bloomery::test
