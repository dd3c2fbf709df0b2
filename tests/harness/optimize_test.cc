// The optimiser tries what it says, gives the same front to any number of threads, and keeps a user's bounds.
#include "experiments/optimize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "experiments/tree_search.h"
#include "structures/params.h"
#include "tests/harness/program.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

constexpr TrialSpec kTiny{.n = 200, .queries = 300, .instances = 2};

using Found = std::tuple<std::string, std::string, std::uint64_t, double, double>;

std::vector<Found> found_by(const Search& search) {
  std::vector<Found> all;
  for (const Trial& trial : search.trials) {
    all.emplace_back(trial.setting.k_text(), trial.setting.m_text(), trial.false_positives, trial.geometric_rate,
                     trial.bits_sent);
  }
  return all;
}

Trial made_up(double rate, double bits, std::uint64_t false_positives = 10) {
  return {.setting = {},
          .queries = 1000,
          .false_positives = false_positives,
          .geometric_rate = rate,
          .zeros = 0,
          .bits_sent = bits,
          .bits_stored = bits};
}

// --- the space and its measures --------------------------------------------------------------------------------------

TEST(TreeSpace, HasThePapersSettings) {
  EXPECT_EQ(TreeSpace(2).size(), 196U);
  EXPECT_EQ(TreeSpace(3).size(), 5488U);
  EXPECT_EQ(TreeSpace(4).size(), 153664U);
  EXPECT_THROW(TreeSpace(1), ParamError);
  EXPECT_THROW(TreeSpace(6), ParamError);
  const TreeSpace space(3);
  std::set<std::pair<std::string, std::string>> different;
  for (std::uint64_t number = 0; number < space.size(); ++number) {
    const TreeSetting setting = space.at(number);
    ASSERT_EQ(setting.k.size(), 3U);
    ASSERT_EQ(setting.m.size(), 2U);
    ASSERT_TRUE(setting.k[0] >= 2 && setting.k[0] <= 8);
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(setting.m[i] >= 2 && setting.m[i] <= 8);
      ASSERT_TRUE(setting.k[i + 1] >= 1 && setting.k[i + 1] <= 4);
    }
    ASSERT_EQ(space.number_of(setting), number);
    different.emplace(setting.k_text(), setting.m_text());
  }
  EXPECT_EQ(different.size(), space.size());
  EXPECT_EQ(space.from_variables({4, 3, 6, 3, 2}).k_text(), "6,3,2");
  EXPECT_EQ(space.from_variables({4, 3, 6, 3, 2}).m_text(), "4,3");
}

// A plain filter needs log2(1/e) / ln 2 bits a key.
TEST(TreeSpace, TheBestPlainFilterIsTheMeasure) {
  for (double rate : {0.5, 0.1, 1e-6}) {
    EXPECT_NEAR(share_of_standard(-std::log2(rate) / std::log(2.0), rate), 1, 1e-12);
  }
}

TEST(TreeTrials, SeeTheRateThatTheGeometricMeanHides) {
  const TreeTrials trials({.n = 2000, .hashing = "independent", .queries = 20000});
  const Trial trial = trials.run({.k = {6, 3, 2}, .m = {4, 3}});
  EXPECT_EQ(trial.queries, 20000U);
  EXPECT_NEAR(trial.bits_stored, 17, 1e-9);
  EXPECT_LT(trial.bits_sent, trial.bits_stored);
  EXPECT_GT(trial.measured_rate().low, trial.geometric_rate);
  // No structure can have the measured rate with fewer bits.
  EXPECT_GT(trial.bits_sent, -std::log2(trial.measured_rate().median));
}

// --- fronts ----------------------------------------------------------------------------------------------------------

TEST(ParetoFront, HasWhatNothingBeats) {
  const std::vector<Trial> trials = {made_up(0.1, 5), made_up(0.1, 6), made_up(0.2, 5), made_up(0.01, 9),
                                     made_up(0.1, 5)};
  EXPECT_EQ(pareto_front(trials, {}), (std::vector<bool>{true, false, false, true, true}));
  EXPECT_EQ(smallest_of(trials, pareto_front(trials, {})), 0U);
}

TEST(ParetoFront, KeepsTheBounds) {
  const std::vector<Trial> trials = {made_up(0.2, 3, 200), made_up(0.1, 5, 300), made_up(0.01, 9, 0)};
  EXPECT_EQ(pareto_front(trials, {.max_rate = 0.1}), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(pareto_front(trials, {.max_bits = 5}), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(pareto_front(trials, {.measured = true}), (std::vector<bool>{true, false, true}));
  // 0.2 was measured, but 0.2258 cannot be ruled out; nor can 0.0038 where nothing was found.
  EXPECT_EQ(pareto_front(trials, {.measured = true, .max_rate = 0.21}), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(pareto_front(trials, {.measured = true, .max_rate = 0.003}), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(smallest_of(trials, {false, false, false}), std::nullopt);
}

TEST(ParetoFront, LeavesOutATreeWithoutAGeometricMean) {
  const std::vector<Trial> trials = {made_up(0, 3), made_up(1, 2)};
  EXPECT_EQ(pareto_front(trials, {}), (std::vector<bool>{false, true}));
}

// --- searches --------------------------------------------------------------------------------------------------------

TEST(TreeSearch, IsTheSameForAnyNumberOfThreads) {
  const TreeSpace two(2), three(3);
  const TreeTrials trials(kTiny);
  const GeneticSpec spec{.population = 12, .rounds = 8};
  const std::vector<Found> all = found_by(search_all(two, trials, Executor()));
  const std::vector<Found> some = found_by(search_genetic(three, trials, {}, spec, Executor()));
  EXPECT_EQ(all.size(), 196U);
  EXPECT_GT(some.size(), 12U);
  for (const Executor& executor : {Executor(Backend::kTbb, 2), Executor(Backend::kOpenMp, 3)}) {
    EXPECT_EQ(found_by(search_all(two, trials, executor)), all);
    EXPECT_EQ(found_by(search_genetic(three, trials, {}, spec, executor)), some);
  }
  const GeneticSpec other{.population = 12, .rounds = 8, .seed = 2};
  EXPECT_NE(found_by(search_genetic(three, trials, {}, other, Executor())), some);
}

TEST(TreeSearch, TheGeneticOneKnowsWhatTheExhaustiveOneKnows) {
  const TreeSpace space(2);
  const TreeTrials trials(kTiny);
  for (bool measured : {false, true}) {
    const Goal goal{.measured = measured};
    const Search all = search_all(space, trials, Executor());
    const Search some = search_genetic(space, trials, goal, {.rounds = 30}, Executor());
    const std::vector<Found> known = found_by(all);
    for (const Found& found : found_by(some)) EXPECT_NE(std::ranges::find(known, found), known.end());
    EXPECT_LT(some.trials.size(), all.trials.size());
    EXPECT_GE(some.asked, some.trials.size());
    // The ends of the front: the smallest and the most exact.
    for (std::size_t i = 0; i < 2; ++i) {
      const auto best = [&](const Search& search) {
        double least = std::numeric_limits<double>::infinity();
        for (const Trial& trial : search.trials) least = std::min(least, goal.objectives(trial)[i]);
        return least;
      };
      EXPECT_LE(best(some), 1.2 * best(all) + 1e-9);
    }
  }
}

TEST(TreeSearch, TheGeneticOneEndsWhenItStalls) {
  const TreeSpace space(2);
  const TreeTrials trials({.n = 50, .queries = 50});
  const auto rounds = [&](GeneticSpec spec) { return search_genetic(space, trials, {}, spec, Executor()).rounds; };
  EXPECT_EQ(rounds({.population = 8, .rounds = 5}), 5U);
  EXPECT_EQ(rounds({.population = 8, .rounds = 30, .stall_rounds = 7, .stall_change = 1e9}), 7U);
  EXPECT_LT(rounds({.population = 16, .rounds = 500, .stall_rounds = 20}), 500U) << "196 settings are soon exhausted";
  for (std::uint64_t population : {0, 4, 15}) EXPECT_THROW(rounds({.population = population}), ParamError);
}

TEST(TreeSearch, TheGeneticOneFindsWhatABoundAllows) {
  const TreeSpace space(2);
  const TreeTrials trials(kTiny);
  const Goal goal{.measured = true, .max_rate = 0.15, .max_bits = 6};
  const Search all = search_all(space, trials, Executor());
  const Search some = search_genetic(space, trials, goal, {}, Executor());
  const auto smallest = [&](const Search& search) {
    const auto index = smallest_of(search.trials, pareto_front(search.trials, goal));
    return index ? search.trials[*index].bits_sent : 0;
  };
  ASSERT_GT(smallest(all), 0);
  ASSERT_GT(smallest(some), 0);
  EXPECT_LE(smallest(some), 1.1 * smallest(all));
}

// --- the program -----------------------------------------------------------------------------------------------------

const std::string kConfig = R"(experiment: tiny
scenario: optimize
defaults: {n: 100, d: 2, queries: 100, instances: 1}
series:
  - {name: Exhaustive, structure: bloom_tree, method: exhaustive}
  - {name: Genetic, structure: bloom_tree, method: genetic, rounds: 3}
figures:
  - {id: f, x: tree_rate, y: [tree_bits, paper_front_bits], kind: points, xscale: log, curves: [least_bits]}
)";

using OptimizeTest = ProgramTest;

std::vector<Row> of_phase(const std::vector<Row>& rows, const std::string& series, const std::string& phase) {
  std::vector<Row> kept;
  std::ranges::copy_if(rows, std::back_inserter(kept),
                       [&](const Row& row) { return row["series"] == series && row["phase"] == phase; });
  return kept;
}

TEST_F(OptimizeTest, EverySettingHasARowAndTheSearchHasOne) {
  write("tiny.yaml", kConfig);
  ASSERT_EQ(run("run tiny.yaml").code, 0);
  const std::vector<Row> all = rows("tiny");
  ASSERT_EQ(of_phase(all, "Exhaustive", "setting").size(), 196U);
  ASSERT_EQ(of_phase(all, "Exhaustive", "optimize").size(), 1U);
  const Row search = of_phase(all, "Exhaustive", "optimize").front();
  EXPECT_EQ(search["ops"], "196");
  std::set<std::string> different;
  std::size_t front = 0;
  for (const Row& row : of_phase(all, "Exhaustive", "setting")) {
    different.insert(row["k"] + " " + row.get("m_levels"));
    front += row.get("paper_front") == "true";
    EXPECT_EQ(row["n"], "100");
    EXPECT_EQ(row["m"], "100");
    EXPECT_EQ(row["ops"], "100");
    EXPECT_LE(*row.number("measured_low"), *row.number("false_positives") / 100);
  }
  EXPECT_EQ(different.size(), 196U);
  EXPECT_EQ(std::to_string(front), search.get("front_size"));
  const Row genetic = of_phase(all, "Genetic", "optimize").front();
  EXPECT_EQ(genetic.get("ran"), "3");
  EXPECT_EQ(genetic.get("asked"), "64");  // 16 settings to begin with, and as many a round
  EXPECT_EQ(std::to_string(of_phase(all, "Genetic", "setting").size()), genetic["ops"]);
  // Nothing is left to do; what a killed run left behind is done again.
  EXPECT_TRUE(has(run("run tiny.yaml").out, "0 to measure"));
  const std::string text = slurp(rows_file("tiny"));
  write("results/tiny/rows.csv", text.substr(0, text.rfind("\n2,", text.size() - 2) + 1));
  EXPECT_TRUE(has(run("run tiny.yaml").out, "1 to measure"));
  EXPECT_EQ(rows("tiny").size(), all.size());
  EXPECT_EQ(run("plot tiny.yaml").code, 0);
  EXPECT_GT(std::filesystem::file_size(folder_ / "plots" / "tiny" / "f.svg"), 1000U);
}

TEST_F(OptimizeTest, WhatCannotBeSearchedIsSaidBeforeAnythingRuns) {
  write("tiny.yaml", kConfig);
  for (const auto& [set, says] :
       std::vector<std::pair<std::string, std::string>>{{"d=1", "trees of 2 to 5 levels"},
                                                        {"d=5", "method genetic"},
                                                        {"k=6", "k is given, but the search is for it"},
                                                        {"m_levels=4", "m_levels is given"},
                                                        {"max_rate=0", "max_rate is 0"},
                                                        {"max_rate=2", "max_rate is '2'"},
                                                        {"population=15", "multiple of four"},
                                                        {"instances=0", "instances is '0'"},
                                                        {"n=1e9 --set d=4", "GiB"}}) {
    const Outcome outcome = run("run tiny.yaml --set " + set);
    expect_message(outcome, 2, says);
  }
  EXPECT_EQ(files().size(), 2U) << "nothing is written";
  write("other.yaml", replaced(kConfig, "Exhaustive, structure: bloom_tree", "Exhaustive, structure: bloom"));
  expect_message(run("validate other.yaml"), 2, "bloom");
}

TEST_F(OptimizeTest, TheCommandTellsTheFrontAndKeepsIt) {
  const std::string small = "optimize --set n=200 --set queries=500 --set instances=1 --set max_rate=0.5";
  const Outcome outcome = run(small);
  EXPECT_EQ(outcome.code, 0) << outcome.errors.size();
  EXPECT_TRUE(has(outcome.out, "196 of 196 settings tried"));
  EXPECT_TRUE(has(outcome.out, "The smallest: k="));
  const std::string front = slurp(folder_ / "results" / "optimize" / "front.csv");
  EXPECT_TRUE(front.starts_with("d,k,m_levels,bits_sent_a_key,"));
  EXPECT_GT(count(front, "\n"), 3U);
  EXPECT_GT(std::filesystem::file_size(folder_ / "plots" / "optimize" / "optimize_measured.png"), 1000U);
  // Alone or in company, and again: the same front.
  run(small + " --set threads=1 --set backend=serial");
  EXPECT_EQ(slurp(folder_ / "results" / "optimize" / "front.csv"), front);
}

TEST_F(OptimizeTest, TheCommandRefusesWhatItCannotDo) {
  expect_message(run("optimize --set d=1"), 2, "trees of 2 to 5 levels");
  expect_message(run("optimize --set n=1,2"), 2, "one search at a time");
  expect_message(run("optimize --set nn=1"), 2, "unknown setting");
  expect_message(run("optimize --set max_bits=-1"), 2, "max_bits");
  EXPECT_EQ(files().size(), 1U) << "nothing is written";
  expect_message(run("optimize --set n=200 --set instances=1 --set queries=100 --set max_rate=1e-6"), 3,
                 "no setting keeps max_rate");
}

}  // namespace
}  // namespace bloomery
