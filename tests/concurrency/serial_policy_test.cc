// Without atomic bits concurrent inserts lose keys: shown, so that what the atomic policy is paid for is known to
// exist.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/concurrency/storm.h"

#ifndef __SANITIZE_THREAD__  // a race on purpose

namespace bloomery::test {
namespace {

// Two threads set neighbouring bits of the same words at the same time. Which bits share a word depends on the
// structure: those of one filter, or in a bit-sliced index those of neighbouring sets.
struct Race {
  Variant variant;
  bool split_by_set;
};

std::string name_of_race(const ::testing::TestParamInfo<Race>& info) { return name_of(info.param.variant); }

void PrintTo(const Race& race, std::ostream* out) { *out << race.variant; }

constexpr std::size_t kPairs = 1 << 18;  // of a set and a key
constexpr std::size_t kBatch = 64;       // keys inserted between two meetings

// The insertions of one of the two threads, in the order of the words they write. With x mod m and one hash function
// key x is bit x; each thread has every second key, or every second set.
std::vector<Insertion> half_of(const Race& race, std::size_t sets, std::size_t bits, std::size_t half) {
  const std::size_t first_key = race.split_by_set ? 0 : half, key_step = race.split_by_set ? 1 : 2;
  const std::size_t first_set = race.split_by_set ? half : 0, set_step = race.split_by_set ? 2 : 1;
  std::vector<Insertion> work;
  for (std::size_t id = first_set; id < sets; id += set_step) {
    for (std::size_t key = first_key; key < bits;) {
      Insertion& insertion = work.emplace_back(Insertion{static_cast<SetId>(id), {}});
      for (; insertion.keys.size() < kBatch; key += key_step) insertion.keys.push_back(key);
    }
  }
  return work;
}

struct Aftermath {
  std::size_t lost;     // pairs that are not found
  std::string problem;  // what validate() says
};

Aftermath storm(const Race& race, const char* atomic) {
  const std::size_t sets = find_structure(race.variant.structure).many_sets ? 64 : 1, bits = kPairs / sets;
  Variant variant = with(race.variant, {{"m", std::to_string(bits)}, {"k", "1"}, {"hash", "modulo"}});
  variant.params["atomic"] = atomic;
  const auto structure = make_variant(variant);
  build(*structure, KeyLists(sets));
  const std::vector<Insertion> halves[] = {half_of(race, sets, bits, 0), half_of(race, sets, bits, 1)};
  run_in_step(halves[0].size(), [&](std::size_t half, std::size_t round) {
    structure->insert(halves[half][round].id, halves[half][round].keys);
  });
  std::vector<Key> keys(bits);
  std::iota(keys.begin(), keys.end(), Key{0});
  return {kPairs - query_timed(*structure, keys).size(), structure->validate()};
}

class SerialPolicy : public ::testing::TestWithParam<Race> {};

TEST_P(SerialPolicy, LosesUpdatesThatTheAtomicOneKeeps) {
  if (allowed_cores().size() < 2) GTEST_SKIP() << "one core: two threads do not write at the same time";
  constexpr int kStorms = 200;  // one loses thousands; but the cores may be busy with something else
  int storms = 0;
  std::size_t lost = 0;
  for (; lost == 0 && storms < kStorms; ++storms) lost = storm(GetParam(), "false").lost;
  EXPECT_GT(lost, 0U) << "no update lost in " << kStorms << " storms";
  RecordProperty("storms", storms);
  RecordProperty("lost", static_cast<int>(lost));
  for (int i = 0; i < std::max(storms, 5); ++i) {
    const Aftermath aftermath = storm(GetParam(), "true");
    ASSERT_EQ(aftermath.lost, 0U);
    ASSERT_EQ(aftermath.problem, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Structures, SerialPolicy,
                         ::testing::Values(Race{{"bloom", {}}, false}, Race{{"naive", {}}, false},
                                           Race{{"bloofi", {}}, false},
                                           Race{{"flat_bloofi", {{"layout", "words"}}}, true},
                                           Race{{"flat_bloofi", {{"layout", "rows"}}}, true}),
                         name_of_race);

}  // namespace
}  // namespace bloomery::test

#endif
