// The cost model against what searches really read.
#include "structures/sliced_model.h"

#include <gtest/gtest.h>

#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

constexpr std::uint64_t kBits = 10112, kHashes = 7, kKeys = 10;

double lines_of(const AnyStructure& structure, const std::vector<Key>& keys) {
  Matches out;
  return static_cast<double>(structure.query(keys, out).lines) / static_cast<double>(keys.size());
}

TEST(SlicedModel, LinesAreThoseThatASearchReads) {
  KeyLists sets(3000);
  Key next = 0;
  for (auto& keys : sets) {
    for (std::size_t i = 0; i < kKeys; ++i) keys.push_back(next++);
  }
  std::vector<Key> hits, misses;
  for (Key i = 0; i < 2000; ++i) {
    hits.push_back(i * 7919 % next);
    misses.push_back(next + i);
  }
  for (const std::uint64_t group : {64U, 256U, 512U}) {
    SCOPED_TRACE(group);
    const Variant variant = {"sliced_bloofi", {{"m", std::to_string(kBits)}, {"k", std::to_string(kHashes)}, {"hash", "double"},
                                               {"group", std::to_string(group)}, {"upper", "always"}}};
    const auto structure = make_variant(variant);
    build(*structure, sets);
    const double words = static_cast<double>(group) / 64;
    for (const bool hit : {true, false}) {
      const SlicedLoad load = {3000, kKeys, kBits, kHashes, hit ? 1.0 : 0.0};
      const double expected = sliced_search(load, {words, true, 4, words}).lines;
      EXPECT_NEAR(lines_of(*structure, hit ? hits : misses), expected, 0.1 * expected) << (hit ? "hits" : "misses");
    }
  }
}

TEST(SlicedModel, NothingIsReadOfFullFiltersTwice) {
  const SlicedLoad full = {1000, 1e9, 1000, 7, 0};
  EXPECT_GT(sliced_search(full, {1, false, 0, 1}).lines, flat_search(full).lines) << "an upper level that rules out nothing";
  const SlicedLoad empty = {1000, 0, 1000, 7, 0};
  EXPECT_LT(sliced_search(empty, {1, false, 0, 1}).words, flat_search(empty).words);
}

}  // namespace
}  // namespace bloomery::test
