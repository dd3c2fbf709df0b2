// The yardstick reads as much memory as a filter of its parameters has, and says nothing.
#include "structures/line_read.h"

#include <gtest/gtest.h>

#include "tests/structures/rates.h"

namespace bloomery::test {
namespace {

TEST(LineRead, ReadsALineAKeyAndAnswersNothing) {
  const auto structure = make_variant({"line_read", {{"m", "1000000"}}});
  const std::vector<Key> keys = random_keys(1000, 1);
  structure->insert(0, keys);
  Matches out;
  const Cost cost = structure->query(keys, out);
  EXPECT_EQ(out.size(), 0U);
  EXPECT_EQ(cost.words, keys.size() * 8);
}

// Pages that nobody wrote would all be the same page of zeros, and fast.
TEST(LineRead, AllOfItsMemoryIsThere) {
  for (const char* m : {"1", "100000", "40000000"}) {
    const auto structure = make_variant({"line_read", {{"m", m}}});
    EXPECT_GE(structure->footprint().memory_bytes * 8, std::stoul(m));
  }
}

// Every line begins with a one, so that the sum over all keys is their number.
TEST(LineRead, ReadsWhatItWrote) {
  Params params(ParamMap{{"m", "100000"}});
  const LineRead yardstick(params);
  Matches out;
  for (std::size_t count : {0, 1, 63, 64, 65, 1000}) {
    yardstick.query<false>(random_keys(count, 2), out);
    EXPECT_EQ(*out.scratch(0, 1), count);
  }
}

TEST(LineRead, RefusesWhatCannotBe) {
  expect_refused("line_read", {{"m", "0"}}, "m");
  expect_refused("line_read", {{"rho", "1"}}, "rho");
  expect_refused("line_read", {{"m", "1000000000000"}}, "m");
}

}  // namespace
}  // namespace bloomery::test
