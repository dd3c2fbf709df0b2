// From a description to runs.
#include "experiments/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "structures/registry.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

using PlanTest = FolderTest;

std::vector<std::string> described(const std::vector<Unit>& plan, const std::vector<std::string>& settings) {
  std::vector<std::string> lines;
  for (const Unit& unit : plan) {
    std::string line;
    for (const std::string& name : settings) line += unit.settings.at(name) + " ";
    lines.push_back(line + std::to_string(unit.repeat) + " " + unit.series);
  }
  return lines;
}

std::set<std::string> ids_of(const std::vector<Unit>& plan) {
  std::set<std::string> ids;
  for (const Unit& unit : plan) ids.insert(unit.run_id);
  return ids;
}

// A value of the right kind that is not the default.
std::string other_value(const HarnessSetting& setting) {
  if (setting.type == "flag") return "true";
  if (setting.type == "real") return "0.25";
  if (!setting.options.empty()) return setting.options.back();
  return setting.min > 3 ? std::to_string(static_cast<int>(setting.min)) : "3";
}

std::string other_value(const ParamSpec& spec) {
  if (spec.type == "integer") return std::to_string(std::stoull(spec.default_value) + 1);
  if (spec.name == "c") return "100";  // no fewer bits a key than rho needs, which would be refused
  if (spec.type == "real") return "0.2";
  const std::string first = spec.range.substr(0, spec.range.find(", "));
  return first == spec.default_value ? spec.range.substr(spec.range.rfind(", ") + 2) : first;
}

TEST_F(PlanTest, PointsThenRepeatsThenSeries) {
  EXPECT_EQ(described(plan(kSmall), {"N", "d"}), (std::vector<std::string>{
                                                     "2 2 0 Naive",
                                                     "2 2 0 Bloofi",
                                                     "2 2 1 Naive",
                                                     "2 2 1 Bloofi",  //
                                                     "2 3 0 Naive",
                                                     "2 3 0 Bloofi",
                                                     "2 3 1 Naive",
                                                     "2 3 1 Bloofi",  //
                                                     "10 2 0 Naive",
                                                     "10 2 0 Bloofi",
                                                     "10 2 1 Naive",
                                                     "10 2 1 Bloofi",  //
                                                     "10 3 0 Naive",
                                                     "10 3 0 Bloofi",
                                                     "10 3 1 Naive",
                                                     "10 3 1 Bloofi",
                                                 }));
}

TEST_F(PlanTest, WithoutASweepThereIsOnePoint) {
  EXPECT_EQ(plan(replaced(kSmall, "sweep: {N: [2, 10], d: [2, 3]}\n", "")).size(), 2U * 2);
}

TEST_F(PlanTest, PhasesComeInOneOrder) {
  for (const Unit& unit : plan(kSmall)) {
    EXPECT_EQ(unit.phases, (std::vector<std::string>{"build", "search", "insert", "erase"}));
  }
}

TEST_F(PlanTest, OtherScenariosHavePhasesOfTheirOwn) {
  const std::string config = replaced(kSmall, "maintain: [erase, insert], ", "");
  const std::string small = replaced(config, "figures: [{id: 5a, x: N, y: search_time}]\n", "");
  const auto phases = [&](const std::string& scenario) {
    return load(replaced(small, "about: a small one", "scenario: " + scenario)).phases;
  };
  EXPECT_EQ(phases("provenance"), (std::vector<std::string>{"build", "provenance"}));
  EXPECT_EQ(phases("window"), std::vector<std::string>{"window"});
}

TEST_F(PlanTest, UnitHasEverySettingAndTheStructureItsOwn) {
  const Unit unit = plan(kSmall).at(1);
  EXPECT_EQ(unit.experiment, "small");
  EXPECT_EQ(unit.structure, "bloofi");
  EXPECT_EQ(unit.settings.at("k"), "7");
  EXPECT_EQ(unit.settings.at("m"), "1024");  // 100 * 7 / ln 2 in whole words
  EXPECT_EQ(unit.settings.at("queries"), "20");
  EXPECT_EQ(unit.settings.at("batch"), "64");
  EXPECT_EQ(unit.settings.at("metric"), "hamming");
  EXPECT_EQ(unit.structure_params.at("d"), "2");
  EXPECT_FALSE(unit.structure_params.contains("queries"));
}

TEST_F(PlanTest, DerivedSizesAreThoseOfTheStructures) {
  for (const std::string rho : {"0.5", "0.1", "0.01", "0.001", "1e-7"}) {
    const Unit unit = plan(kSmall, "default", {{"rho", rho}, {"n_exp", "777"}}).front();
    Params params(std::map<std::string, std::string>{{"rho", rho}, {"n_exp", "777"}});
    find_structure("bloofi").make(params);
    for (const ParamSpec& spec : params.specs()) {
      if (spec.name != "m" && spec.name != "k") continue;
      EXPECT_EQ(unit.settings.at(spec.name), spec.default_value) << rho;
    }
  }
}

TEST_F(PlanTest, SettingsOfOneScenarioStayOutOfTheOthers) {
  const Unit unit = plan(kSmall).front();
  for (const char* name : {"days", "sample_every", "rebuild", "documents", "bundle"}) {
    EXPECT_FALSE(unit.settings.contains(name)) << name;
  }
}

TEST_F(PlanTest, SeriesGoesBeforeSweepAndSweepBeforeDefaults) {
  const std::string config =
      replaced(kSmall, "{name: Naive, structure: naive}", "{name: Naive, structure: naive, queries: 3, n: 4}");
  for (const Unit& unit : plan(config)) {
    EXPECT_EQ(unit.settings.at("queries"), unit.series == "Naive" ? "3" : "20");
    EXPECT_EQ(unit.settings.at("n"), unit.series == "Naive" ? "4" : "5");
    EXPECT_NE(unit.settings.at("N") == "2", unit.settings.at("N") == "10");
  }
}

TEST_F(PlanTest, SeriesThatFixesASweptSettingRunsOnce) {
  const std::string config =
      replaced(kSmall, "{name: Naive, structure: naive}", "{name: Naive, structure: naive, N: 3}");
  const std::vector<Unit> units = plan(config);
  EXPECT_EQ(std::ranges::count(units, "Naive", &Unit::series), 2 * 2);  // d and repetitions
  EXPECT_EQ(std::ranges::count(units, "Bloofi", &Unit::series), 2 * 2 * 2);
}

// Where a point stands on the axis must be in the rows of every curve.
TEST_F(PlanTest, SweptSettingStaysWithAStructureThatDoesNotTakeIt) {
  const Unit naive = plan(kSmall).front();
  EXPECT_EQ(naive.settings.at("d"), "2");
  EXPECT_FALSE(naive.structure_params.contains("d"));
  EXPECT_EQ(row_for(naive)["d"], "2");
}

TEST_F(PlanTest, RepetitionsDrawOtherHashesAndSeriesTheSame) {
  const std::vector<Unit> units = plan(kSmall);
  EXPECT_EQ(units[0].structure_params.at("seed"), units[1].structure_params.at("seed"));
  EXPECT_NE(units[0].structure_params.at("seed"), units[2].structure_params.at("seed"));
}

TEST_F(PlanTest, RunIdsAreUniqueAndStable) {
  const std::set<std::string> ids = ids_of(plan(kSmall));
  EXPECT_EQ(ids.size(), 16U);  // so series and repetition are in them
  EXPECT_EQ(ids, ids_of(plan(kSmall)));
}

// It has no seed of its own by which its repetitions would differ.
TEST_F(PlanTest, StructureWithoutHashesHasARunARepetitionToo) {
  EXPECT_EQ(ids_of(plan(replaced(kSmall, "structure: naive", "structure: exact"))).size(), 16U);
}

TEST_F(PlanTest, EverySettingOfTheHarnessChangesTheRunId) {
  const std::set<std::string> before = ids_of(plan(kSmall));
  for (const HarnessSetting& setting : harness_settings()) {
    Overrides set = {{setting.name, other_value(setting)}};
    if (setting.name == "threads") set.emplace_back("backend", "tbb");
    const std::vector<Unit> after = plan(kSmall, "default", set);
    EXPECT_EQ(after.front().settings.at(setting.name), other_value(setting));
    for (const Unit& unit : after) EXPECT_FALSE(before.contains(unit.run_id)) << setting.name;
  }
}

TEST_F(PlanTest, EveryParameterOfTheStructureChangesTheRunId) {
  const std::string before = plan(kSmall).at(1).run_id;
  for (const ParamSpec& spec : describe(find_structure("bloofi"))) {
    EXPECT_NE(plan(kSmall, "default", {{spec.name, other_value(spec)}}).at(1).run_id, before) << spec.name;
  }
}

TEST_F(PlanTest, NamesOfExperimentSeriesAndPhasesChangeTheRunId) {
  const std::set<std::string> before = ids_of(plan(kSmall));
  for (const auto& [from, to] : std::map<std::string, std::string>{{"experiment: small", "experiment: other"},
                                                                   {"[erase, insert]", "[erase, update]"}}) {
    for (const Unit& unit : plan(replaced(kSmall, from, to))) EXPECT_FALSE(before.contains(unit.run_id)) << to;
  }
  EXPECT_FALSE(before.contains(plan(replaced(kSmall, "name: Naive", "name: Other")).front().run_id));
}

// Words that are only read by people must not make rows stale.
TEST_F(PlanTest, TextsAndFiguresLeaveTheRunIdAlone) {
  const std::string config = replaced(replaced(kSmall, "a small one", "another text"), "id: 5a", "id: 5b");
  EXPECT_EQ(ids_of(plan(config)), ids_of(plan(kSmall)));
}

TEST_F(PlanTest, NumbersHaveOneSpelling) {
  EXPECT_EQ(ids_of(plan(replaced(kSmall, "n_exp: 100,", "n_exp: 1e2,"))), ids_of(plan(kSmall)));
}

TEST_F(PlanTest, ProfileLiesOnTopOfTheFile) {
  EXPECT_EQ(described(plan(kSmall, "quick"), {"N", "d", "queries"}),
            (std::vector<std::string>{"4 2 7 0 Bloofi", "4 3 7 0 Bloofi"}));
  EXPECT_EQ(ids_of(plan(kSmall, "paper")), ids_of(plan(kSmall)));  // says nothing of its own
}

TEST_F(PlanTest, SetReplacesDefaultsAndSweepsInAnyProfile) {
  EXPECT_EQ(described(plan(kSmall, "quick", {{"N", "7"}, {"batch", "1,2"}, {"queries", "9"}}), {"N", "d", "batch"}),
            (std::vector<std::string>{"7 2 1 0 Bloofi", "7 2 2 0 Bloofi", "7 3 1 0 Bloofi", "7 3 2 0 Bloofi"}));
  EXPECT_EQ(plan(kSmall, "quick", {{"repeats", "5"}}).size(), 2U * 5);
}

TEST_F(PlanTest, SetLeavesWhatASeriesIs) {
  const std::string config = replaced(kSmall, "structure: naive}", "structure: naive, queries: 3}");
  EXPECT_EQ(plan(config, "default", {{"queries", "8"}}).front().settings.at("queries"), "3");
}

TEST_F(PlanTest, SetOfWhatOnlyOtherStructuresTakeIsForThem) {
  EXPECT_EQ(ids_of(plan(kSmall, "default", {{"layout", "rows"}})), ids_of(plan(kSmall)));
}

TEST_F(PlanTest, ThreadsOfMeasureAreAnAxis) {
  const std::string config = replaced(kSmall, "repeats: 2}", "repeats: 2, threads: [1, 2], backend: tbb}");
  EXPECT_EQ(plan(config).size(), 32U);
}

// A swept value that nothing reads would draw a flat line and call it a finding.
TEST(ShippedConfigs, EverySweptSettingReachesTheHarnessOrAStructure) {
  for (const auto& file : find_configs(BLOOMERY_CONFIGS)) {
    for (const std::string& profile : profile_names()) {
      const Experiment experiment = load_experiment(file, profile, {});
      const std::vector<Unit> units = make_plan(experiment);
      for (const Axis& axis : experiment.sweep) {
        std::set<std::string> values;
        for (const Unit& unit : units) {
          const auto& read = find_harness_setting(axis.name) ? unit.settings : unit.structure_params;
          if (read.contains(axis.name)) values.insert(read.at(axis.name));
        }
        EXPECT_GE(values.size(), axis.values.size()) << file << " " << profile << " " << axis.name;
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
