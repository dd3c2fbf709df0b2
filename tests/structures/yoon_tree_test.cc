// Yoon's tree leads to every set that holds a key, and to as few others as its filters allow.
#include "structures/yoon_tree.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/structures/rates.h"

namespace bloomery::test {
namespace {

TEST(YoonTree, FindsEverySetInTreesOfEveryForm) {
  for (const char* d : {"2", "3", "5", "64"}) {
    for (std::size_t count : {1, 2, 3, 63, 64, 65, 130}) {
      const auto tree = make_variant({"yoon_tree", {{"d", d}, {"sets", std::to_string(count)}, {"m", "60"}}});
      const KeyLists sets = make_sets(count, count);
      build(*tree, sets);
      const std::vector<Key> keys = probes_for(sets);
      const std::vector<Match> answer = query(*tree, keys);
      EXPECT_TRUE(contains_all(answer, truth(sets, keys))) << d << ", " << count;
      EXPECT_TRUE(std::ranges::all_of(answer, [&](const Match& match) { return match.set < count; }));
    }
  }
}

// The matches of a key that no set holds, against the nodes' fills. A key's matches depend on each other, so that their
// variance is taken from the sample.
TEST(YoonTree, FalseMatchesAreThoseOfItsFills) {
  constexpr std::size_t kSets = 81, kQueries = 200000;
  for (const char* d : {"3", "9"}) {
    Params params({{"d", d}, {"sets", std::to_string(kSets)}, {"k", "2"}, {"m", "800"}});
    YoonTree tree(params);
    for (SetId id = 0; id < kSets; ++id) tree.insert(id, random_keys(100, id));
    Matches out;
    tree.query<false>(random_keys(kQueries, 999), out);
    std::vector<double> matches(kQueries);
    for (const Match& match : out.view()) ++matches[match.index];
    double mean = 0, squares = 0;
    for (double m : matches) mean += m / kQueries;
    for (double m : matches) squares += (m - mean) * (m - mean) / kQueries;
    ASSERT_GT(mean, 0.1);
    EXPECT_NEAR(mean, tree.expected_false_matches(), 5 * std::sqrt(squares / kQueries)) << d;
  }
}

TEST(YoonTree, HasTheBitsItWasGiven) {
  Params params({{"d", "4"}, {"sets", "100"}, {"m", "1000"}});
  const YoonTree tree(params);
  EXPECT_GE(tree.size_in_bits(), 100U * 1000);
  EXPECT_LE(tree.size_in_bits(), 100U * 1000 + tree.footprint().nodes);
  EXPECT_EQ(tree.footprint().nodes, 1U + 2 + 7 + 25);
  EXPECT_EQ(tree.footprint().height, 3U);
}

TEST(YoonTree, RefusesWhatCannotBe) {
  expect_refused("yoon_tree", {{"d", "1"}}, "d");
  expect_refused("yoon_tree", {{"sets", "0"}}, "sets");
  expect_refused("yoon_tree", {{"k", "65"}}, "k");
  expect_refused("yoon_tree", {{"m", "1099511627776"}}, "m");
  expect_refused("yoon_tree", {{"n_exp", "68719476736"}}, "n_exp");
  const auto tree = make_variant({"yoon_tree", {{"sets", "10"}}});
  const std::vector<Key> keys = random_keys(5, 1);
  EXPECT_THROW(tree->insert(10, keys), ParamError);
  EXPECT_THROW(build(*tree, KeyLists(11)), ParamError);
  EXPECT_TRUE(query(*tree, keys).empty());
}

}  // namespace
}  // namespace bloomery::test
