// The tree: the paper's worked examples, its bounds, and the rules by which it changes shape.
#include "structures/bloofi.h"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

using Groups = std::vector<std::vector<SetId>>;

Bloofi make_bloofi(ParamMap values) {
  Params params(std::move(values));
  Bloofi tree(params);
  params.expect_all_taken();
  return tree;
}

std::vector<SetId> sets_holding(const Bloofi& tree, Key key, Cost* cost = nullptr) {
  Matches out;
  const Cost counted = tree.query<true>(Keys(&key, 1), out);
  if (cost != nullptr) *cost = counted;
  std::vector<SetId> ids;
  for (const Match& match : sorted(out)) ids.push_back(match.set);
  return ids;
}

std::vector<SetId> all_sets(const Bloofi& tree) {
  std::vector<SetId> ids;
  for (const auto& group : tree.sets_below_root()) ids.insert(ids.end(), group.begin(), group.end());
  std::ranges::sort(ids);
  return ids;
}

Cost insert(Bloofi& tree, SetId id, std::vector<Key> keys) { return tree.insert(id, keys); }

Bloofi built(const ParamMap& params, const KeyLists& sets) {
  Bloofi tree = make_bloofi(params);
  const std::vector<Keys> spans(sets.begin(), sets.end());
  tree.build(spans, Executor());
  return tree;
}

// --- the worked examples, Figs. 1 to 4 -------------------------------------------------------------------------------

// The text says of Fig. 1: order 2; h(x) = x mod 8; node 7 is the OR of leaves 1 to 4 and does not match 4; node 8 is
// the OR of 5 = 00001000 and 6, which does not match 4; nodes 7 and 8 are both at distance 4 from 00100100. These
// leaves fit all of it, and in this order give that tree if ties fall right: node 7 is 11110000 and node 8 is 00001010.
const std::vector<std::pair<SetId, std::vector<Key>>> kFigureLeaves = {{1, {0, 1}}, {2, {1, 2}}, {3, {2, 3}},
                                                                       {5, {4}},    {6, {6}},    {4, {0, 3}}};

bool is_figure_1(const Bloofi& tree) {
  Groups groups = tree.sets_below_root();
  if (groups.size() != 2) return false;
  std::ranges::sort(groups[0]);
  return groups == Groups{{1, 2, 3, 4}, {5, 6}} || groups == Groups{{1, 2, 3, 4}, {6, 5}};
}

// Number `which` of the trees of the figure that differ in how later ties fall.
Bloofi figure_1(int which = 0) {
  for (int tie_seed = 0; tie_seed < 1000; ++tie_seed) {
    Bloofi tree =
        make_bloofi({{"hash", "modulo"}, {"k", "1"}, {"m", "8"}, {"d", "2"}, {"tie_seed", std::to_string(tie_seed)}});
    for (const auto& [id, keys] : kFigureLeaves) insert(tree, id, keys);
    if (is_figure_1(tree) && which-- == 0) return tree;
  }
  throw std::runtime_error("no order of ties gives the tree of Fig. 1");
}

TEST(BloofiFigures, SearchFor4Gives5) {
  const Bloofi tree = figure_1();
  EXPECT_EQ(tree.validate(), "");
  EXPECT_EQ(tree.footprint().nodes, 9U);
  EXPECT_EQ(tree.footprint().height, 2U);
  Cost cost;
  EXPECT_EQ(sets_holding(tree, 4, &cost), std::vector<SetId>{5});
  EXPECT_EQ(cost.bf_checks, 5U);  // the root, 7, 8, 5 and 6
  EXPECT_EQ(sets_holding(tree, 7, &cost), std::vector<SetId>{});
  EXPECT_EQ(cost.bf_checks, 1U);  // the root alone
}

// Nodes 7 and 8 are equally near; the paper follows the case that 7 is chosen.
TEST(BloofiFigures, InsertOf00100100SplitsNode7) {
  bool seven = false, eight = false;
  for (int which = 0; which < 20; ++which) {
    Bloofi tree = figure_1(which);
    const Cost cost = insert(tree, 9, {2, 5});
    ASSERT_EQ(tree.validate(), "");
    EXPECT_EQ(all_sets(tree), (std::vector<SetId>{1, 2, 3, 4, 5, 6, 9}));
    EXPECT_EQ(sets_holding(tree, 5), std::vector<SetId>{9});
    EXPECT_EQ(sets_holding(tree, 2), (std::vector<SetId>{2, 3, 9}));
    const Groups groups = tree.sets_below_root();
    (groups.size() == 3 ? seven : eight) = true;
    if (groups.size() == 3) {
      EXPECT_EQ(groups[0].size(), 3U);  // node 7 keeps d + 1 of its 2d + 1 children and gives d to its new sibling
      EXPECT_EQ(groups[1].size(), 2U);
      EXPECT_EQ(tree.footprint().nodes, 11U);
      EXPECT_EQ(cost.reshapes, 1U);
    } else {
      EXPECT_EQ(groups[1].size(), 3U);
      EXPECT_EQ(tree.footprint().nodes, 10U);
      EXPECT_EQ(cost.reshapes, 0U);
    }
  }
  EXPECT_TRUE(seven && eight) << "a tie always falls the same way";
}

TEST(BloofiFigures, DeleteOf5Redistributes) {
  Bloofi tree = figure_1();
  const std::vector<SetId> below_7 = tree.sets_below_root()[0];
  const Cost cost = tree.erase(5);
  EXPECT_EQ(tree.validate(), "");
  EXPECT_EQ(cost.reshapes, 1U);
  // Node 7 gives its last child, the neighbour of what is left in 8.
  EXPECT_EQ(tree.sets_below_root(), (Groups{{below_7[0], below_7[1], below_7[2]}, {below_7[3], 6}}));
  Cost search;
  EXPECT_EQ(sets_holding(tree, 4, &search), std::vector<SetId>{});
  EXPECT_EQ(search.bf_checks, 1U) << "the root still has the bit of the deleted leaf";
}

TEST(BloofiFigures, UpdateOf6With00000011ReachesTheRoot) {
  Bloofi by_keys = figure_1(), by_filter = figure_1();
  const Groups before = by_keys.sets_below_root();
  const Cost cost = insert(by_keys, 6, {6, 7});
  const std::vector<Word> filter = {Word{1} << 6 | Word{1} << 7};
  by_filter.insert_filter(6, filter);
  EXPECT_EQ(cost.nodes, 3U);  // 6, 8 and the root
  EXPECT_EQ(cost.reshapes, 0U);
  for (const Bloofi* tree : {&by_keys, &by_filter}) {
    EXPECT_EQ(tree->validate(), "");
    EXPECT_EQ(tree->sets_below_root(), before) << "an update is in place";
    Cost search;
    EXPECT_EQ(sets_holding(*tree, 7, &search), std::vector<SetId>{6});
    EXPECT_EQ(search.bf_checks, 5U);
    EXPECT_EQ(sets_holding(*tree, 6), std::vector<SetId>{6});
  }
}

// --- bounds ----------------------------------------------------------------------------------------------------------

// Sets of two keys in filters of thousands of bits: no node is ever full.
KeyLists sparse_sets(std::size_t count) {
  KeyLists sets(count);
  for (std::size_t i = 0; i < count; ++i) sets[i] = random_keys(2, i + 1);
  return sets;
}

// The root has at least 2 children and every other inner node d, so 2 d^(h-1) <= N. At d = 2 this is the paper's
// floor(log_d N); for larger d the paper forgets that the root may have fewer than d children.
std::size_t greatest_height(std::size_t sets, std::size_t d) {
  std::size_t height = 1;
  for (std::size_t least = 2 * d; least <= sets; least *= d) ++height;
  return height;
}

void expect_bounds(const Bloofi& tree, std::size_t sets, std::size_t d) {
  ASSERT_EQ(tree.validate(), "");
  const Footprint footprint = tree.footprint();
  EXPECT_LE(footprint.height, greatest_height(sets, d));
  if (d == 2) {
    EXPECT_LE(footprint.height, std::bit_width(sets) - 1U);
  }
  EXPECT_LE(footprint.nodes, sets + (sets - 1 + d - 2) / (d - 1));  // ceil(N + (N - 1) / (d - 1))
  EXPECT_EQ(footprint.storage_bytes, footprint.nodes * 4096 / 8);
}

TEST(BloofiBounds, HeightAndNodesHold) {
  for (const char* construction : {"iterative", "bulk", "packed"}) {
    for (const char* all_ones : {"true", "false"}) {
      for (std::size_t d = 2; d <= 8; ++d) {
        for (std::size_t count : {2, 3, 4, 5, 9, 16, 17, 64, 65, 200}) {
          SCOPED_TRACE(std::string(construction) + " d " + std::to_string(d) + " N " + std::to_string(count));
          Bloofi tree = built({{"m", "4096"},
                               {"k", "3"},
                               {"d", std::to_string(d)},
                               {"construction", construction},
                               {"all_ones", all_ones}},
                              sparse_sets(count));
          expect_bounds(tree, count, d);
          for (SetId id = 0; id + 2 < count; ++id) {
            tree.erase(id);
            expect_bounds(tree, count - id - 1, d);
          }
        }
      }
    }
  }
}

// --- the all-ones rule -----------------------------------------------------------------------------------------------

const std::vector<Key> kEveryBit = {0, 1, 2, 3, 4, 5, 6, 7};

Bloofi full_sets(const std::string& all_ones, const std::string& construction, std::size_t count) {
  return built({{"hash", "modulo"}, {"k", "1"}, {"m", "8"}, {"all_ones", all_ones}, {"construction", construction}},
               KeyLists(count, kEveryBit));
}

TEST(BloofiAllOnes, AFullNodeIsSplitOnlyWithoutTheRule) {
  for (const char* construction : {"iterative", "bulk", "packed"}) {
    const Bloofi with_rule = full_sets("true", construction, 30), without = full_sets("false", construction, 30);
    EXPECT_EQ(with_rule.validate(), "");
    EXPECT_EQ(with_rule.footprint().height, 1U);
    EXPECT_EQ(with_rule.footprint().nodes, 31U);
    EXPECT_EQ(without.validate(), "");
    EXPECT_GE(without.footprint().height, 3U);  // at most 2d = 4 children a node
    EXPECT_GE(without.footprint().nodes, 30U + 8 + 2 + 1);
    EXPECT_EQ(all_sets(with_rule), all_sets(without));
  }
}

TEST(BloofiAllOnes, ANodeThatIsNoLongerFullSplitsAgain) {
  Bloofi tree = full_sets("true", "iterative", 30);
  for (SetId id = 0; id < 29; ++id) {
    tree.erase(id);
    EXPECT_EQ(insert(tree, id, {id % 7}).reshapes, 0U);
    ASSERT_EQ(tree.validate(), "");
  }
  EXPECT_EQ(tree.footprint().height, 1U) << "set 29 still has every bit";
  tree.erase(29);  // with it goes bit 7
  const Cost cost = insert(tree, 29, {0});
  EXPECT_EQ(tree.validate(), "");
  EXPECT_GT(cost.reshapes, 0U);
  EXPECT_EQ(tree.footprint().height, 2U);
  EXPECT_EQ(sets_holding(tree, 0), (std::vector<SetId>{0, 7, 14, 21, 28, 29}));
}

// --- reshaping -------------------------------------------------------------------------------------------------------

TEST(BloofiReshapes, ErasingRedistributesThenMergesThenLowersTheTree) {
  Bloofi tree = figure_1();
  const std::vector<SetId> below_7 = tree.sets_below_root()[0];
  EXPECT_EQ(tree.erase(5).reshapes, 1U);  // redistributes: 3 and 2 children are left
  EXPECT_EQ(tree.erase(6).reshapes, 1U);  // again: 2 and 2
  ASSERT_EQ(tree.sets_below_root(), (Groups{{below_7[0], below_7[1]}, {below_7[2], below_7[3]}}));
  EXPECT_EQ(tree.erase(below_7[3]).reshapes, 2U);  // merges, and the root that is left with one child goes
  EXPECT_EQ(tree.validate(), "");
  EXPECT_EQ(tree.footprint().height, 1U);
  EXPECT_EQ(tree.sets_below_root(), (Groups{{below_7[0]}, {below_7[1]}, {below_7[2]}}));
}

TEST(BloofiReshapes, TheFirstNodeTakesFromItsRightSibling) {
  Bloofi tree = figure_1();
  const Groups before = tree.sets_below_root();
  for (int i = 0; i < 2; ++i) tree.erase(before[0][static_cast<std::size_t>(i)]);
  insert(tree, 7, {4});
  ASSERT_EQ(tree.sets_below_root()[1].size(), 3U);
  const std::vector<SetId> right = tree.sets_below_root()[1];
  EXPECT_EQ(tree.erase(before[0][2]).reshapes, 1U);
  EXPECT_EQ(tree.validate(), "");
  EXPECT_EQ(tree.sets_below_root(), (Groups{{before[0][3], right[0]}, {right[1], right[2]}}));
}

TEST(BloofiReshapes, SplitsAreCounted) {
  Bloofi tree = make_bloofi({{"m", "4096"}, {"k", "3"}});
  const KeyLists sets = sparse_sets(5);
  std::vector<std::uint64_t> reshapes;
  for (SetId id = 0; id < 5; ++id) reshapes.push_back(tree.insert(id, sets[id]).reshapes);
  EXPECT_EQ(reshapes, (std::vector<std::uint64_t>{0, 0, 0, 0, 1}));
  EXPECT_EQ(tree.footprint().height, 2U);
  EXPECT_EQ(tree.footprint().nodes, 8U);
}

// --- construction ----------------------------------------------------------------------------------------------------

TEST(BloofiConstruction, AllHoldTheSameSets) {
  for (std::size_t count : {1, 2, 4, 5, 63, 64, 65, 200}) {
    const KeyLists sets = make_sets(count, 9);
    const ParamMap shape = {{"m", "256"}, {"k", "3"}};
    const Bloofi iterative = built(shape, sets);
    std::vector<SetId> wanted(count);
    std::iota(wanted.begin(), wanted.end(), SetId{0});
    EXPECT_EQ(all_sets(iterative), wanted);
    for (const char* construction : {"bulk", "packed"}) {
      for (const char* sort : {"nearest", "near", "none"}) {
        SCOPED_TRACE(std::string(construction) + " " + sort + " " + std::to_string(count));
        const Bloofi tree = built(with({"bloofi", {{"construction", construction}, {"sort", sort}}}, shape).params, sets);
        EXPECT_EQ(tree.validate(), "");
        EXPECT_EQ(all_sets(tree), wanted);
        for (Key key : probes_for(sets)) ASSERT_EQ(sets_holding(tree, key), sets_holding(iterative, key));
      }
    }
  }
}

// Of N sets ceil(N / 2d) parents, of these again as many, until the rest fits below the root.
TEST(BloofiConstruction, PackedNodesAreAsFewAsCanBe) {
  for (std::size_t d : {2, 3, 8}) {
    for (std::size_t count : {1, 4, 5, 16, 17, 64, 65, 300}) {
      std::size_t nodes = count + 1;
      for (std::size_t level = count; level > 2 * d;) nodes += level = (level + 2 * d - 1) / (2 * d);
      const Bloofi tree = built({{"m", "4096"}, {"k", "3"}, {"d", std::to_string(d)}, {"construction", "packed"}},
                                sparse_sets(count));
      EXPECT_EQ(tree.footprint().nodes, nodes) << "d " << d << " N " << count;
    }
  }
}

TEST(BloofiConstruction, NothingAtAll) {
  for (const char* construction : {"iterative", "bulk", "packed"}) {
    const Bloofi tree = built({{"construction", construction}, {"m", "64"}, {"k", "1"}}, {});
    EXPECT_EQ(tree.validate(), "");
    EXPECT_EQ(tree.footprint().nodes, 0U);
  }
}

// Workers share the work, not the outcome.
TEST(BloofiConstruction, IsTheSameOnAnyNumberOfThreads) {
  const KeyLists sets = make_sets(200, 11);
  for (const char* construction : {"bulk", "packed"}) {
    for (const char* sort : {"nearest", "near"}) {
      const ParamMap values = {{"m", "512"}, {"k", "3"}, {"construction", construction}, {"sort", sort}};
      const Groups alone = built(values, sets).sets_below_root();
      for (const Executor& executor : parallel_executors(3)) {
        Bloofi tree = make_bloofi(values);
        const std::vector<Keys> views(sets.begin(), sets.end());
        tree.build(views, executor);
        EXPECT_EQ(tree.sets_below_root(), alone) << construction << " " << sort << " " << to_string(executor.backend());
      }
    }
  }
}

}  // namespace
}  // namespace bloomery::test
