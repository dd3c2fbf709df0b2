#include "experiments/stats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "experiments/ratios.h"

namespace bloomery {
namespace {

TEST(Summarize, MedianIsTheMiddleOrBetweenTheMiddleTwo) {
  EXPECT_EQ(summarize({9, 1, 5}).median, 5);
  EXPECT_EQ(summarize({9, 1, 5, 6}).median, 5.5);
  EXPECT_EQ(summarize({2, 1}).median, 1.5);
  EXPECT_EQ(summarize({9, 1, 5, 6}).count, 4);
}

TEST(Summarize, OneOrEqualValuesHaveNoWidth) {
  for (const std::vector<double>& values : {std::vector<double>{7}, std::vector<double>{7, 7, 7, 7}}) {
    const Summary summary = summarize(values);
    EXPECT_EQ(summary.median, 7);
    EXPECT_EQ(summary.low, 7);
    EXPECT_EQ(summary.high, 7);
  }
}

TEST(Summarize, NothingCannotBeSummarized) { EXPECT_THROW(summarize({}), std::invalid_argument); }

TEST(Summarize, OutlierMovesTheMedianLittle) { EXPECT_EQ(summarize({1, 2, 3, 4, 1e9}).median, 3); }

// From order statistics, the exact interval is 40 to 60.
TEST(Summarize, IntervalIsThatOfTheMedian) {
  std::vector<double> values(101);
  std::iota(values.begin(), values.end(), 0.0);
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.median, 50);
  EXPECT_NEAR(summary.low, 40, 3);
  EXPECT_NEAR(summary.high, 60, 3);
}

TEST(Summarize, IntervalHoldsTheMedianAndLiesInTheData) {
  std::mt19937_64 random(1);
  for (std::size_t size = 1; size <= 40; ++size) {
    std::vector<double> values(size);
    for (double& value : values) value = static_cast<double>(random() % 1000);
    const Summary summary = summarize(values);
    EXPECT_LE(std::ranges::min(values), summary.low);
    EXPECT_LE(summary.low, summary.median);
    EXPECT_LE(summary.median, summary.high);
    EXPECT_LE(summary.high, std::ranges::max(values));
  }
}

TEST(Summarize, SameValuesInAnyOrderGiveTheSame) {
  const Summary one = summarize({1, 2, 3, 4, 9});
  const Summary other = summarize({9, 4, 1, 3, 2});
  EXPECT_EQ(one.median, other.median);
  EXPECT_EQ(one.low, other.low);
  EXPECT_EQ(one.high, other.high);
}

TEST(RatioOfMedians, IsThatOfTheSecondOverTheFirst) {
  const Summary ratio = ratio_of_medians({10, 11, 12, 9, 8}, {20, 21, 22, 19, 18});
  EXPECT_EQ(ratio.median, 2);
  EXPECT_LT(ratio.low, 2);
  EXPECT_GT(ratio.high, 2);
  EXPECT_GE(ratio.low, 18.0 / 12);
  EXPECT_LE(ratio.high, 22.0 / 8);
  EXPECT_THROW(ratio_of_medians({}, {1}), std::invalid_argument);
}

// Values that agree within their groups say no more than one value a group.
TEST(SummarizeGroups, DrawsGroupsAndNotOnlyValues) {
  std::vector<std::vector<double>> groups;
  std::vector<double> all;
  for (int group = 0; group < 9; ++group) {
    groups.emplace_back(100, group);
    all.insert(all.end(), 100, group);
  }
  const Summary grouped = summarize_groups(groups), flat = summarize(all);
  EXPECT_EQ(grouped.median, 4);
  EXPECT_EQ(grouped.median, flat.median);
  EXPECT_EQ(grouped.count, 900);
  EXPECT_LE(flat.high - flat.low, 1);
  EXPECT_GE(grouped.high - grouped.low, 2);
  EXPECT_THROW(summarize_groups({}), std::invalid_argument);
}

// Wilson's score, against values from tables.
TEST(Shares, HaveWilsonsInterval) {
  const Summary half = share_of(Trials{5, 10}), none = share_of(Trials{0, 10}), all = share_of(Trials{10, 10});
  EXPECT_DOUBLE_EQ(half.median, 0.5);
  EXPECT_NEAR(half.low, 0.2366, 1e-4);
  EXPECT_NEAR(half.high, 0.7634, 1e-4);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.2775, 1e-4);
  EXPECT_NEAR(all.low, 1 - 0.2775, 1e-4);
  EXPECT_EQ(all.high, 1);
  EXPECT_THROW(share_of(Trials{0, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace bloomery
