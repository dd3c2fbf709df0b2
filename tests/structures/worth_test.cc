// What filters say that they are worth, against what is counted; and intersections through the one interface.
#include "structures/worth.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "structures/bloofi.h"
#include "structures/bloom.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

using Values = std::map<std::string, std::string>;

std::unique_ptr<AnyStructure> made(const std::string& name, Values values) {
  return make_structure(name, Params(std::move(values)));
}

std::vector<Key> keys_from(Key first, std::size_t count) {
  std::vector<Key> keys(count);
  std::iota(keys.begin(), keys.end(), first);
  return keys;
}

// The share of keys that are found in any set.
double found(const AnyStructure& structure, Keys keys) {
  Matches matches;
  structure.query(keys, matches);
  std::set<std::uint32_t> different;
  for (const Match& match : matches.view()) different.insert(match.index);
  return static_cast<double>(different.size()) / static_cast<double>(keys.size());
}

const std::vector<std::pair<std::string, Values>> kFilters = {
    {"bloom", {{"m", "60000"}, {"k", "4"}, {"hash", "double"}}},
    {"compressed_bloom", {{"m", "60000"}, {"k", "2"}}},
    {"bloom_tree", {{"n_exp", "10000"}, {"hashing", "independent"}}},
    {"partitioned_bloom_tree", {{"n_exp", "10000"}, {"hashing", "independent"}}},
};

TEST(Worth, ExpectedRateIsTheOneThatIsCountedAndSizesAreThoseOfTheFilter) {
  const std::vector<Key> keys = keys_from(0, 10000), absent = keys_from(1 << 20, 40000);
  for (const auto& [name, values] : kFilters) {
    const auto structure = made(name, values);
    structure->insert(0, keys);
    const Worth worth = structure->worth(absent).value();
    EXPECT_NEAR(worth.expected_rate, found(*structure, absent), 0.006) << name;
    EXPECT_GT(worth.geometric_rate, 0) << name;
    EXPECT_LE(worth.geometric_rate, worth.expected_rate * 1.000001) << name;
    EXPECT_GT(worth.sent_bits, 0U) << name;
    EXPECT_LE(worth.sent_bits, worth.array_bits + 256) << name;
    EXPECT_NEAR(static_cast<double>(worth.array_bits), 8.0 * static_cast<double>(structure->footprint().storage_bytes),
                64)
        << name;
  }
}

TEST(Worth, OfAnEmptyFilterIsThatItNeverErrsAndTakesNothing) {
  const std::vector<Key> absent = keys_from(1 << 20, 100);
  for (const auto& [name, values] : kFilters) {
    const Worth worth = made(name, values)->worth(absent).value();
    EXPECT_EQ(worth.expected_rate, 0) << name;
    EXPECT_EQ(worth.geometric_rate, 0) << name;
    EXPECT_EQ(worth.sent_bits, 0U) << name;
  }
}

TEST(Worth, OfAnIndexIsHowOftenAnySetIsNamed) {
  const std::vector<Key> keys = keys_from(0, 6400), absent = keys_from(1 << 20, 20000);
  std::vector<Keys> sets;
  for (std::size_t i = 0; i < 64; ++i) sets.push_back(Keys(keys).subspan(i * 100, 100));
  for (const auto& [name, values] :
       std::vector<std::pair<std::string, Values>>{{"bloofi", {{"m", "1000"}, {"k", "5"}, {"hash", "double"}}},
                                                   {"yoon_tree", {{"sets", "64"}, {"m", "1200"}, {"k", "1"}}}}) {
    const auto structure = made(name, values);
    structure->build(sets, Executor());
    const Worth worth = structure->worth(absent).value();
    EXPECT_NEAR(worth.expected_rate, found(*structure, absent), 0.03) << name;
    EXPECT_GT(worth.expected_rate, 0.1) << name;  // or nothing would be tested
    EXPECT_GT(worth.geometric_rate, 0) << name;
    EXPECT_LE(worth.sent_bits, worth.array_bits + 64 * 128) << name;
    EXPECT_NEAR(static_cast<double>(worth.array_bits), 8.0 * static_cast<double>(structure->footprint().storage_bytes),
                64.0 * static_cast<double>(structure->footprint().nodes))
        << name;
  }
}

TEST(Worth, IsSaidOnlyByWhatCanBeWeighed) { EXPECT_FALSE(made("blocked_bloom", {})->worth({}).has_value()); }

TEST(Intersection, KeepsTheKeysOfBothAndNeedsTheSameKindAndShape) {
  const std::vector<Key> both = keys_from(0, 3000), one = keys_from(1 << 20, 7000), other = keys_from(1 << 21, 7000);
  for (const auto& [name, values] : kFilters) {
    const auto first = made(name, values), second = made(name, values);
    for (Keys keys : {Keys(both), Keys(one)}) first->insert(0, keys);
    for (Keys keys : {Keys(both), Keys(other)}) second->insert(0, keys);
    ASSERT_TRUE(first->intersect_with(*second)) << name;
    EXPECT_EQ(found(*first, both), 1) << name;
    EXPECT_LT(found(*first, one), 0.5) << name;
    EXPECT_EQ(first->validate(), "") << name;
    Values elsewhere = values;
    elsewhere["seed"] = "77";
    EXPECT_THROW(first->intersect_with(*made(name, elsewhere)), ParamError) << name;
    EXPECT_FALSE(first->intersect_with(*made("exact", {}))) << name;
    EXPECT_EQ(found(*first, both), 1) << name;
  }
  EXPECT_FALSE(made("exact", {})->intersect_with(*made("exact", {})));
}

}  // namespace
}  // namespace bloomery
