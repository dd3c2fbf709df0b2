// The order that looks less far than the exact one: still an order, still of neighbours.
#include "structures/similarity_order.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

constexpr std::size_t kWords = 32;
using Filters = std::vector<std::vector<Word>>;

Filters random_filters(std::size_t count, std::size_t ones, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Filters filters(count, std::vector<Word>(kWords));
  for (auto& filter : filters) {
    for (std::size_t i = 0; i < ones; ++i) SerialBits::set(filter.data(), random() % (kWords * 64));
  }
  return filters;
}

std::vector<const Word*> pointers_to(const Filters& filters) {
  std::vector<const Word*> pointers;
  for (const auto& filter : filters) pointers.push_back(filter.data());
  return pointers;
}

using Order = std::vector<std::uint32_t>;

Order near(const Filters& filters, const std::string& metric = "hamming", const Executor& executor = Executor()) {
  return near_order(pointers_to(filters), kWords, parse_similarity(metric), executor);
}

void expect_each_once(Order order, std::size_t count) {
  Order all(count);
  std::iota(all.begin(), all.end(), 0U);
  std::ranges::sort(order);
  EXPECT_EQ(order, all);
}

TEST(NearOrder, NamesEachFilterOnceOnAnyNumberOfThreads) {
  for (const char* metric : {"hamming", "jaccard", "cosine"}) {
    for (std::size_t count : {0, 1, 2, 3, 63, 64, 65, 1000}) {
      for (std::size_t ones : {0, 3, 2000}) {  // empty, few, more than are counted
        const Filters filters = random_filters(count, ones, count + ones);
        const Order order = near(filters, metric);
        expect_each_once(order, count);
        for (const Executor& executor : parallel_executors(3)) EXPECT_EQ(near(filters, metric, executor), order);
      }
    }
  }
}

TEST(NearOrder, HandlesFiltersThatAreAllTheSame) { expect_each_once(near(Filters(1000, std::vector<Word>(kWords, 5))), 1000); }

// Where all filters overlap and none has more bits than are counted, nothing is left out.
TEST(NearOrder, IsTheExactOneWhereItSeesAll) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Filters filters = random_filters(100, 60, seed);
    for (auto& filter : filters) filter[0] = 1;
    EXPECT_EQ(near(filters), nearest_neighbour_order(pointers_to(filters), kWords, Similarity::kHamming, Executor()));
  }
}

// Families of four that share most of their bits, shuffled over all places: they come together again.
TEST(NearOrder, GathersFamiliesFromFarApart) {
  constexpr std::size_t kFamilies = 1000;
  const Filters heads = random_filters(kFamilies, 80, 1), tails = random_filters(kFamilies * 4, 20, 2);
  std::vector<std::size_t> family(kFamilies * 4);
  for (std::size_t i = 0; i < family.size(); ++i) family[i] = i / 4;
  std::ranges::shuffle(family, std::mt19937_64(3));
  Filters filters = tails;
  for (std::size_t i = 0; i < filters.size(); ++i) or_into(filters[i].data(), heads[family[i]].data(), kWords);
  const Order order = near(filters);
  std::size_t together = 0;
  for (std::size_t i = 1; i < order.size(); ++i) together += family[order[i - 1]] == family[order[i]];
  EXPECT_GT(together, kFamilies * 3 * 95 / 100);  // of three neighbours in each family
}

}  // namespace
}  // namespace bloomery::test
