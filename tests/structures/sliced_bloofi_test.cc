// Two levels must never answer otherwise than one: the upper level may only leave out what the leaves would deny, or,
// made of keys, what no set of a group holds.
#include <gtest/gtest.h>

#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

constexpr SetId kIds = 300;  // several groups of 64, and columns that empty and move from one group to another

const std::vector<ParamMap> kShapes = {
    {{"m", "40"}, {"k", "3"}, {"hash", "multiplicative"}, {"seed", "1"}},
    {{"m", "130"}, {"k", "4"}, {"hash", "double"}, {"seed", "3"}},
};

std::vector<Variant> variants() {
  std::vector<Variant> table;
  for (const char* from : {"filters", "keys"}) {
    for (const char* group : {"64", "128", "512"}) {
      for (const char* upper : {"always", "never", "auto"}) {
        table.push_back({"sliced_bloofi", {{"from", from}, {"group", group}, {"upper", upper}}});
      }
    }
    table.push_back({"sliced_bloofi", {{"from", from}, {"group", "64"}, {"upper", "always"}, {"grouping", "similar"}}});
  }
  return table;
}

class SlicedBloofiHistory : public ::testing::TestWithParam<Variant> {};

TEST_P(SlicedBloofiHistory, MatchesAreThoseOfTheFiltersOrFewer) {
  const bool same = GetParam().params.at("from") == "filters" || GetParam().params.at("upper") == "never";
  for (const ParamMap& shape : kShapes) {
    const Variant variant = with(GetParam(), shape);
    const auto structure = make_variant(variant);
    Model model(shape_of(variant));
    const std::vector<Key> universe = random_keys(300, 7);
    KeyLists sets(250);
    std::mt19937_64 random(3);
    for (auto& keys : sets) keys = {universe[random() % 300], universe[random() % 300]};
    build(*structure, sets);
    for (SetId id = 0; id < sets.size(); ++id) model.insert(id, sets[id]);
    std::size_t step = 0;
    for (const Operation& operation : HistoryMaker(5, kIds, universe).make(1, 200)) {
      SCOPED_TRACE("step " + std::to_string(step));
      ASSERT_NO_FATAL_FAILURE(apply(operation, *structure, model));
      if (++step % 16 != 0) continue;
      ASSERT_EQ(structure->validate(), "");
      const Keys keys = Keys(universe).first(70);
      const std::vector<Match> answer = query(*structure, keys), naive = model.filter_matches(keys);
      ASSERT_EQ(query_timed(*structure, keys), answer);
      ASSERT_TRUE(contains_all(answer, model.exact_matches(keys)));
      ASSERT_TRUE(same ? answer == naive : contains_all(naive, answer));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Structures, SlicedBloofiHistory, ::testing::ValuesIn(variants()), name_of_param);

// The reason for the second level: far fewer words are read, and as many matches found.
TEST(SlicedBloofi, TheUpperLevelSavesReading) {
  KeyLists sets(4000);
  for (SetId id = 0; id < sets.size(); ++id) sets[id] = random_keys(10, id);
  std::vector<Key> keys;
  for (const auto& set : sets) keys.push_back(set[0]);
  const ParamMap shape = {{"m", "6400"}, {"k", "7"}};
  const auto flat = make_variant(with({"flat_bloofi", {}}, shape));
  build(*flat, sets);
  Matches all;
  const std::uint64_t flat_words = flat->query(keys, all).words;
  for (const char* from : {"keys", "filters"}) {
    const auto sliced = make_variant(with({"sliced_bloofi", {{"from", from}}}, shape));
    build(*sliced, sets);
    Matches found;
    EXPECT_LT(sliced->query(keys, found).words * 2, flat_words) << from;
    EXPECT_EQ(sorted(found), sorted(all)) << from;
  }
}

// At design load every group has nearly all bits: the upper level must step aside by itself.
TEST(SlicedBloofi, AFullUpperLevelIsNotAsked) {
  KeyLists sets(1000);
  for (SetId id = 0; id < sets.size(); ++id) sets[id] = random_keys(100, id);
  const ParamMap shape = {{"m", "960"}, {"k", "7"}};
  const auto sliced = make_variant(with({"sliced_bloofi", {{"from", "filters"}}}, shape));
  const auto flat = make_variant(with({"flat_bloofi", {}}, shape));
  build(*sliced, sets);
  build(*flat, sets);
  Matches a, b;
  EXPECT_EQ(sliced->query(sets[0], a).words, flat->query(sets[0], b).words);
  EXPECT_EQ(sorted(a), sorted(b));
}

// A ready-made filter does not tell its keys; they must be found all the same.
TEST(SlicedBloofi, FindsKeysOfReadyMadeFilters) {
  const Variant variant = with({"sliced_bloofi", {{"upper", "always"}, {"group", "64"}}}, {{"m", "640"}, {"k", "5"}});
  const auto structure = make_variant(variant);
  const Model model(shape_of(variant));
  KeyLists sets(300);
  for (SetId id = 0; id < sets.size(); ++id) {
    sets[id] = random_keys(5, id);
    structure->insert_filter(id, model.filter_of(sets[id]));
  }
  const std::vector<Key> keys = probes_for(sets);
  EXPECT_TRUE(contains_all(query(*structure, keys), truth(sets, keys)));
}

}  // namespace
}  // namespace bloomery::test
