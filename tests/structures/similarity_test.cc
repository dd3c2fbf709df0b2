// Distances between filters, the order made of them, and that the tree follows them.
#include "structures/similarity.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "structures/bloofi.h"
#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

using Bits = std::vector<bool>;

const std::vector<std::string> kMetrics = {"hamming", "jaccard", "cosine"};

Bits random_bits(std::size_t size, double density, std::mt19937_64& random) {
  std::bernoulli_distribution one(density);
  Bits bits(size);
  for (std::size_t i = 0; i < size; ++i) bits[i] = one(random);
  return bits;
}

std::vector<Word> pack(const Bits& bits) {
  std::vector<Word> words(words_for(bits.size()));
  for (std::size_t i = 0; i < bits.size(); ++i) words[i / 64] |= Word{bits[i]} << (i % 64);
  return words;
}

// As the paper defines them, bit by bit. Where a metric is 0 / 0: equal filters have Jaccard distance 0, and an empty
// filter points nowhere, so its cosine with anything is 0.
double brute_distance(const std::string& metric, const Bits& a, const Bits& b) {
  double differ = 0, both = 0, either = 0, ones_a = 0, ones_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    differ += a[i] != b[i];
    both += a[i] && b[i];
    either += a[i] || b[i];
    ones_a += a[i];
    ones_b += b[i];
  }
  if (metric == "hamming") return differ;
  if (metric == "jaccard") return either == 0 ? 0 : 1 - both / either;
  return ones_a == 0 || ones_b == 0 ? 1 : 1 - both / std::sqrt(ones_a * ones_b);
}

double fast_distance(const std::string& metric, const Bits& a, const Bits& b) {
  const std::vector<Word> x = pack(a), y = pack(b);
  return distance(parse_similarity(metric), count_ones(x.data(), x.size()), count_ones(y.data(), y.size()),
                  count_common(x.data(), y.data(), x.size()));
}

TEST(Similarity, DistancesAreThoseOfTheDefinition) {
  std::mt19937_64 random(1);
  for (const std::string& metric : kMetrics) {
    for (double density : {0.0, 0.01, 0.3, 1.0}) {
      for (std::size_t size : {1, 63, 64, 65, 500}) {
        const Bits a = random_bits(size, density, random), b = random_bits(size, 0.3, random), none(size);
        for (const auto& [x, y] : {std::pair{a, b}, {b, a}, {a, a}, {a, none}, {none, none}}) {
          EXPECT_DOUBLE_EQ(fast_distance(metric, x, y), brute_distance(metric, x, y)) << metric << " " << size;
        }
      }
    }
  }
}

TEST(Similarity, TheBoundIsNeverAboveTheDistance) {
  for (const std::string& name : kMetrics) {
    const Similarity metric = parse_similarity(name);
    for (std::uint64_t a = 0; a < 40; ++a) {
      for (std::uint64_t b = 0; b < 40; ++b) {
        for (std::uint64_t common = 0; common <= std::min(a, b); ++common) {
          ASSERT_LE(distance_bound(metric, a, b), distance(metric, a, b, common)) << name;
        }
        ASSERT_EQ(distance_bound(metric, a, b), distance(metric, a, b, std::min(a, b))) << name << ": not reached";
      }
    }
  }
}

// --- the order of a bulk construction --------------------------------------------------------------------------------

std::vector<std::uint32_t> brute_order(const std::vector<Bits>& filters, const std::string& metric) {
  std::vector<std::uint32_t> order;
  std::vector<bool> taken(filters.size());
  Bits current(filters.empty() ? 0 : filters[0].size());
  while (order.size() < filters.size()) {
    std::uint32_t best = 0;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::uint32_t f = 0; f < filters.size(); ++f) {
      // The production formula: ties must be ties in the same arithmetic.
      const double d = taken[f] ? nearest : fast_distance(metric, current, filters[f]);
      if (d < nearest) {
        nearest = d;
        best = f;
      }
    }
    taken[best] = true;
    order.push_back(best);
    current = filters[best];
  }
  return order;
}

std::vector<std::uint32_t> fast_order(const std::vector<Bits>& filters, const std::string& metric,
                                      const Executor& executor) {
  std::vector<std::vector<Word>> packed;
  for (const Bits& bits : filters) packed.push_back(pack(bits));
  std::vector<const Word*> pointers;
  for (const auto& words : packed) pointers.push_back(words.data());
  const std::size_t words = packed.empty() ? 0 : packed[0].size();
  return nearest_neighbour_order(pointers, words, parse_similarity(metric), executor);
}

TEST(NearestNeighbourOrder, IsThatOfTheDefinitionOnAnyNumberOfThreads) {
  std::vector<Executor> executors = parallel_executors(2);
  executors.emplace_back();
  std::mt19937_64 random(2);
  for (const std::string& metric : kMetrics) {
    for (std::size_t count : {0, 1, 2, 3, 10, 65}) {
      std::vector<Bits> filters;
      // Short and sparse as well as long: many ties, some filters equal and some empty.
      const std::size_t size = count % 2 == 0 ? 20 : 300;
      for (std::size_t f = 0; f < count; ++f) filters.push_back(random_bits(size, f % 7 == 6 ? 0 : 0.15, random));
      const auto wanted = brute_order(filters, metric);
      for (const Executor& executor : executors) {
        EXPECT_EQ(fast_order(filters, metric, executor), wanted)
            << metric << " " << count << " " << to_string(executor.backend()) << " " << executor.threads();
      }
    }
  }
}

// --- the tree
// ---------------------------------------------------------------------------------------------------------

using Groups = std::vector<std::vector<SetId>>;

// Index of the group of `before` whose sets the new set has joined.
std::size_t joined(const Groups& before, const Groups& after, SetId fresh) {
  for (const auto& group : after) {
    if (std::ranges::find(group, fresh) == group.end()) continue;
    for (std::size_t g = 0; g < before.size(); ++g) {
      if (std::ranges::find_first_of(before[g], group) != before[g].end()) return g;
    }
  }
  return before.size();
}

// Keys are bits (x mod m, one hash), so that a set is its filter.
std::vector<Key> keys_of(const Bits& bits) {
  std::vector<Key> keys;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) keys.push_back(i);
  }
  return keys;
}

Bits union_of(const std::vector<SetId>& group, const std::vector<Bits>& filters, std::size_t size) {
  Bits all(size);
  for (SetId id : group) {
    for (std::size_t i = 0; i < size; ++i) all[i] = all[i] || filters[id][i];
  }
  return all;
}

// Below the root, where the children are known from outside, a new filter always joins a nearest child.
TEST(BloofiPlacement, ANewFilterJoinsANearestChild) {
  constexpr std::size_t kSize = 100;
  for (const std::string& metric : kMetrics) {
    Params params({{"m", std::to_string(kSize)}, {"k", "1"}, {"hash", "modulo"}, {"d", "3"}, {"metric", metric}});
    Bloofi tree(params);
    std::mt19937_64 random(3);
    std::vector<Bits> filters;
    int judged = 0;
    for (SetId id = 0; id < 150; ++id) {
      filters.push_back(random_bits(kSize, id % 5 == 0 ? 0.2 : 0.03, random));
      const Groups before = tree.sets_below_root();
      const auto height = tree.footprint().height;
      tree.insert(id, keys_of(filters[id]));
      // With one level the root's children are the leaves; when the root splits, the groups are new.
      if (height < 2 || tree.footprint().height != height) continue;
      std::vector<double> distances;
      for (const auto& group : before) {
        distances.push_back(fast_distance(metric, union_of(group, filters, kSize), filters[id]));
      }
      const std::size_t group = joined(before, tree.sets_below_root(), id);
      ASSERT_LT(group, before.size());
      ASSERT_EQ(distances[group], std::ranges::min(distances)) << metric << ", set " << id;
      ++judged;
    }
    EXPECT_EQ(tree.validate(), "");
    EXPECT_GT(judged, 100);
  }
}

// Three equal filters that contain the new one, at a distance that their sizes alone give: still it may join any.
TEST(BloofiPlacement, TiesFallEvenly) {
  constexpr int kTrees = 900;
  const std::vector<Key> old = {0, 1}, fresh = {0};
  std::vector<double> joins(3);
  for (int tie_seed = 0; tie_seed < kTrees; ++tie_seed) {
    Params params({{"m", "64"}, {"k", "1"}, {"hash", "modulo"}, {"tie_seed", std::to_string(tie_seed)}});
    Bloofi tree(params);
    for (SetId id = 0; id < 3; ++id) tree.insert(id, old);
    tree.insert(3, fresh);
    const Groups leaves = tree.sets_below_root();  // the new one stands after the one that was chosen
    const auto place = std::ranges::find(leaves, std::vector<SetId>{3}) - leaves.begin();
    ASSERT_GT(place, 0);
    ++joins[static_cast<std::size_t>(place - 1)];
  }
  for (double join : joins) EXPECT_NEAR(join, kTrees / 3.0, 5 * std::sqrt(kTrees * 2 / 9.0));
}

}  // namespace
}  // namespace bloomery::test
