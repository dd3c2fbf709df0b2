// Structures that are broken on purpose: each breaks one step of the argument for concurrent maintenance, and the
// histories must show it. A race need not happen in every schedule, so schedules are run until one shows.
#include <gtest/gtest.h>

#include "structures/bloofi.h"
#include "structures/flat_bloofi.h"
#include "structures/naive.h"
#include "tests/concurrency/schedules.h"
#include "tests/concurrency/storm.h"

#ifndef __SANITIZE_THREAD__  // races on purpose

namespace bloomery::test {
namespace {

// Memory is reused while queries may still be reading it.
struct HastyEpochs : Epochs {
  bool passed(Stamp) const override { return true; }
};
template <class Base>
struct Hasty : Base {
  explicit Hasty(Params& params) : Base(params, std::make_unique<HastyEpochs>()) {}
};

// A set that is replaced is away for a moment.
template <class Base>
struct Gap : Base {
  using Base::Base;
  Cost replace(SetId id, Keys keys) {
    Cost cost = this->erase(id);
    return cost += this->insert(id, keys);
  }
};

// Bits are in the leaf before they are in its ancestors: whoever finds them in the leaf believes the work done.
struct LeafFirst : Bloofi {
  using Bloofi::Bloofi;
  void write_path(std::span<const Step> path, Positions positions) override {
    for (const Step& step : path) write_step(step, positions);
  }
};

// Returns before the work is done: an erase that waits for the next one.
template <class Base>
struct LateErase : Base {
  using Base::Base;
  Cost erase(SetId id) {
    const SetId before = late_.exchange(id);
    return before == kNobody ? Cost() : Base::erase(before);
  }
  static constexpr SetId kNobody = ~SetId{0};
  std::atomic<SetId> late_ = kNobody;
};

ParamMap small(ParamMap more = {}) {
  more.insert({{"m", "256"}, {"k", "3"}, {"maintenance", "epochs"}});
  return more;
}

template <class T>
std::unique_ptr<AnyStructure> make_of(const ParamMap& values) {
  Params params(values);
  return make<T>(params);
}

constexpr std::uint64_t kMostSchedules = 20'000;

// What the first bad answer was, in at most kMostSchedules schedules.
template <class T>
std::string first_problem(const ParamMap& values, const Schedule& schedule, std::uint64_t most = kMostSchedules) {
  for (std::uint64_t seed = 0; seed < most; ++seed) {
    const auto structure = make_of<T>(values);
    const History history = Recorder(*structure, schedule, seed).record();
    Params params(values);
    if (std::string problem = Checker(FilterShape(params), history).check(); !problem.empty()) return problem;
  }
  return "";
}

constexpr Schedule kUsual;
constexpr Schedule kBusy = {.writers = 2, .readers = 2, .sets = 40, .writes = 200, .pool = 40, .keys = 4};
constexpr Schedule kCrowded = {.writers = 2, .readers = 1, .sets = 12, .writes = 200, .pool = 8, .keys = 3};

TEST(Broken, MemoryReusedTooSoon) { EXPECT_NE((first_problem<Hasty<Bloofi>>(small(), kBusy)), ""); }

TEST(Broken, ASetThatIsReplacedIsAway) {
  EXPECT_NE((first_problem<Gap<Naive>>(small(), kBusy)), "");
  EXPECT_NE((first_problem<Gap<Bloofi>>(small(), kBusy)), "");
  EXPECT_NE((first_problem<Gap<FlatBloofi>>(small(), kBusy)), "");
}

TEST(Broken, AnEraseThatReturnsTooSoon) {
  EXPECT_NE((first_problem<LateErase<Naive>>(small(), kUsual)), "");
  EXPECT_NE((first_problem<LateErase<Bloofi>>(small(), kUsual)), "");
  EXPECT_NE((first_problem<LateErase<FlatBloofi>>(small(), kUsual)), "");
}

// Two threads insert the same keys at the same moment, into the same set or into neighbours; each asks at once. Each must
// find what it has inserted itself.
template <class T>
std::string insert_in_step(std::uint64_t seed, bool same_set, ParamMap values = {}) {
  constexpr std::size_t kRounds = 400;
  values.insert({{"m", "4096"}, {"k", "3"}, {"maintenance", "epochs"}});
  const auto structure = make_of<T>(values);
  build(*structure, KeyLists(60));
  const std::vector<Key> keys = random_keys(kRounds, seed);
  std::atomic<Stamp> clock = 1;
  History histories[2];
  for (History& history : histories) history.writes.resize(60);
  run_in_step(kRounds, [&](std::size_t thread, std::size_t round) {
    thread_local Matches out;
    const std::size_t id = same_set ? round % 60 : round % 30 * 2 + thread;
    Write write = {Action::kInsert, static_cast<SetId>(id), {keys[round]}, clock++};
    structure->insert(write.id, write.keys);
    write.end = clock++;
    out.clear();
    Asked asked = {write.keys, {}, clock++};
    structure->query_timed(asked.keys, out);
    asked.end = clock++;
    for (const Match& match : sorted(out)) {
      if (match.set == write.id) asked.answer.push_back(match);
    }
    histories[thread].writes[write.id].push_back(std::move(write));
    histories[thread].queries.push_back(std::move(asked));
  });
  Params params(values);
  const FilterShape shape(params);
  const std::string problem = Checker(shape, histories[0]).check();
  return problem.empty() ? Checker(shape, histories[1]).check() : problem;
}

// Storms until one goes wrong; as many of the sound structure do not.
template <class Broken, class Sound>
void expect_broken(bool same_set, const ParamMap& values) {
  if (allowed_cores().size() < 2) GTEST_SKIP() << "one core: two threads do not write at the same time";
  constexpr std::uint64_t kMostStorms = 2000;
  std::uint64_t storms = 0;
  while (storms < kMostStorms && insert_in_step<Broken>(storms, same_set, values).empty()) ++storms;
  EXPECT_LT(storms, kMostStorms) << "no storm showed what is broken";
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(insert_in_step<Sound>(i, same_set), "");
}

TEST(Broken, BitsInTheLeafBeforeItsAncestors) { expect_broken<LeafFirst, Bloofi>(true, {}); }

TEST(Broken, BitsSetWithoutAtomicOperations) { expect_broken<FlatBloofi, FlatBloofi>(false, {{"atomic", "false"}}); }

// The same schedules on what is not broken.
TEST(Broken, NothingWhereNothingIs) {
  EXPECT_EQ(first_problem<Naive>(small(), kBusy, 10), "");
  EXPECT_EQ(first_problem<Bloofi>(small(), kBusy, 10), "");
  EXPECT_EQ(first_problem<FlatBloofi>(small(), kCrowded, 10), "");
}

}  // namespace
}  // namespace bloomery::test

#endif
