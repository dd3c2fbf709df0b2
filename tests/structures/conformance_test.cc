// What every structure must do, whatever it is: one table of variants, every test for each of them.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

// Small filters, so that false positives occur; given only to structures that take them.
const ParamMap kShape = {{"m", "1000"}, {"k", "5"}};

// Every registered structure as it comes, with each of its choices made otherwise, and some choices together.
std::vector<Variant> variants() {
  std::vector<Variant> table;
  for (const RegistryEntry& entry : registry()) {
    table.push_back({entry.name, {}});
    if (!entry.answers) continue;
    for (const auto& [name, value] : alternatives(entry.name)) table.push_back({entry.name, {{name, value}}});
  }
  for (const char* metric : {"jaccard", "cosine"}) {
    table.push_back({"bloofi", {{"construction", "bulk"}, {"metric", metric}}});
  }
  for (const char* order : {"2", "3", "4", "5", "6", "7", "8"}) {
    for (const char* construction : {"iterative", "bulk", "packed"}) {
      table.push_back({"bloofi", {{"construction", construction}, {"d", order}}});
    }
  }
  for (const char* construction : {"bulk", "packed"}) {
    table.push_back({"bloofi", {{"construction", construction}, {"all_ones", "false"}}});
    table.push_back({"bloofi", {{"construction", construction}, {"sort", "near"}}});
  }
  table.push_back({"flat_bloofi", {{"layout", "words"}, {"atomic", "false"}}});
  return table;
}

std::vector<Variant> keeping_variants() {
  std::vector<Variant> table = variants();
  std::erase_if(table, [](const Variant& variant) { return !find_structure(variant.structure).answers; });
  return table;
}

// What a structure cannot do has no cost.
void expect_counted(const std::optional<Cost>& cost, const char* operation) {
  if (!cost) return;
  EXPECT_GT(cost->filters, 0U) << operation;
  EXPECT_GT(cost->nodes, 0U) << operation;
}

class Conformance : public ::testing::TestWithParam<Variant> {
 protected:
  const RegistryEntry& entry() const { return find_structure(GetParam().structure); }
  Variant variant() const { return with(GetParam(), kShape); }
  std::unique_ptr<AnyStructure> make() const { return make_variant(variant()); }
  std::unique_ptr<AnyStructure> built(const KeyLists& sets, const Executor& executor = Executor()) const {
    auto structure = make();
    build(*structure, sets, executor);
    EXPECT_EQ(structure->validate(), "");
    return structure;
  }
  void for_each_count(const std::function<void(const KeyLists&)>& body,
                      const std::vector<std::size_t>& counts = {1, 2, 63, 64, 65, 200}) const {
    for (std::size_t count : counts) {
      if (count > 1 && !entry().many_sets) return;
      SCOPED_TRACE("N = " + std::to_string(count));
      body(make_sets(count, count));
      if (HasFatalFailure()) return;
    }
  }
};

// Structures that keep what they are given; the floors have nothing to count or to weigh.
class Keeping : public Conformance {};

TEST_P(Conformance, HasNoFalseNegatives) {
  for_each_count([&](const KeyLists& sets) {
    const std::vector<Key> keys = probes_for(sets);
    const std::vector<Match> answer = query(*built(sets), keys);
    if (entry().answers) {
      EXPECT_TRUE(contains_all(answer, truth(sets, keys)));
    } else {
      EXPECT_TRUE(answer.empty());
    }
    EXPECT_EQ(std::ranges::adjacent_find(answer), answer.end()) << "a match is reported twice";
  });
}

TEST_P(Conformance, EmptyAnswersNothing) {
  const std::vector<Key> keys = random_keys(100, 1);
  const auto untouched = make();
  EXPECT_TRUE(query(*untouched, keys).empty());
  EXPECT_TRUE(query(*untouched, {}).empty());
  EXPECT_EQ(untouched->validate(), "");
  untouched->footprint();
  const auto of_nothing = built({});
  EXPECT_TRUE(query(*of_nothing, keys).empty());
  of_nothing->erase(0);
  of_nothing->erase(1000);
  EXPECT_EQ(of_nothing->validate(), "");
  EXPECT_TRUE(query(*of_nothing, keys).empty());
}

TEST_P(Conformance, GoesOnAfterABuildOfNothing) {
  const auto structure = built({});
  const std::vector<Key> keys = random_keys(20, 2);
  structure->insert(0, keys);
  EXPECT_EQ(structure->validate(), "");
  if (!entry().answers) return;
  EXPECT_TRUE(contains_all(query(*structure, keys), truth({keys}, keys)));
}

TEST_P(Conformance, AnEmptyBatchHasNoAnswers) {
  for_each_count([&](const KeyLists& sets) { EXPECT_TRUE(query(*built(sets), {}).empty()); });
}

std::vector<Match> exact_of(const KeyLists& sets, const std::vector<Key>& keys) {
  Model model(shape_of({"naive", {{"m", "64"}, {"k", "1"}, {"hash", "double"}, {"seed", "1"}}}));
  for (SetId id = 0; id < sets.size(); ++id) model.insert(id, sets[id]);
  return model.exact_matches(keys);
}

TEST_P(Conformance, SetsWithoutKeysMatchNothingUntilTheyGetSome) {
  for_each_count([&](const KeyLists& sets) {
    const auto structure = built(KeyLists(sets.size()));
    const std::vector<Key> keys = probes_for(sets);
    EXPECT_TRUE(query(*structure, keys).empty());
    for (SetId id = 0; id < sets.size(); ++id) structure->insert(id, sets[id]);
    EXPECT_EQ(structure->validate(), "");
    const std::vector<Match> answer = query(*structure, keys);
    // Sliced Bloofi plans its groups by the keys of the build: other groups rule out other false matches.
    if (GetParam().structure == "sliced_bloofi") {
      EXPECT_TRUE(contains_all(answer, exact_of(sets, keys)));
    } else {
      EXPECT_EQ(answer, query(*built(sets), keys));
    }
  });
}

TEST_P(Conformance, ABatchEqualsItsKeysOneByOne) {
  for_each_count([&](const KeyLists& sets) {
    const auto structure = built(sets);
    std::vector<Key> keys = probes_for(sets);
    for (std::size_t i = 0; keys.size() < 1000; ++i) keys.push_back(keys[i]);
    for (std::size_t size : {1, 63, 64, 65, 1000}) {
      std::vector<Match> one_by_one;
      for (std::uint32_t i = 0; i < size; ++i) {
        for (const Match& match : query(*structure, Keys(keys).subspan(i, 1))) one_by_one.push_back({i, match.set});
      }
      EXPECT_EQ(query(*structure, Keys(keys).first(size)), one_by_one) << "a batch of " << size;
    }
  });
}

TEST_P(Conformance, TimedQueriesAnswerLikeCountedOnes) {
  for_each_count([&](const KeyLists& sets) {
    const auto structure = built(sets);
    const std::vector<Key> keys = probes_for(sets);
    EXPECT_EQ(query_timed(*structure, keys), query(*structure, keys));
  });
}

// A Matches is reused: answers are appended, and what an earlier batch left behind has no influence.
TEST_P(Conformance, QueriesAppend) {
  for_each_count([&](const KeyLists& sets) {
    const auto structure = built(sets);
    const std::vector<Key> keys = probes_for(sets);
    Matches out;
    structure->query(keys, out);
    const std::size_t first = out.size();
    structure->query(keys, out);
    EXPECT_EQ(out.size(), 2 * first);
    out.clear();
    structure->query(keys, out);
    EXPECT_EQ(sorted(out), query(*structure, keys));
  });
}

TEST_P(Keeping, CountsWhatQueriesTouch) {
  for_each_count([&](const KeyLists& sets) {
    const auto structure = built(sets);
    const std::vector<Key> keys = probes_for(sets);
    Matches out;
    const Cost cost = structure->query(keys, out);
    EXPECT_GE(cost.bf_checks, keys.size());
    EXPECT_GT(cost.words, 0U);
  });
}

TEST_P(Keeping, CountsWhatMaintenanceTouches) {
  for_each_count([&](const KeyLists& sets) {
    const auto structure = make();
    expect_counted(build(*structure, sets), "build");
    const std::vector<Key> keys = random_keys(10, 3);
    const std::vector<Word> filter = Model(shape_of(variant())).filter_of(keys);
    expect_counted(structure->insert(0, keys), "insert");
    expect_counted(structure->insert_filter(0, filter), "insert_filter");
    expect_counted(structure->replace(0, keys), "replace");
    if (!entry().many_sets) return;
    const auto fresh = static_cast<SetId>(sets.size());
    expect_counted(structure->insert(fresh, keys), "insert of a new set");
    expect_counted(structure->erase(fresh), "erase");
  });
}

TEST_P(Keeping, FootprintIsSane) {
  for_each_count([&](const KeyLists& sets) {
    const Footprint footprint = built(sets)->footprint();
    EXPECT_GT(footprint.nodes, 0U);
    EXPECT_GT(footprint.storage_bytes, 0U);
    // Filters smaller than a page that all have a bit set: every page of them has been touched.
    EXPECT_GE(footprint.memory_bytes, footprint.storage_bytes);
    EXPECT_LE(footprint.height, footprint.nodes);
    if (find_spec(GetParam().structure, "m") == nullptr) return;
    EXPECT_GE(footprint.nodes, sets.size());
    EXPECT_GE(footprint.storage_bytes, sets.size() * 1000 / 8);
  });
}

TEST_P(Conformance, ParallelBuildEqualsSerialBuild) {
  const auto compare = [&](const KeyLists& sets) {
    const std::vector<Key> keys = probes_for(sets);
    const auto serial = built(sets);
    for (const Executor& executor : parallel_executors(2)) {
      const auto parallel = built(sets, executor);
      EXPECT_EQ(query(*parallel, keys), query(*serial, keys)) << to_string(executor.backend());
      EXPECT_EQ(parallel->footprint().nodes, serial->footprint().nodes) << to_string(executor.backend());
    }
  };
  // Less than a chunk, and several of the largest; threads that wait for each other are slow on a busy machine.
  for_each_count(compare, {1, 65, 130});
}

TEST_P(Conformance, InsertsEqualABuild) {
  for_each_count([&](const KeyLists& sets) {
    const std::vector<Key> keys = probes_for(sets);
    const auto structure = make();
    for (SetId id = 0; id < sets.size(); ++id) {
      // In two parts: a set that exists is added to.
      if (!structure->insert(id, Keys(sets[id]).first(sets[id].size() / 2))) return;
      structure->insert(id, Keys(sets[id]).subspan(sets[id].size() / 2));
    }
    EXPECT_EQ(structure->validate(), "");
    EXPECT_EQ(query(*structure, keys), query(*built(sets), keys));
  });
}

TEST_P(Conformance, InsertOfAFilterEqualsInsertOfItsKeys) {
  const Variant chosen = variant();
  const ParamSpec* from = find_spec(chosen.structure, "from");
  const auto given = chosen.params.find("from");
  const std::string source = from == nullptr ? "filters" : given != chosen.params.end() ? given->second : from->default_value;
  for_each_count([&](const KeyLists& sets) {
    const std::vector<Key> keys = probes_for(sets);
    const Model model(shape_of(variant()));
    const auto structure = make();
    for (SetId id = 0; id < sets.size(); ++id) {
      const Keys all = sets[id];
      for (Keys part : {all.first(all.size() / 2), all.subspan(all.size() / 2)}) {
        if (!structure->insert_filter(id, model.filter_of(part))) return;
      }
    }
    EXPECT_EQ(structure->validate(), "");
    const std::vector<Match> of_filters = query(*structure, keys), of_keys = query(*built(sets), keys);
    EXPECT_TRUE(contains_all(of_filters, of_keys));
    // Only a structure that learns more from keys than their filter tells may give fewer answers for them.
    if (source == "filters") {
      EXPECT_EQ(of_filters, of_keys);
    }
  });
}

TEST_P(Conformance, AnErasedSetIsGoneAndTheOthersStay) {
  for_each_count([&](const KeyLists& sets) {
    const std::vector<Key> keys = probes_for(sets);
    const auto structure = built(sets);
    std::vector<Match> wanted = query(*structure, keys);
    for (SetId id = 0; id < sets.size(); id += 3) {
      if (!structure->erase(id)) return;
      structure->erase(id);  // the second time there is nothing to do
      EXPECT_EQ(structure->validate(), "");
    }
    std::erase_if(wanted, [](const Match& match) { return match.set % 3 == 0; });
    EXPECT_EQ(query(*structure, keys), wanted);
  });
}

TEST_P(Conformance, AReplacedSetHoldsTheNewKeysOnly) {
  for_each_count([&](const KeyLists& before) {
    KeyLists after = before;
    const KeyLists other = make_sets(before.size(), 77);
    const auto structure = built(before);
    for (SetId id = 0; id < before.size(); id += 2) {
      after[id] = other[id];
      if (!structure->replace(id, after[id])) return;
    }
    EXPECT_EQ(structure->validate(), "");
    std::vector<Key> keys = probes_for(before);
    const std::vector<Key> more = probes_for(after);
    keys.insert(keys.end(), more.begin(), more.end());
    EXPECT_EQ(query(*structure, keys), query(*built(after), keys));
  });
}

// Even the last set leaves a place whose links are read and written.
TEST(Registry, EveryStructureCountsTheEraseOfItsLastSet) {
  for (const RegistryEntry& entry : registry()) {
    const auto structure = make_variant(with({entry.name, {}}, kShape));
    build(*structure, make_sets(1, 1));
    const auto cost = structure->erase(0);
    if (!cost || !entry.answers) continue;
    EXPECT_GT(cost->nodes, 0U) << entry.name;
  }
}

// To say yes, a filter of the standard shape must have been read wherever the key has a bit.
TEST(Registry, EveryFilterCountsAllTheWordsOfAHit) {
  const std::vector<Key> key = {12345};
  for (const RegistryEntry& entry : registry()) {
    if (!entry.answers || find_spec(entry.name, "m") == nullptr || find_spec(entry.name, "hash") == nullptr) continue;
    const Variant variant = with({entry.name, {}}, {{"m", "100992"}, {"k", "7"}});
    const std::vector<Word> filter = Model(shape_of(variant)).filter_of(key);
    const auto structure = make_variant(variant);
    structure->insert(0, key);
    Matches out;
    const Cost cost = structure->query(key, out);
    ASSERT_EQ(out.size(), 1U);
    EXPECT_GE(cost.words, static_cast<std::size_t>(std::ranges::count_if(filter, std::identity{}))) << entry.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Structures, Conformance, ::testing::ValuesIn(variants()), name_of_param);
INSTANTIATE_TEST_SUITE_P(Structures, Keeping, ::testing::ValuesIn(keeping_variants()), name_of_param);

}  // namespace
}  // namespace bloomery::test
