// What the BloomTree paper says of its tree, word for word: where a filter lies (equation 6), which hash functions it
// has (equation 9), and the tree of Fig. 3 with the worked example of section 5.1.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "structures/bit_windows.h"
#include "structures/bloom_tree.h"
#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

TreeShape shape_of_tree(const ParamMap& params) {
  Params given(params);
  return TreeShape(given, false);
}

const std::vector<ParamMap> kShapes = {{{"m", "7"}, {"k", "3"}, {"d", "1"}},
                                       {{"m", "13"}, {"k", "6,3"}, {"m_levels", "4"}},
                                       {{"m", "10"}, {"k", "2,2,1"}, {"m_levels", "3,3"}},
                                       {{"m", "9"}, {"k", "6,3,2,2"}, {"m_levels", "5,3,7"}},
                                       {{"m", "3"}, {"k", "2,4,1,2"}, {"m_levels", "64,2,5"}}};

// Equation 6: filter b of level a starts after all the levels above and the b - 1 filters before it. So no two filters
// share a bit, and no bit is left over.
TEST(TreePaper, FiltersLieBreadthFirstAndDisjoint) {
  for (const ParamMap& params : kShapes) {
    const TreeShape shape = shape_of_tree(params);
    std::uint64_t next = 0, level_bits = 1;
    for (std::size_t level = 0; level < shape.depth(); ++level) {
      const TreeLevel& one = shape.levels[level];
      const std::uint64_t filters = level_bits;  // a filter below every bit of the level above
      level_bits *= one.m;
      ASSERT_EQ(shape.filters(level), filters);
      ASSERT_EQ(shape.bits(level), level_bits);
      for (std::uint64_t filter = 0; level > 0 && filter < filters; ++filter, next += one.m)
        ASSERT_EQ(shape.offset(level, filter / one.siblings, filter % one.siblings), next);
      if (level == 0) next = one.m;
    }
    EXPECT_EQ(next, shape.bits());
  }
}

// Equation 9: the hash functions of the filters are h1 + c h2 with coefficients c that no two filters share: those of
// level 1 are 1 to k_1, and each filter's follow those of the filter before it.
TEST(TreePaper, NoTwoFiltersShareACoefficient) {
  for (const ParamMap& params : kShapes) {
    const TreeShape shape = shape_of_tree(params);
    const DoubleHashes hashes(12345);
    const std::uint64_t start = hashes.draw(0, shape.levels[0], 0, 0);
    const std::uint64_t step = hashes.draw(0, shape.levels[0], 0, 1) - start;
    const std::uint64_t first = hashes.shared({.m = 2,
                                               .k = 1,
                                               .siblings = 1,
                                               .run = 2,
                                               .run_hashes = 1,
                                               .first_bit = 0,
                                               .first_filter = 0,
                                               .first_coefficient = 0},
                                              0);
    ASSERT_EQ(step % 2, 1U) << "multiples of an even step would meet";
    std::uint64_t c = shape.levels[0].k;
    for (std::uint64_t j = 0; j < c; ++j)
      EXPECT_EQ(hashes.branch(j, std::uint64_t{1} << 32), (first + (j + 1) * step) >> 32);
    for (std::size_t level = 1; level < shape.depth(); ++level) {
      const TreeLevel& one = shape.levels[level];
      for (std::uint64_t filter = 0; filter < shape.filters(level); ++filter) {
        const std::uint64_t shared = hashes.shared(one, filter / one.siblings);
        for (std::uint64_t i = 0; i < one.k; ++i)
          ASSERT_EQ(hashes.draw(shared, one, filter % one.siblings, i), first + ++c * step);
      }
    }
  }
}

TEST(TreePaper, IndependentHashesDifferInEveryFilter) {
  for (const ParamMap& params : kShapes) {
    const TreeShape shape = shape_of_tree(params);
    const IndependentHashes hashes(12345);
    std::set<std::uint64_t> draws;
    std::size_t drawn = 0;
    for (std::size_t level = 1; level < shape.depth(); ++level) {
      const TreeLevel& one = shape.levels[level];
      for (std::uint64_t filter = 0; filter < shape.filters(level); ++filter) {
        const std::uint64_t shared = hashes.shared(one, filter / one.siblings);
        for (std::uint64_t i = 0; i < one.k; ++i, ++drawn)
          draws.insert(hashes.draw(shared, one, filter % one.siblings, i));
      }
    }
    EXPECT_EQ(draws.size(), drawn);
  }
}

// --- Fig. 3 ----------------------------------------------------------------------------------------------------------

// Three levels with 2, 2 and 1 hash functions; five bits in the root, three in every other filter. The paper counts
// from 1; filter (x, y) of level 3 is below bit x of filter (y) of level 2. Offsets of level 2 and 3 are 5 and 20.
const ParamMap kFig3 = {{"m", "5"}, {"k", "2,2,1"}, {"m_levels", "3,3"}, {"hashing", "independent"}};
constexpr std::uint64_t kBits = 65;

std::uint64_t root_bit(std::uint64_t b) { return b - 1; }
std::uint64_t second_bit(std::uint64_t filter, std::uint64_t b) { return 5 + (filter - 1) * 3 + b - 1; }
std::uint64_t third_bit(std::uint64_t x, std::uint64_t y, std::uint64_t b) {
  return 20 + ((y - 1) * 3 + x - 1) * 3 + b - 1;
}

PackedShape packed_as(const TreeShape& shape) {
  PackedShape packed{.numbers = {kPackedTree, shape.independent, shape.seed, shape.part, shape.folds},
                     .stretch_bits = {}};
  for (std::size_t level = 0; level < shape.depth(); ++level) {
    packed.numbers.insert(packed.numbers.end(), {shape.levels[level].m, shape.levels[level].k});
    packed.stretch_bits.push_back(shape.bits(level));
  }
  return packed;
}

BloomTree empty_tree() {
  Params given(kFig3);
  return BloomTree(given);
}

std::set<std::uint64_t> bits_of(const BloomTree& tree) {
  const std::vector<Word> words = unpack_filter(packed_as(shape_of_tree(kFig3)), tree.save());
  std::set<std::uint64_t> bits;
  for (std::uint64_t p = 0; p < kBits; ++p) {
    if (test_bit(words.data(), p)) bits.insert(p);
  }
  return bits;
}

BloomTree tree_with(const std::set<std::uint64_t>& bits) {
  std::vector<Word> words(words_for(kBits));
  for (std::uint64_t p : bits) words[p / 64] |= Word{1} << (p % 64);
  BloomTree tree = empty_tree();
  tree.load(pack_filter(packed_as(shape_of_tree(kFig3)), words.data()));
  return tree;
}

std::set<std::uint64_t> bits_of_key(Key key) {
  BloomTree tree = empty_tree();
  tree.insert(0, std::vector<Key>{key});
  return bits_of(tree);
}

bool is_in(const BloomTree& tree, Key key) {
  Matches out;
  tree.query<false>(std::vector<Key>{key}, out);
  return out.size() == 1;
}

// A key that is hashed as the paper's y: bits 1 and 3 of the root, 1 and 3 of filter (1), 2 and 3 of filter (3); in the
// last level one bit of each of the filters (1, 1), (3, 1), (2, 3) and (3, 3).
Key paper_key() {
  const std::set<std::uint64_t> upper = {root_bit(1),      root_bit(3),      second_bit(1, 1),
                                         second_bit(1, 3), second_bit(3, 2), second_bit(3, 3)};
  for (Key key = 0;; ++key) {
    const std::set<std::uint64_t> bits = bits_of_key(key);
    if (std::set<std::uint64_t>(bits.begin(), bits.lower_bound(20)) == upper) return key;
  }
}

TEST(TreePaper, InsertGoesWhereFig3Says) {
  const std::set<std::uint64_t> bits = bits_of_key(paper_key());
  ASSERT_EQ(bits.size(), 2U + 4U + 4U);
  auto at = bits.lower_bound(20);
  for (const std::uint64_t filter : {third_bit(1, 1, 1), third_bit(3, 1, 1), third_bit(2, 3, 1), third_bit(3, 3, 1)}) {
    EXPECT_GE(*at, filter);
    EXPECT_LT(*at++, filter + 3);
  }
}

// Section 5.1: fills of 3/5 in the root, 2/3 and 3/3 in filters (1) and (3), 1/3 in each filter that y visits in the
// last level: 0.36 x (0.44 x 1) x 0.33^4, which the paper rounds to 0.0019.
TEST(TreePaper, TheWorkedExampleOfSection51) {
  const Key y = paper_key();
  std::set<std::uint64_t> bits = bits_of_key(y);
  // Another key that goes through bit 4 of the root fills it to 3/5; one that goes through (3) sets the bit it lacks.
  bits.insert({root_bit(4), second_bit(4, 1), second_bit(4, 2), second_bit(3, 1)});
  bits.insert({third_bit(1, 4, 2), third_bit(2, 4, 1), third_bit(1, 3, 3)});
  const BloomTree tree = tree_with(bits);
  EXPECT_EQ(tree.validate(), "");
  EXPECT_TRUE(is_in(tree, y));
  const std::vector<Key> keys = {y};
  EXPECT_NEAR(tree.posterior_rates(keys, 0)[0], 0.36, 1e-12);
  EXPECT_NEAR(tree.posterior_rates(keys, 1)[0], 4.0 / 9, 1e-12);
  EXPECT_NEAR(tree.posterior_rates(keys, 2)[0], 1.0 / 81, 1e-12);
  EXPECT_NEAR(tree.posterior_rates(keys)[0], 0.36 * (4.0 / 9) / 81, 1e-12);
  EXPECT_NEAR(tree.posterior_rates(keys)[0], 0.0019, 1e-4);
  EXPECT_NEAR(0.36 * 0.44 * 1 * std::pow(0.33, 4), 0.0019, 5e-5);
  // One filter that says no is enough.
  for (std::uint64_t gone : bits_of_key(y)) {
    if (gone < 20) continue;  // a bit further up would leave bits below it that hang from nothing
    std::set<std::uint64_t> fewer = bits;
    fewer.erase(gone);
    EXPECT_FALSE(is_in(tree_with(fewer), y)) << gone;
  }
}

}  // namespace
}  // namespace bloomery::test
