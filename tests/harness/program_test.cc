// The program as its user meets it: what it prints, which code it ends with, what it writes.
#include "tests/harness/program.h"

#include <gtest/gtest.h>

#include "experiments/metrics.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

const std::string kConfigs = std::string("'") + BLOOMERY_CONFIGS + "'";

TEST_F(ProgramTest, HelpNamesCommandsAndExitCodes) {
  const Outcome help = run("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* text :
       {"run", "plot", "report", "validate", "list", "describe", "Exit codes: 0 success; 1 ", "; 5 "}) {
    EXPECT_TRUE(has(help.out, text)) << text;
  }
  for (const std::string command : {"run", "plot", "report", "validate", "optimize", "list", "describe"}) {
    EXPECT_EQ(run(command + " --help").code, 0) << command;
  }
}

TEST_F(ProgramTest, BadUsageIsTwo) {
  for (const char* arguments : {"", "fly", "run --fast", "list rubbish", "describe", "run --force --resume"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_FALSE(outcome.errors.empty()) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
  }
}

TEST_F(ProgramTest, ListsWhatThereIs) {
  const std::string structures = run("list structures").out;
  for (const RegistryEntry& entry : registry()) EXPECT_TRUE(has(structures, entry.name + " ")) << entry.name;
  const std::string all_metrics = run("list metrics").out;
  for (const Metric& metric : metrics()) EXPECT_TRUE(has(all_metrics, metric.name + " ")) << metric.name;
  const std::string settings = run("list settings").out;
  for (const HarnessSetting& setting : harness_settings()) EXPECT_TRUE(has(settings, setting.name + " "));
  const Outcome experiments = run("list experiments " + kConfigs);
  EXPECT_EQ(experiments.code, 0);
  EXPECT_TRUE(has(experiments.out, "bloofi_vary_N "));
  EXPECT_EQ(run("list --help").code, 0);
  const Outcome figures = run("list figures small.yaml");
  EXPECT_EQ(figures.code, 0);
  EXPECT_TRUE(has(figures.out, "5a"));
}

TEST_F(ProgramTest, DescribesEveryStructure) {
  for (const RegistryEntry& entry : registry()) {
    const Outcome outcome = run("describe " + entry.name);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(has(outcome.out, entry.about));
    for (const ParamSpec& spec : describe(entry)) EXPECT_TRUE(has(outcome.out, spec.name + " ")) << spec.name;
  }
  expect_message(run("describe blofi"), 2, "unknown structure 'blofi'; did you mean 'bloofi'?");
}

TEST_F(ProgramTest, ValidatesEveryProfile) {
  const Outcome outcome = run("validate small.yaml");
  EXPECT_EQ(outcome.code, 0);
  for (const std::string& profile : profile_names()) EXPECT_TRUE(has(outcome.out, profile)) << outcome.out;
  write("small.yaml", replaced(kSmall, "N: [4]", "N: [0]"));
  expect_message(run("validate small.yaml"), 2, "small.yaml:11:23: N is '0'; it must be an integer from 1");
}

TEST_F(ProgramTest, DryRunPrintsThePlanAndWritesNothing) {
  const std::vector<std::string> before = files();
  const Outcome outcome = run("run small.yaml --dry-run");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.out, "16 runs")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "16 runs to measure, roughly ")) << outcome.out;
  EXPECT_EQ(files(), before);
}

TEST_F(ProgramTest, RunWritesRowsAndTheMachine) {
  const Outcome outcome = run("run small.yaml");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.errors.empty());
  EXPECT_TRUE(has(outcome.out, "16 runs in 1 experiment, 16 to measure\n")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "16 of 16 runs")) << outcome.out;
  EXPECT_EQ(read_rows(rows_file()).problem, "");
  EXPECT_EQ(rows().size(), 16U * 4);
  EXPECT_TRUE(has(slurp(rows_file().parent_path() / "environment.json"), "\"model\""));
}

TEST_F(ProgramTest, BadConfigStopsEverythingBeforeAnythingIsWritten) {
  write("z.yaml", "experiment: z\nseris: []\n");
  const std::vector<std::string> before = files();
  expect_message(run("run small.yaml z.yaml"), 2, "z.yaml:2:1: unknown key 'seris' of an experiment; did you mean");
  expect_message(run("run ."), 2, "z.yaml:2:1: ");
  expect_message(run("run none.yaml"), 2, "none.yaml: no such file or folder");
  expect_message(run("run"), 2, "configs: no such file or folder");
  expect_message(run("run small.yaml --profile huge"), 2, "known names: quick, default, paper");
  EXPECT_EQ(files(), before);
}

TEST_F(ProgramTest, TwoExperimentsOfOneNameAreRefused) {
  write("other.yaml", kSmall);
  expect_message(run("run small.yaml other.yaml"), 2, "experiment 'small' is already in small.yaml; rename one");
}

TEST_F(ProgramTest, FolderWithoutConfigsIsRefused) {
  fs::create_directories(folder_ / "empty");
  expect_message(run("run empty"), 2, "no .yaml file");
}

TEST_F(ProgramTest, BadSetIsRefusedAndNothingOverwritten) {
  ASSERT_EQ(run("run small.yaml").code, 0);
  const std::string before = slurp(rows_file());
  expect_message(run("run small.yaml --set N=0"), 2, "small.yaml with --set: N is '0'; it must be an integer from 1");
  expect_message(run("run small.yaml --force --set d=1"), 2, "d is 1; it must be 2 to ");
  expect_message(run("run small.yaml --set N"), 2, "--set N: write it as key=value");
  expect_message(run("run small.yaml --set quories=3"), 2, "did you mean 'queries'?");
  EXPECT_EQ(slurp(rows_file()), before);
}

TEST_F(ProgramTest, SetMayBeRepeatedAndSweep) {
  EXPECT_TRUE(has(run("run small.yaml --dry-run --set N=3 --set d=2,3,4 --set repeats=1").out, "6 runs to measure"));
}

TEST_F(ProgramTest, OnlyTakesAnExperimentOrAFigure) {
  write("other.yaml", replaced(replaced(kSmall, "small", "other"), "id: 5a", "id: 5c"));
  for (const std::string only : {"small", "5a"}) {
    const Outcome outcome = run("run . --dry-run --only " + only);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(has(outcome.out, "16 runs to measure")) << outcome.out;
  }
  expect_message(run("run . --only smal"), 2, "--only smal: no such experiment or figure; did you mean 'small'?");
  EXPECT_FALSE(fs::exists(folder_ / "results"));
}

TEST_F(ProgramTest, PlotAndReportWriteFiles) {
  ASSERT_EQ(run("run small.yaml").code, 0);
  const Outcome plot = run("plot small.yaml");
  EXPECT_EQ(plot.code, 0);
  EXPECT_EQ(plot.out, "plots/small/5a.svg\nplots/small/5a.png\n");
  EXPECT_TRUE(has(slurp(folder_ / "plots/small/5a.svg"), "<svg"));
  const Outcome report = run("report small.yaml");
  EXPECT_EQ(report.code, 0);
  EXPECT_EQ(report.out, "plots/report.html\n");
  EXPECT_TRUE(has(slurp(folder_ / "plots/report.html"), "<html"));
}

TEST_F(ProgramTest, PlotWithoutRowsIsThree) {
  expect_message(run("plot small.yaml"), 3, "no rows in results/small/rows.csv; run the experiment first");
  EXPECT_FALSE(fs::exists(folder_ / "plots"));
}

// What can be drawn is drawn; what lacks rows is named.
TEST_F(ProgramTest, PlotWithoutTheRowsOfOneFigureDrawsTheOthers) {
  write("small.yaml",
        replaced(kSmall, "search_time}]", "search_time}, {id: b, x: N, y: insert_time, series: [Bloofi]}]"));
  ASSERT_EQ(run("run small.yaml").code, 0);
  std::vector<std::string> kept;
  for (const Row& row : rows()) {
    if (row["series"] == "Bloofi") kept.push_back(row["run_id"]);
  }
  RowWriter(rows_file()).keep_only(kept);
  const Outcome outcome = run("plot small.yaml");
  expect_message(outcome, 3, "figure 5a of small");
  EXPECT_EQ(outcome.out, "plots/small/b.svg\nplots/small/b.png\n");
}

TEST_F(ProgramTest, WhatCannotBeWrittenIsFive) {
  write("file", "");
  expect_message(run("run small.yaml --results file"), 5, "cannot create the folder of file/small/rows.csv: ");
  ASSERT_EQ(run("run small.yaml --set repeats=1").code, 0);
  EXPECT_EQ(run("plot small.yaml --plots file").code, 5);
  expect_message(run("report small.yaml --plots file"), 5, "cannot write file/report.html");
}

// As a full disk: no file may grow beyond a few rows.
TEST_F(ProgramTest, FullDiskIsFiveAndLeavesWholeRows) {
  expect_message(run("run small.yaml", "trap '' XFSZ; ulimit -f 16"), 5, "cannot write results/small/rows.csv: ");
  EXPECT_EQ(read_rows(rows_file()).problem, "");
  EXPECT_GT(rows().size(), 0U);
  EXPECT_EQ(rows().size() % 4, 0U);
  const std::vector<Row> before = rows();
  ASSERT_EQ(run("run small.yaml").code, 0);
  const std::vector<Row> after = rows();
  ASSERT_EQ(after.size(), 64U);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
}

}  // namespace
}  // namespace bloomery
