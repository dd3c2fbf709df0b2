// Parameters: what is refused, and whether the message helps.
#include "structures/params.h"

#include <gtest/gtest.h>

#include <cmath>

#include "structures/theory.h"
#include "structures/arena.h"
#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

struct Refusal {
  std::string structure;
  ParamMap params;
  std::string name;     // what the error is about
  std::string message;  // part of what it says
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.structure << ": " << refusal.message; }

class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithAHelpfulMessage) {
  try {
    make_structure(GetParam().structure, Params(GetParam().params));
    FAIL() << "accepted";
  } catch (const ParamError& error) {
    EXPECT_EQ(error.name(), GetParam().name);
    EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos) << error.what();
  }
}

const std::vector<Refusal> kRefusals = {
    // Unknown names, with the nearest or with all.
    {"blofi", {}, "structure", "unknown structure 'blofi'; did you mean 'bloofi'?"},
    {"zzzzzz", {}, "structure", "known names: null, "},
    {"bloofi", {{"metrik", "jaccard"}}, "metrik", "unknown parameter 'metrik'; did you mean 'metric'?"},
    {"flat_bloofi", {{"layuot", "rows"}}, "layuot", "did you mean 'layout'?"},
    {"naive", {{"construction", "bulk"}}, "construction", "known names: rho, n_exp, c, k, m"},
    {"exact", {{"m", "64"}}, "m", "unknown parameter 'm'"},
    // Choices.
    {"bloofi", {{"metric", "haming"}}, "metric", "metric is 'haming'; did you mean 'hamming'?"},
    {"bloom", {{"hash", "modolo"}}, "hash", "did you mean 'modulo'?"},
    {"flat_bloofi", {{"layout", "columns"}}, "layout", "known names: words, rows"},
    {"naive", {{"atomic", "yes"}}, "atomic", "known names: true, false"},
    // Out of range.
    {"bloom", {{"k", "65"}}, "k", "k is 65; it must be 1 to 64"},
    {"bloom", {{"k", "0"}}, "k", "k is 0; it must be 1 to 64"},
    {"naive", {{"m", "0"}}, "m", "m is 0; it must be 1 to"},
    {"naive", {{"m", "1e13"}}, "m", "m is 1e13; it must be 1 to"},
    {"bloofi", {{"d", "1"}}, "d", "d is 1; it must be 2 to"},
    {"naive", {{"rho", "0"}}, "rho", "rho is 0; it must be over 0 and under 1"},
    {"naive", {{"rho", "1"}}, "rho", "rho is 1; it must be over 0 and under 1"},
    {"naive", {{"n_exp", "0"}}, "n_exp", "n_exp is 0"},
    // Ill-typed.
    {"bloom", {{"k", "seven"}}, "k", "k is 'seven'; it must be an integer"},
    {"bloom", {{"k", "2.5"}}, "k", "k is '2.5'; it must be an integer"},
    {"bloom", {{"k", "-3"}}, "k", "k is '-3'; it must be an integer"},
    {"bloom", {{"k", ""}}, "k", "it must be an integer"},
    {"bloom", {{"k", "7 "}}, "k", "it must be an integer"},
    {"bloom", {{"seed", "18446744073709551616"}}, "seed", "it must be an integer"},
    {"naive", {{"rho", "small"}}, "rho", "rho is 'small'; it must be a number"},
    {"naive", {{"rho", "nan"}}, "rho", "it must be over 0 and under 1"},
    // Values that are each in range, but not together.
    {"naive", {{"m", "2147483648"}}, "hash", "use double"},
    {"bloom", {{"c", "8"}, {"n_exp", "1000"}, {"m", "4000"}}, "c", "is 8000 bits, but m is 4000; leave out one"},
    {"bloom", {{"c", "4"}, {"rho", "0.01"}}, "c", "gives a rate of"},
    // Sizes that overflow or do not fit.
    {"bloom", {{"c", "0"}}, "c", "c is 0; it must be over 0"},
    {"bloom", {{"c", "-1"}}, "c", "c is -1; it must be over 0"},
    {"bloom", {{"c", "1e300"}}, "c", "it must be over 0 and under"},
    {"bloom", {{"n_exp", "68719476736"}, {"k", "64"}}, "n_exp", "1099511627776 are the most"},
    {"bloom", {{"n_exp", "68719476736"}, {"c", "1000000"}}, "c", "1099511627776 are the most"},
};

INSTANTIATE_TEST_SUITE_P(Params, Refused, ::testing::ValuesIn(kRefusals));

TEST(Params, IntegersMayBeWrittenWithAnExponent) {
  Params params({{"a", "1e4"}, {"b", "10000"}, {"c", "2.5e3"}});
  EXPECT_EQ(params.integer("a", 0, 0, 1 << 20, ""), 10000U);
  EXPECT_EQ(params.integer("b", 0, 0, 1 << 20, ""), 10000U);
  EXPECT_EQ(params.integer("c", 0, 0, 1 << 20, ""), 2500U);
  EXPECT_NO_THROW(params.expect_all_taken());
}

TEST(Params, RangesIncludeTheirEnds) {
  for (const char* k : {"1", "64"}) EXPECT_NO_THROW(make_variant({"bloom", {{"k", k}}}));
  EXPECT_NO_THROW(make_variant({"bloom", {{"m", "1"}}}));
  EXPECT_NO_THROW(make_variant({"bloofi", {{"d", "2"}}}));
}

TEST(Params, DefaultsAreThoseOfThePaper) {
  const FilterShape shape = shape_of({"naive", {}});
  EXPECT_EQ(shape.hasher.k(), 7U);
  EXPECT_EQ(shape.hasher.m(), 100992U);
  EXPECT_TRUE(shape.atomic);
  const FilterShape half = shape_of({"naive", {{"rho", "0.5"}, {"n_exp", "100"}}});
  EXPECT_EQ(half.hasher.k(), 1U);
  EXPECT_EQ(half.hasher.m(), 192U);  // ceil(100 / ln 2) = 145, in whole words
}

TEST(Params, AFilterLargerThanTheMemoryIsRefused) {
  if (machine_memory() >= 1ULL << 37) GTEST_SKIP() << "2^40 bits fit in this machine's memory";
  try {
    make_variant({"bloom", {{"m", "1099511627776"}}});
    ADD_FAILURE() << "accepted";
  } catch (const ParamError& error) {
    EXPECT_EQ(error.name(), "m");
    EXPECT_NE(std::string(error.what()).find("128.0 GiB and this machine has"), std::string::npos) << error.what();
  }
}

TEST(Params, BitsAKeyGiveTheSize) {
  const FilterShape best = shape_of({"bloom", {{"c", "10"}, {"n_exp", "1000"}}});
  EXPECT_EQ(best.hasher.m(), 10048U);
  EXPECT_EQ(best.hasher.k(), 7U);
  const FilterShape chosen = shape_of({"bloom", {{"c", "20"}, {"n_exp", "1000"}, {"k", "14"}, {"rho", "0.9"}}});
  EXPECT_EQ(chosen.hasher.m(), 20032U);
  EXPECT_EQ(chosen.hasher.k(), 14U);
  EXPECT_EQ(shape_of({"bloom", {{"c", "0.1"}, {"n_exp", "1"}}}).hasher.m(), 64U);
  EXPECT_EQ(shape_of({"bloom", {{"c", "1000"}, {"n_exp", "1"}}}).hasher.k(), 64U);
  EXPECT_EQ(shape_of({"bloom", {{"m", "999"}, {"rho", "0.5"}, {"n_exp", "1000"}}}).hasher.m(), 999U);
  EXPECT_NO_THROW(shape_of({"bloom", {{"c", "20"}, {"rho", "0.01"}}}));
}

// k has a limit because positions live in arrays of 64 a key; a rate that asks for more must not get past it.
TEST(Params, ARateNeverGivesMoreHashFunctionsThanAllowed) {
  for (const char* rho : {"1e-10", "6e-20", "1e-20", "1e-30", "1e-300"}) {
    try {
      EXPECT_LE(shape_of({"naive", {{"rho", rho}}}).hasher.k(), 64U) << "rho " << rho;
    } catch (const ParamError&) {
      // Refusing is as good.
    }
  }
}

// Every default that is documented is one that would be accepted, and gives the same structure.
TEST(Params, DocumentedDefaultsAreAccepted) {
  for (const RegistryEntry& entry : registry()) {
    ParamMap defaults;
    for (const ParamSpec& spec : describe(entry)) {
      defaults[spec.name] = spec.default_value;
      EXPECT_FALSE(spec.about.empty()) << entry.name << " " << spec.name;
      EXPECT_FALSE(spec.range.empty()) << entry.name << " " << spec.name;
    }
    EXPECT_NO_THROW(make_structure(entry.name, Params(defaults))) << entry.name;
  }
}

TEST(Params, NearestName) {
  EXPECT_EQ(nearest_name("bloof", {"bloom", "bloofi", "naive"}), "bloom");  // the first of the nearest
  EXPECT_EQ(nearest_name("seeed", {"m", "k", "seed"}), "seed");
  EXPECT_EQ(nearest_name("x", {"m", "k", "seed"}), "m");  // one edit is always allowed
  EXPECT_EQ(nearest_name("quite_different", {"m", "k", "seed"}), "");
  EXPECT_EQ(nearest_name("", {"seed"}), "");
}

TEST(Theory, FormulasGiveThePapersNumbers) {
  EXPECT_EQ(hashes_for_rate(0.01), 7U);
  EXPECT_EQ(bits_for(7, 10000), 100992U);
  EXPECT_EQ(bits_for(1, 1), 64U);
  EXPECT_NEAR(false_positive_rate(7 / std::log(2.0), 7, 1), 1.0 / 128, 1e-12);  // half of the bits are set
  EXPECT_NEAR(ideal_search_cost(2, 1024), 21, 1e-9);
}

}  // namespace
}  // namespace bloomery::test
