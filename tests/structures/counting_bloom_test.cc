// Counters come and go with their keys, and a full counter never goes.
#include "structures/counting_bloom.h"

#include <gtest/gtest.h>

#include <thread>

#include "structures/bloom.h"
#include "tests/structures/rates.h"

namespace bloomery::test {
namespace {

CountingBloom make_counting(ParamMap values) {
  Params params(std::move(values));
  return CountingBloom(params);
}

template <class Filter>
std::vector<Match> answers(const Filter& filter, Keys keys) {
  Matches out;
  filter.template query<true>(keys, out);
  return sorted(out);
}

std::size_t found(const CountingBloom& filter, Keys keys) { return answers(filter, keys).size(); }

// A multiset of keys, kept exactly.
class Multiset {
 public:
  void add(Key key) { all_.push_back(key); }
  bool empty() const { return all_.empty(); }
  Key take(std::uint64_t random) {
    std::swap(all_[random % all_.size()], all_.back());
    const Key key = all_.back();
    all_.pop_back();
    return key;
  }
  const std::vector<Key>& all() const { return all_; }

 private:
  std::vector<Key> all_;
};

// m = 61 and k = 8 give most keys a position twice; a small universe gives counters that are full.
const std::vector<ParamMap> kShapes = {
    {{"m", "4096"}, {"k", "4"}},
    {{"m", "61"}, {"k", "8"}},
    {{"m", "1000"}, {"k", "7"}, {"hash", "multiplicative"}},
    {{"m", "1000"}, {"k", "3"}, {"atomic", "false"}},
};

TEST(CountingBloom, KeysThatAreInAreFoundInAnyHistory) {
  for (const ParamMap& shape : kShapes) {
    SCOPED_TRACE(name_of({"counting_bloom", shape}));
    CountingBloom filter = make_counting(shape);
    std::mt19937_64 random(5);
    const std::vector<Key> universe = random_keys(60, 1);
    Multiset exact;
    for (int step = 0; step < 600; ++step) {
      const bool grow = random() % 5 < (step / 100 % 2 == 0 ? 4 : 1);
      std::vector<Key> batch;
      for (std::size_t left = random() % 8; left > 0; --left) {
        if (grow) {
          batch.push_back(universe[random() % universe.size()]);
          exact.add(batch.back());
        } else if (!exact.empty()) {
          batch.push_back(exact.take(random()));
        }
      }
      if (grow) {
        filter.insert(0, batch);
      } else {
        ASSERT_EQ(filter.remove(batch), batch.size());
      }
      ASSERT_EQ(found(filter, exact.all()), exact.all().size()) << "step " << step;
      ASSERT_EQ(filter.validate(), "");
    }
  }
}

// Without a full counter, what was inserted and removed leaves no trace: the filter is that of the keys that are left.
TEST(CountingBloom, RemovalUndoesInsertion) {
  const std::vector<Key> stay = random_keys(500, 1), go = random_keys(500, 2), probes = random_keys(20000, 3);
  CountingBloom filter = make_counting({{"m", "8000"}, {"k", "5"}}), fresh = make_counting({{"m", "8000"}, {"k", "5"}});
  filter.insert(0, stay);
  filter.insert(0, go);
  fresh.insert(0, stay);
  EXPECT_GT(found(filter, probes), found(fresh, probes));
  EXPECT_EQ(filter.remove(go), go.size());
  EXPECT_EQ(answers(filter, probes), answers(fresh, probes));
  EXPECT_EQ(filter.remove(stay), stay.size());
  EXPECT_EQ(found(filter, stay), 0U);
}

// Two threads in a filter so small that they meet in every word: no count is lost, on the way up or down.
TEST(CountingBloom, ThreadsInsertAndRemove) {
  const std::vector<Key> stay = random_keys(40, 1), probes = random_keys(20000, 3);
  const ParamMap shape = {{"m", "800"}, {"k", "2"}};
  CountingBloom filter = make_counting(shape), fresh = make_counting(shape);
  filter.insert(0, stay);
  fresh.insert(0, stay);
  {
    const auto come_and_go = [&](std::uint64_t seed) {
      for (std::uint64_t round = 0; round < 5000; ++round) {
        const std::vector<Key> keys = random_keys(8, seed + round);
        filter.insert(0, keys);
        EXPECT_EQ(filter.remove(keys), keys.size());
      }
    };
    const std::jthread one(come_and_go, 10000), other(come_and_go, 20000);
  }
  EXPECT_EQ(answers(filter, probes), answers(fresh, probes));
}

TEST(CountingBloom, AKeyIsInAsOftenAsItWasInserted) {
  CountingBloom filter = make_counting({{"m", "1000"}, {"k", "4"}});
  const std::vector<Key> key = {77}, four_times(4, 77);
  filter.insert(0, std::vector<Key>(3, 77));
  EXPECT_EQ(filter.remove(key), 1U);
  EXPECT_EQ(found(filter, key), 1U);
  EXPECT_EQ(filter.remove(four_times), 2U) << "it was in twice";
  EXPECT_EQ(found(filter, key), 0U);
}

TEST(CountingBloom, AFullCounterStays) {
  for (const char* atomic : {"true", "false"}) {
    CountingBloom filter = make_counting({{"m", "1600"}, {"k", "4"}, {"atomic", atomic}});
    const std::vector<Key> key = {77}, others = random_keys(20, 1);
    filter.insert(0, std::vector<Key>(1000, 77));
    filter.insert(0, others);
    EXPECT_EQ(filter.remove(std::vector<Key>(999, 77)), 999U);
    EXPECT_EQ(found(filter, key), 1U);
    EXPECT_EQ(filter.remove(key), 1U);
    EXPECT_EQ(found(filter, key), 1U) << "a counter that lost count came down";
    EXPECT_EQ(found(filter, others), others.size()) << "a counter ran over into its neighbour";
    EXPECT_LE(found(filter, random_keys(1000, 9)), 20U) << "a counter ran over into its neighbour";
  }
}

// Fourteen times is the most that is counted.
TEST(CountingBloom, CountsToFourteen) {
  for (const std::size_t times : {14, 15}) {
    CountingBloom filter = make_counting({{"m", "1600"}, {"k", "1"}});
    const std::vector<Key> keys(times, 77);
    filter.insert(0, keys);
    filter.remove(keys);
    EXPECT_EQ(found(filter, Keys(keys).first(1)), times == 14 ? 0U : 1U);
  }
}

TEST(CountingBloom, WhatIsAnsweredNoIsNotRemoved) {
  CountingBloom filter = make_counting({{"m", "3000"}, {"k", "6"}});
  const std::vector<Key> keys = random_keys(300, 1);
  filter.insert(0, keys);
  std::vector<Key> absent = random_keys(5000, 2);
  std::erase_if(absent, [&](Key key) { return found(filter, {&key, 1}) != 0; });
  ASSERT_GT(absent.size(), 4000U);
  EXPECT_EQ(filter.remove(absent), 0U);
  EXPECT_EQ(filter.remove({}), 0U);
  EXPECT_EQ(found(filter, keys), keys.size());
  EXPECT_EQ(filter.remove(keys), keys.size());
}

TEST(CountingBloom, AnswersLikeBloomWhileNothingIsRemoved) {
  for (const char* hash : {"double", "multiplicative", "modulo"}) {
    for (const char* m : {"1", "15", "16", "17", "1000", "4096"}) {
      const ParamMap shape = {{"m", m}, {"k", "5"}, {"hash", hash}, {"seed", "9"}};
      Params params(shape);
      Bloom bloom(params);
      CountingBloom counting = make_counting(shape);
      const std::vector<Key> keys = random_keys(200, 1), probes = random_keys(3000, 2);
      bloom.insert(0, keys);
      counting.insert(0, keys);
      EXPECT_EQ(answers(counting, probes), answers(bloom, probes));
      EXPECT_EQ(found(counting, keys), keys.size());
      EXPECT_EQ(counting.validate(), "");
    }
  }
}

TEST(CountingBloom, TakesFourBitsForABit) {
  for (const auto& [m, bytes] : {std::pair{"1", 8U}, {"16", 8U}, {"17", 16U}, {"100992", 50496U}}) {
    EXPECT_EQ(make_counting({{"m", m}}).footprint().storage_bytes, bytes);
  }
}

TEST(CountingBloom, RefusesWhatCannotBe) {
  expect_refused("counting_bloom", {{"m", "0"}}, "m");
  expect_refused("counting_bloom", {{"k", "65"}}, "k");
  expect_refused("counting_bloom", {{"rho", "0"}}, "rho");
  expect_refused("counting_bloom", {{"hash", "murmur"}}, "hash");
}

TEST(CountingBloom, CountersLargerThanTheMemoryAreRefused) {
  if (machine_memory() > 1ULL << 38) GTEST_SKIP() << "the counters of 2^40 bits may fit in this machine's memory";
  expect_refused("counting_bloom", {{"m", std::to_string(machine_memory() * 4)}}, "m");  // as bits they would fit
}

}  // namespace
}  // namespace bloomery::test
