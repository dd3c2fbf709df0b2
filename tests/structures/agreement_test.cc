// With the same m, k, seed and hash, every index over Bloom filters gives the very same answers, whatever its history.
#include <gtest/gtest.h>

#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

constexpr SetId kIds = 90;

// So small that most answers are false positives, of every kind of hash, in whole and in broken words.
const std::vector<ParamMap> kShapes = {
    {{"m", "40"}, {"k", "3"}, {"hash", "multiplicative"}, {"seed", "1"}},
    {{"m", "64"}, {"k", "2"}, {"hash", "double"}, {"seed", "2"}},
    {{"m", "130"}, {"k", "4"}, {"hash", "multiplicative"}, {"seed", "3"}},
    {{"m", "16"}, {"k", "1"}, {"hash", "modulo"}, {"seed", "4"}},
};

// Each index as it comes and with each of its choices made otherwise; of the tree, those that shape it in every way.
std::vector<Variant> variants() {
  std::vector<Variant> table;
  for (const char* structure : {"naive", "bloofi", "flat_bloofi"}) {
    table.push_back({structure, {}});
    for (const auto& [name, value] : alternatives(structure)) {
      if (name != "hash") table.push_back({structure, {{name, value}}});  // the shapes set it
    }
  }
  for (const char* construction : {"iterative", "bulk", "packed"}) {
    for (const char* metric : {"hamming", "jaccard", "cosine"}) {
      for (const char* all_ones : {"true", "false"}) {
        for (const char* order : {"2", "3", "4", "5", "6", "7", "8"}) {
          table.push_back(
              {"bloofi", {{"construction", construction}, {"metric", metric}, {"all_ones", all_ones}, {"d", order}}});
        }
      }
    }
  }
  return table;
}

class Agreement : public ::testing::TestWithParam<Variant> {};

// Built of some sets first, because that is where constructions differ.
void start(AnyStructure& structure, Model& model, std::size_t count, std::uint64_t seed,
           const std::vector<Key>& universe) {
  std::mt19937_64 random(seed);
  KeyLists sets(count);
  for (auto& keys : sets) {
    for (std::size_t left = random() % 6; left > 0; --left) keys.push_back(universe[random() % universe.size()]);
  }
  build(structure, sets);
  for (SetId id = 0; id < count; ++id) model.insert(id, sets[id]);
}

// Runs a history, calling check(keys, expensive) after every step; expensive every few.
template <class Check>
void run_history(AnyStructure& structure, Model& model, std::uint64_t seed, const Check& check) {
  const std::vector<Key> universe = random_keys(300, seed);
  start(structure, model, seed * 23 % kIds, seed, universe);
  std::size_t step = 0;
  for (const Operation& operation : HistoryMaker(seed, kIds, universe).make(2, 100)) {
    SCOPED_TRACE("step " + std::to_string(step));
    ASSERT_NO_FATAL_FAILURE(apply(operation, structure, model));
    ASSERT_EQ(structure.validate(), "");
    if (++step % 8 != 0 && !model.ids().empty()) continue;
    ASSERT_NO_FATAL_FAILURE(check(Keys(universe).first(64)));
  }
  check(universe);
}

TEST_P(Agreement, MatchesAreThoseOfTheFilters) {
  for (std::uint64_t seed = 1; seed <= kShapes.size(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Variant variant = with(GetParam(), kShapes[seed - 1]);
    const auto structure = make_variant(variant);
    Model model(shape_of(variant));
    std::size_t false_positives = 0;
    ASSERT_NO_FATAL_FAILURE(run_history(*structure, model, seed, [&](Keys keys) {
      const std::vector<Match> answer = query(*structure, keys), exact = model.exact_matches(keys);
      ASSERT_EQ(answer, model.filter_matches(keys));
      ASSERT_EQ(query_timed(*structure, keys), answer);
      ASSERT_TRUE(contains_all(answer, exact));
      false_positives += answer.size() - exact.size();
    }));
    EXPECT_GT(false_positives, 1000U) << "the filters are too large to tell structures apart";
  }
}

INSTANTIATE_TEST_SUITE_P(Structures, Agreement, ::testing::ValuesIn(variants()), name_of_param);

// The truth that everything else is verified against has no false positives either.
TEST(ExactAgreement, MatchesAreThoseOfTheSets) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto structure = make_variant({"exact", {}});
    Model model(shape_of({"naive", kShapes[0]}));
    ASSERT_NO_FATAL_FAILURE(run_history(
        *structure, model, seed, [&](Keys keys) { ASSERT_EQ(query(*structure, keys), model.exact_matches(keys)); }));
  }
}

// A plain filter is the case of one set.
TEST(BloomAgreement, MatchesAreThoseOfANaiveListOfOne) {
  for (const ParamMap& shape : kShapes) {
    const auto bloom = make_variant({"bloom", shape}), naive = make_variant({"naive", shape});
    const std::vector<Key> universe = random_keys(500, 5);
    for (std::size_t begin = 0; begin < 30; begin += 3) {
      const Keys keys = Keys(universe).subspan(begin, 3);
      for (AnyStructure* structure : {bloom.get(), naive.get()}) {
        if (begin % 2 == 0) {
          structure->insert(0, keys);
        } else {
          structure->replace(0, keys);
        }
      }
      EXPECT_EQ(query(*bloom, universe), query(*naive, universe));
    }
  }
}

}  // namespace
}  // namespace bloomery::test
