// Slots and columns of the bit-sliced index: reuse, compaction, growth. Erasing whole words of 64 sets is where such an
// index goes wrong.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

// A structure and the model, changed together and compared whenever asked.
class Pair {
 public:
  explicit Pair(const std::string& layout)
      : variant_{"flat_bloofi", {{"layout", layout}, {"m", "90"}, {"k", "3"}}},
        structure_(make_variant(variant_)),
        model_(shape_of(variant_)) {}

  void build_of(std::size_t count) {
    const KeyLists sets = make_sets(count, count);
    build(*structure_, sets);
    for (SetId id = 0; id < count; ++id) model_.insert(id, sets[id]);
  }
  Cost insert(SetId id) {
    const std::vector<Key> keys = random_keys(5, id + 1000);
    model_.insert(id, keys);
    return *structure_->insert(id, keys);
  }
  Cost erase(SetId id) {
    model_.erase(id);
    return *structure_->erase(id);
  }
  std::uint64_t columns() const { return structure_->footprint().nodes / 64; }
  std::uint64_t storage() const { return structure_->footprint().storage_bytes; }

  void expect_agreement() const {
    ASSERT_EQ(structure_->validate(), "");
    const std::vector<Key> keys = random_keys(150, 8);  // most are matched by many of the small filters
    ASSERT_EQ(query(*structure_, keys), model_.filter_matches(keys));
  }

 private:
  Variant variant_;
  std::unique_ptr<AnyStructure> structure_;
  Model model_;
};

class FlatBloofiLayout : public ::testing::TestWithParam<std::string> {};

TEST_P(FlatBloofiLayout, ReusesAFreedSlot) {
  for (SetId erased : {0, 31, 63, 64, 99}) {
    Pair pair(GetParam());
    pair.build_of(100);
    const std::uint64_t storage = pair.storage();
    EXPECT_EQ(pair.erase(erased).reshapes, 0U);
    pair.expect_agreement();
    pair.insert(100);  // must not inherit the bits of its predecessor
    pair.expect_agreement();
    EXPECT_EQ(pair.storage(), storage);
  }
}

TEST_P(FlatBloofiLayout, FillsEveryFreeSlotBeforeItGrows) {
  Pair pair(GetParam());
  pair.build_of(128);
  for (SetId id = 1; id < 128; id += 2) pair.erase(id);
  EXPECT_EQ(pair.columns(), 2U);
  for (SetId id = 200; id < 264; ++id) pair.insert(id);
  EXPECT_EQ(pair.columns(), 2U);
  pair.expect_agreement();
  pair.insert(264);
  EXPECT_EQ(pair.columns(), 3U);
  pair.expect_agreement();
}

// Erases the sets of one word, in an order of its own; the last of them takes the column along.
void erase_word(Pair& pair, std::size_t count, std::size_t word, std::uint64_t seed) {
  std::vector<SetId> ids(std::min<std::size_t>(64, count - word * 64));
  std::iota(ids.begin(), ids.end(), static_cast<SetId>(word * 64));
  std::mt19937_64 random(seed);
  std::ranges::shuffle(ids, random);
  const std::uint64_t columns = pair.columns(), storage = pair.storage();
  for (SetId id : ids) {
    const Cost cost = pair.erase(id);
    ASSERT_EQ(cost.reshapes, id == ids.back() ? 1U : 0U);
    if (id != ids[ids.size() / 2]) continue;
    ASSERT_NO_FATAL_FAILURE(pair.expect_agreement());
  }
  ASSERT_EQ(pair.columns(), columns - 1);
  ASSERT_EQ(pair.storage(), storage / columns * (columns - 1)) << "storage goes down by what a column takes";
  ASSERT_NO_FATAL_FAILURE(pair.expect_agreement());
}

TEST_P(FlatBloofiLayout, CompactsWhenAWholeWordIsErased) {
  for (std::size_t count : {64, 65, 128, 129, 200}) {
    for (std::size_t word = 0; word < words_for(count); ++word) {
      SCOPED_TRACE("N " + std::to_string(count) + ", word " + std::to_string(word));
      Pair pair(GetParam());
      pair.build_of(count);
      ASSERT_NO_FATAL_FAILURE(erase_word(pair, count, word, word));
      // The moved sets can be found to be changed and erased, and a new column has no bits of the old one.
      for (SetId id = 0; id < count; id += 5) pair.insert(id);
      ASSERT_NO_FATAL_FAILURE(pair.expect_agreement());
      for (SetId id = 300; id < 370; ++id) pair.insert(id);
      ASSERT_NO_FATAL_FAILURE(pair.expect_agreement());
      for (SetId id = 0; id < count; id += 10) pair.erase(id);
      ASSERT_NO_FATAL_FAILURE(pair.expect_agreement());
    }
  }
}

TEST_P(FlatBloofiLayout, CompactsWordAfterWordInAnyOrder) {
  for (std::size_t count : {128, 129, 200}) {
    std::vector<std::size_t> order(words_for(count));
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      Pair pair(GetParam());
      pair.build_of(count);
      for (std::size_t word : order) ASSERT_NO_FATAL_FAILURE(erase_word(pair, count, word, word));
      EXPECT_EQ(pair.storage(), 0U);
      for (SetId id = 0; id < 130; ++id) pair.insert(id);
      ASSERT_NO_FATAL_FAILURE(pair.expect_agreement());
      EXPECT_EQ(pair.columns(), 3U);
    } while (std::ranges::next_permutation(order).found);
  }
}

// The worst case of this compaction: one set left in each word.
TEST_P(FlatBloofiLayout, KeepsAColumnForASingleSet) {
  Pair pair(GetParam());
  pair.build_of(200);
  for (SetId id = 0; id < 200; ++id) {
    if (id % 64 != 7) pair.erase(id);
  }
  EXPECT_EQ(pair.columns(), 4U);
  pair.expect_agreement();
  for (SetId id : {71, 199, 7, 135}) {  // of columns 1, 3, 0 and 2
    EXPECT_EQ(pair.erase(id).reshapes, 1U);
    pair.expect_agreement();
  }
  EXPECT_EQ(pair.columns(), 0U);
}

// From one word a row to several cache lines a row, one set at a time, and back.
TEST_P(FlatBloofiLayout, GrowsAndShrinksThroughEveryWidth) {
  constexpr SetId kSets = 64 * 17 + 1;
  Pair pair(GetParam());
  for (SetId id = 0; id < kSets; ++id) {
    pair.insert(id);
    if (id % 64 > 1) continue;
    ASSERT_NO_FATAL_FAILURE(pair.expect_agreement()) << id;
  }
  EXPECT_EQ(pair.columns(), 18U);
  for (SetId id = 0; id < kSets; ++id) {
    pair.erase(id * 64 % kSets);  // 64 and 1089 have no common factor: every set once, across the columns
    if (id % 100 != 0) continue;
    ASSERT_NO_FATAL_FAILURE(pair.expect_agreement()) << id;
  }
  EXPECT_EQ(pair.columns(), 0U);
  pair.insert(3);
  pair.expect_agreement();
}

TEST_P(FlatBloofiLayout, TakesLargeSparseIds) {
  Pair pair(GetParam());
  const std::vector<SetId> ids = {2000000, 5, 70000, 1, 1999999, 64, 1 << 20};
  for (SetId id : ids) pair.insert(id);
  EXPECT_EQ(pair.columns(), 1U) << "ids are not slots";
  pair.expect_agreement();
  pair.erase(70000);
  pair.erase(3000000);  // never seen
  pair.erase(6);
  pair.expect_agreement();
  for (SetId id = 500000; id < 500070; ++id) pair.insert(id);
  EXPECT_EQ(pair.columns(), 2U);
  pair.expect_agreement();
}

INSTANTIATE_TEST_SUITE_P(Layouts, FlatBloofiLayout, ::testing::Values("words", "rows"),
                         [](const auto& layout) { return layout.param; });

// Storage is the paper's: filters rounded up to 64.
TEST(FlatBloofiFootprint, RoundsTheFiltersUpTo64) {
  for (const char* layout : {"words", "rows"}) {
    for (std::size_t count : {1, 63, 64, 65, 200}) {
      const auto structure = make_variant({"flat_bloofi", {{"layout", layout}, {"m", "128"}, {"k", "3"}}});
      build(*structure, make_sets(count, 1));
      EXPECT_EQ(structure->footprint().nodes, words_for(count) * 64);
      EXPECT_EQ(structure->footprint().storage_bytes, words_for(count) * 64 * 128 / 8);
    }
  }
}

}  // namespace
}  // namespace bloomery::test
