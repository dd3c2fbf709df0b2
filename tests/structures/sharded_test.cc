// Sets spread over ranks: the answers of one rank, for any number of them, through every change, and clear words when a
// rank fails. Ranks are threads here; over MPI the program's tests run the same.
#include "structures/sharded.h"

#include <gtest/gtest.h>

#include <thread>

#include "structures/packed_matches.h"
#include "tests/structures/support.h"
#include "tests/structures/thread_ranks.h"

namespace bloomery::test {
namespace {

// Small filters, so that there are false positives to agree on.
std::unique_ptr<AnyStructure> sharded(const std::string& inner, ParamMap params = {}) {
  if (inner != "exact") params.insert({{"m", "512"}, {"k", "3"}, {"seed", "7"}});
  return make_structure("sharded/" + inner, Params(params));
}

const std::vector<Key> kPair = {1, 2};
const std::vector<std::string> kInners = {"exact", "naive", "bloofi", "flat_bloofi", "sliced_bloofi"};

std::vector<Key> asked(const KeyLists& sets) {
  std::vector<Key> keys;
  for (const auto& set : sets) keys.insert(keys.end(), set.begin(), set.end());
  for (Key miss = 0; miss < 300; ++miss) keys.push_back(mix64(miss + 1'000'000));
  return keys;
}

class ShardedTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ShardedTest, AnswersDoNotDependOnTheNumberOfRanks) {
  for (const std::size_t count : {1U, 2U, 63U, 64U, 65U, 200U}) {
    const KeyLists sets = make_sets(count, 4);
    const std::vector<Key> keys = asked(sets);
    const auto alone = sharded(GetParam());
    build(*alone, sets);
    const auto right = query(*alone, keys);
    for (const int ranks : {2, 3, 5}) {
      const ThreadRanks others(ranks);
      const auto spread = sharded(GetParam(), {{"piece", "100"}});
      build(*spread, sets, Executor(Backend::kTbb, 2));
      EXPECT_EQ(query(*spread, keys), right) << count << " sets, " << ranks << " ranks";
      EXPECT_EQ(spread->validate(), "");
      EXPECT_EQ(spread->traffic()->ranks, static_cast<std::uint64_t>(ranks));
      EXPECT_EQ(spread->traffic()->hosts, static_cast<std::uint64_t>(ranks));
      EXPECT_GT(spread->traffic()->bytes, keys.size() * sizeof(Key));
    }
  }
}

TEST_P(ShardedTest, SetsComeChangeAndGoOnTheirRanks) {
  const KeyLists sets = make_sets(70, 4), other = make_sets(90, 3);
  const std::vector<Key> keys = asked(other);
  std::vector<decltype(query(*sharded("exact"), keys))> answers;
  for (const int ranks : {1, 2, 4}) {
    const ThreadRanks others(ranks);
    const auto index = sharded(GetParam());
    build(*index, sets);
    for (SetId id = 70; id < 90; ++id) ASSERT_TRUE(index->insert(id, other[id]));
    for (SetId id = 0; id < 70; id += 3) ASSERT_TRUE(index->replace(id, other[id]));
    for (SetId id = 1; id < 90; id += 5) ASSERT_TRUE(index->erase(id));
    EXPECT_EQ(index->validate(), "");
    answers.push_back(query(*index, keys));
  }
  EXPECT_EQ(answers[1], answers[0]);
  EXPECT_EQ(answers[2], answers[0]);
}

INSTANTIATE_TEST_SUITE_P(Inners, ShardedTest, ::testing::ValuesIn(kInners),
                         [](const auto& name) { return name.param; });

TEST(Sharded, CountsAndFootprintAreTheSumOfItsParts) {
  const KeyLists sets = make_sets(64, 4);
  const std::vector<Key> keys = asked(sets);
  Matches out;
  const auto alone = sharded("naive");
  build(*alone, sets);
  const Cost cost = alone->query(keys, out);
  const ThreadRanks others(4);
  const auto spread = sharded("naive");
  build(*spread, sets);
  out.clear();
  EXPECT_EQ(spread->query(keys, out).bf_checks, cost.bf_checks);
  EXPECT_EQ(spread->footprint().nodes, alone->footprint().nodes);
  EXPECT_EQ(spread->footprint().storage_bytes, alone->footprint().storage_bytes);
}

TEST(Sharded, EmptyBatchesSetsAndIndexes) {
  const ThreadRanks others(3);
  const auto index = sharded("flat_bloofi");
  EXPECT_TRUE(query(*index, {}).empty());
  build(*index, {{}, {5}, {}});
  EXPECT_TRUE(query(*index, {}).empty());
  Matches out;
  index->query(std::vector<Key>{5}, out);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out.view()[0], (Match{0, 1}));
}

TEST(Sharded, UsesAsManyRanksAsItIsToldTo) {
  const ThreadRanks others(4);
  const auto two = sharded("exact", {{"ranks", "2"}});
  build(*two, make_sets(10, 2));
  EXPECT_EQ(two->traffic()->ranks, 2U);
  const auto five = sharded("exact", {{"ranks", "5"}});
  try {
    build(*five, make_sets(10, 2));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "ranks is 5, but there are 4; start the program with mpirun -n 5");
  }
}

TEST(Sharded, ThreadsTakeTurns) {
  const ThreadRanks others(3);
  const auto index = sharded("flat_bloofi");
  const KeyLists sets = make_sets(30, 4);
  build(*index, sets);
  const std::vector<Key> keys = asked(sets);
  const auto right = query(*index, keys);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&] { EXPECT_EQ(query(*index, keys), right); });
  for (std::thread& thread : threads) thread.join();
}

std::string said_by(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Sharded, LostRankIsNamedAndNothingIsAskedAfterwards) {
  ThreadRanks others(3);
  const auto index = sharded("exact", {{"timeout", "1"}});
  build(*index, make_sets(10, 2));
  others.silence(2);
  EXPECT_EQ(said_by([&] { query(*index, kPair); }), "rank 2 has not answered");
  const std::string later = "a rank was lost before; start the program again, with as many ranks as are left";
  EXPECT_EQ(said_by([&] { query(*index, kPair); }), later);
  EXPECT_EQ(said_by([&] { build(*sharded("exact"), make_sets(10, 2)); }), later);
}

// An index that has had enough of a key.
class Fragile {
 public:
  static constexpr bool kConcurrentInsert = false;
  explicit Fragile(Params&) {}
  Cost insert(SetId, Keys keys) {
    if (!keys.empty() && keys.front() == 13) throw std::runtime_error("13 is too much");
    return {};
  }
  template <bool>
  Cost query(Keys, Matches&) const {
    return {};
  }
  Footprint footprint() const { return {}; }
};

// What fails on a rank is told with its name, and the next structure gets answers of its own.
TEST(Sharded, FailureOnARankIsToldAndTheNextStructureWorks) {
  register_structure({"fragile", "fails at a key", true, false, make<Fragile>});
  const ThreadRanks others(3);
  {
    const auto index = make_structure("sharded/fragile", Params());
    EXPECT_EQ(said_by([&] { build(*index, {{1}, {13}, {2}}); }), "rank 1 on host1: 13 is too much");
    EXPECT_EQ(said_by([&] { index->insert(1, kPair); }), "it failed on another rank before");
  }
  const KeyLists sets = make_sets(20, 2);
  const auto next = sharded("exact");
  build(*next, sets);
  const auto alone = make_structure("exact", Params());
  build(*alone, sets);
  EXPECT_EQ(query(*next, asked(sets)), query(*alone, asked(sets)));
}

TEST(Sharded, TakesOnlyIndexesOfManySetsAndTheirParameters) {
  EXPECT_EQ(said_by([] { sharded("bloom"); }), "inner is 'bloom'; it must be an index of many sets in one process");
  EXPECT_EQ(said_by([] { sharded("sharded"); }), "inner is 'sharded'; it must be an index of many sets in one process");
  EXPECT_TRUE(said_by([] { sharded("blofi"); }).starts_with("unknown structure 'blofi'; did you mean 'bloofi'?"));
  EXPECT_TRUE(said_by([] { sharded("naive", {{"piece", "0"}}); }).starts_with("piece is 0; it must be 1 to "));
  EXPECT_NE(find_spec("sharded/bloofi", "d"), nullptr);
}

// --- how matches travel
// ------------------------------------------------------------------------------------------------

std::vector<Match> unpacked(const Message& packed, std::size_t keys) {
  Matches out;
  unpack_matches(packed, keys, 0, 1, 0, out);
  return {out.view().begin(), out.view().end()};
}

TEST(PackedMatches, ComeOutAsTheyWentIn) {
  std::mt19937_64 random(1);
  for (const std::size_t keys : {1U, 2U, 63U, 64U, 65U, 300U}) {
    for (const std::uint32_t sets : {1U, 2U, 63U, 64U, 65U, 5000U}) {
      for (const double share : {0.0, 0.001, 0.05, 0.2, 0.9, 1.0}) {
        std::vector<Match> matches;
        std::bernoulli_distribution hit(share);
        for (std::uint32_t i = 0; i < keys; ++i) {
          for (std::uint32_t set = 0; set < sets; ++set) {
            if (hit(random)) matches.push_back({i, set});
          }
        }
        Message packed;
        pack_matches(matches, keys, packed);
        ASSERT_EQ(unpacked(packed, keys), matches) << keys << " " << sets << " " << share;
        EXPECT_LE(packed.size(), keys * sets / 8 + 32) << "never more than a bit a key and set";
        // In any order, which need not be kept.
        std::ranges::shuffle(matches, random);
        Message shuffled;
        pack_matches(matches, keys, shuffled);
        std::vector<Match> back = unpacked(shuffled, keys);
        std::ranges::sort(back);
        std::ranges::sort(matches);
        ASSERT_EQ(back, matches);
      }
    }
  }
}

TEST(PackedMatches, FewAreSmall) {
  std::vector<Match> matches;
  for (std::uint32_t i = 0; i < 256; ++i) matches.push_back({i, i * 37 % 10'000});
  Message packed;
  pack_matches(matches, 256, packed);
  EXPECT_LT(packed.size(), 256 * 3 + 17);
}

TEST(PackedMatches, IdsAndPlacesAreThoseOfTheWhole) {
  Message packed;
  pack_matches(std::vector<Match>{{0, 5}, {1, 0}}, 2, packed);
  Matches out;
  unpack_matches(packed, 2, 100, 4, 3, out);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out.view()[0], (Match{100, 23}));
  EXPECT_EQ(out.view()[1], (Match{101, 3}));
}

// Bytes that are cut or changed give an error or other matches of the same batch, never a place outside of it.
TEST(PackedMatches, DamageIsRefused) {
  std::vector<Match> few = {{0, 5}, {3, 0}, {3, 9}}, many;
  for (std::uint32_t i = 0; i < 4; ++i) {
    for (std::uint32_t set = 0; set < 100; ++set) many.push_back({i, set});
  }
  for (const auto& matches : {few, many}) {
    Message packed;
    pack_matches(matches, 4, packed);
    for (std::size_t size = 0; size < packed.size(); ++size) {
      EXPECT_THROW(unpacked({packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size)}, 4), RankLost) << size;
    }
    for (std::size_t byte = 0; byte < packed.size(); ++byte) {
      for (int bit = 0; bit < 8; ++bit) {
        Message damaged = packed;
        damaged[byte] ^= static_cast<std::uint8_t>(1U << bit);
        try {
          for (const Match& match : unpacked(damaged, 4)) EXPECT_LT(match.index, 4U);
        } catch (const RankLost&) {
        }
      }
    }
  }
}

}  // namespace
}  // namespace bloomery::test
