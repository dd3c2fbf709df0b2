// The partitioned tree answers the same however its work is spread, and as often wrongly as its leaves say.
#include "structures/partitioned_bloom_tree.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/structures/rates.h"

namespace bloomery::test {
namespace {

const ParamMap kShape = {{"n_exp", "5000"}, {"k", "12,3,2"}, {"m_levels", "4,3"}};

PartitionedBloomTree make_tree(const ParamMap& more, ParamMap params = kShape) {
  params.insert(more.begin(), more.end());
  Params given(params);
  return PartitionedBloomTree(given);
}

TEST(PartitionedBloomTree, AnswersTheSameHoweverItsWorkIsSpread) {
  const std::vector<Key> keys = random_keys(5000, 1), probes = random_keys(20000, 2);
  PartitionedBloomTree alone = make_tree({});
  const Cost cost = alone.insert(0, keys);
  Matches wanted;
  alone.query<false>(probes, wanted);
  ASSERT_GT(wanted.size(), 0U);
  for (const char* parallel : {"keys", "partitions"}) {
    for (const char* threads : {"1", "2", "5"}) {
      PartitionedBloomTree tree = make_tree({{"parallel", parallel}, {"threads", threads}});
      EXPECT_GE(tree.insert(0, keys).filters, cost.filters);
      EXPECT_EQ(tree.tree().save(), alone.tree().save()) << parallel;
      Matches out, counted, all;
      tree.query<false>(probes, out);
      EXPECT_EQ(sorted(out), sorted(wanted)) << parallel;
      tree.query<true>(probes, counted);
      EXPECT_EQ(sorted(counted), sorted(wanted)) << parallel;
      tree.query<false>(keys, all);
      EXPECT_EQ(all.size(), keys.size());
    }
  }
}

TEST(PartitionedBloomTree, HasTheRateOfItsLeaves) {
  const std::vector<Key> probes = random_keys(100000, 5);
  PartitionedBloomTree tree = make_tree({{"hashing", "independent"}}, {{"k", "6,3,2"}, {"m_levels", "4,3"}});
  tree.insert(0, random_keys(10000, 4));
  double mean = 0, variance = 0;
  for (double rate : tree.tree().posterior_rates(probes, 2)) {
    mean += rate;
    variance += rate * (1 - rate);
  }
  Matches out;
  tree.query<false>(probes, out);
  EXPECT_NEAR(static_cast<double>(out.size()), mean, 5 * std::sqrt(variance));
}

// Level 1 is rounded up to equal parts, and the key has a branch in each.
TEST(PartitionedBloomTree, PartsAreEqual) {
  PartitionedBloomTree tree = make_tree({}, {{"m", "1000"}, {"k", "7,2"}, {"m_levels", "4"}});
  EXPECT_EQ(tree.tree().size_in_bits(), 1001U * 5);
  const std::vector<Key> one = random_keys(1, 1);
  const std::vector<std::uint32_t> visits = tree.tree().keys_a_filter(1, one);
  for (std::size_t part = 0; part < 7; ++part) {
    EXPECT_EQ(std::count(visits.begin() + part * 143, visits.begin() + (part + 1) * 143, 1U), 1) << part;
  }
}

TEST(PartitionedBloomTree, RefusesWhatCannotBe) {
  expect_refused("partitioned_bloom_tree", {{"parallel", "keys"}, {"atomic", "false"}}, "atomic");
  expect_refused("partitioned_bloom_tree", {{"threads", "0"}}, "threads");
  expect_refused("partitioned_bloom_tree", {{"k", "x"}}, "k");
  expect_refused("partitioned_bloom_tree", {{"counters", "true"}}, "counters");
}

}  // namespace
}  // namespace bloomery::test
