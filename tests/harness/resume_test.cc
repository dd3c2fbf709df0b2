// A run that goes on where an earlier one ended, however that was.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "experiments/environment.h"
#include "tests/harness/program.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

class ResumeTest : public ProgramTest {
 protected:
  void measure_all() const { ASSERT_EQ(run("run small.yaml").code, 0); }

  // Measures so many units, leaves the rows of the others as they were, and ends complete.
  void expect_measured(std::size_t units, const std::vector<Row>& kept, const std::string& arguments = "") const {
    const Outcome outcome = run("run small.yaml " + arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(has(outcome.out, " " + std::to_string(units) + " to measure\n")) << outcome.out;
    const std::vector<Row> after = rows();
    EXPECT_EQ(after.size(), 64U);
    for (const Row& row : kept) EXPECT_EQ(std::ranges::count(after, row), 1);
  }

  void rewrite(const std::vector<Row>& kept) const {
    fs::remove(rows_file());
    RowWriter(rows_file()).append(kept);
  }
};

// The times would differ.
TEST_F(ResumeTest, SecondRunMeasuresNothingAndLeavesTheFileAlone) {
  measure_all();
  const std::string before = slurp(rows_file());
  expect_measured(0, rows());
  EXPECT_EQ(slurp(rows_file()), before);
}

TEST_F(ResumeTest, FileCutInALineCostsOneUnit) {
  measure_all();
  std::vector<Row> kept = rows();
  kept.resize(60);
  fs::resize_file(rows_file(), fs::file_size(rows_file()) - 3);
  expect_measured(1, kept);
  EXPECT_TRUE(fs::exists(rows_file().string() + ".damaged-1"));
}

TEST_F(ResumeTest, UnitWithoutARowIsMeasuredAsAWhole) {
  measure_all();
  std::vector<Row> kept = rows();
  kept.erase(kept.begin() + 21);  // the second phase of the sixth unit
  rewrite(kept);
  kept.erase(kept.begin() + 20, kept.begin() + 23);
  expect_measured(1, kept);
}

TEST_F(ResumeTest, LastUnitIsMeasuredAgainIfItsRowsAreGone) {
  measure_all();
  std::vector<Row> kept = rows();
  kept.resize(56);
  rewrite(kept);
  expect_measured(2, kept);
}

TEST_F(ResumeTest, RowsThatAreThereTwiceAreMeasuredAgain) {
  measure_all();
  std::vector<Row> twice = rows();
  twice.push_back(twice.back());
  rewrite(twice);
  twice.resize(60);
  expect_measured(1, twice);
}

TEST_F(ResumeTest, ErrorsAreTriedAgain) {
  measure_all();
  std::vector<Row> with_error = rows();
  with_error[2]["status"] = "error";
  rewrite(with_error);
  expect_measured(1, {with_error.begin() + 4, with_error.end()});
}

// One row a sampled day, all of one phase: a day that is missing must not go unnoticed.
TEST_F(ResumeTest, WindowIsCompleteOnlyWithAllItsDays) {
  write("w.yaml",
        "experiment: w\nscenario: window\ndefaults: {N: 10, n: 5, n_exp: 100, days: 20}\n"
        "series: [{name: Bloofi, structure: bloofi}]\nmeasure: {search: {queries: 20}}\n");
  ASSERT_EQ(run("run w.yaml").code, 0);
  EXPECT_TRUE(has(run("run w.yaml").out, ", 0 to measure"));
  fs::resize_file(rows_file("w"), fs::file_size(rows_file("w")) - 3);
  EXPECT_TRUE(has(run("run w.yaml").out, ", 1 to measure"));
  EXPECT_EQ(rows("w").size(), 11U);
}

TEST_F(ResumeTest, ForceMeasuresAgainAndKeepsTheFileBefore) {
  measure_all();
  const std::string before = slurp(rows_file());
  expect_measured(16, {}, "--force");
  EXPECT_NE(slurp(rows_file()), before);
  EXPECT_EQ(slurp(rows_file().string() + ".previous"), before);
}

TEST_F(ResumeTest, OtherSettingsReplaceTheRowsAndSaySo) {
  measure_all();
  const Outcome outcome = run("run small.yaml --set N=3");
  expect_message(outcome, 0, "64 rows of other settings or an older program dropped; they are in rows.csv.previous");
  EXPECT_EQ(rows().size(), 32U);
  for (const Row& row : rows()) EXPECT_EQ(row["N"], "3");
  EXPECT_EQ(read_rows(rows_file().string() + ".previous").rows.size(), 96U);
}

TEST_F(ResumeTest, ForeignFileIsSetAside) {
  fs::create_directories(rows_file().parent_path());
  std::ofstream(rows_file()) << "my own numbers\n";
  expect_message(run("run small.yaml"), 0,
                 "is not the header of a rows file of this version; kept as rows.csv.damaged-1");
  EXPECT_EQ(slurp(rows_file().string() + ".damaged-1"), "my own numbers\n");
  EXPECT_EQ(rows().size(), 64U);
}

TEST_F(ResumeTest, TwoRunsAtOnceAreRefused) {
  measure_all();
  const std::string before = slurp(rows_file());
  const RowWriter another(rows_file());
  expect_message(run("run small.yaml --force"), 5,
                 "results/small/rows.csv is being written by another run; wait for it");
  EXPECT_EQ(slurp(rows_file()), before);
}

TEST_F(ResumeTest, WrongAnswerIsOne) {
  measure_all();
  std::vector<Row> wrong = rows();
  wrong[1]["status"] = "false_negative";
  wrong[1]["false_negatives"] = "3";
  rewrite(wrong);
  expect_message(run("run small.yaml"), 1, "1 row with FALSE NEGATIVES, the first in phase search of series 'Naive'");
}

// A structure that does not get its memory fails in its first phase; the run goes on and ends with 3.
TEST_F(ResumeTest, RunWithErrorsIsThree) {
  if (!is_release_build()) GTEST_SKIP() << "the address sanitizer needs more address space than any limit leaves";
  write("large.yaml",
        "experiment: large\ndefaults: {N: 1}\nsweep: {n: [3e7, 5]}\n"
        "series: [{name: Exact, structure: exact}]\nmeasure: {search: {queries: 5}}\n");
  expect_message(run("run large.yaml", "ulimit -v 900000"), 3, "1 row with errors, the first in phase build of series");
  ASSERT_EQ(rows("large").size(), 4U);
  EXPECT_EQ(rows("large")[0]["status"], "error");
  EXPECT_EQ(rows("large")[1]["status"], "skipped");
  EXPECT_EQ(rows("large")[2]["status"], "ok");
}

// The last point takes long enough to be killed in.
class KilledRunTest : public ProgramTest {
 protected:
  KilledRunTest() {
    write("slow.yaml",
          "experiment: slow\ndefaults: {n: 5, m: 1024, k: 3}\nsweep: {N: [2, 3, 3000]}\n"
          "series: [{name: Naive, structure: naive}]\nmeasure: {search: {queries: 40000}, repeats: 2}\n");
  }

  // Runs the program and ends it the hard way once so many rows are there.
  void kill_after(std::size_t count) const {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (::chdir(folder_.c_str()) == 0 && std::freopen("out", "w", stdout) && std::freopen("err", "w", stderr)) {
        ::execl(BLOOMERY_PROGRAM, BLOOMERY_PROGRAM, "run", "slow.yaml", nullptr);
      }
      std::_Exit(127);
    }
    int status = 0;
    while (rows("slow").size() < count && ::waitpid(child, &status, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended before it was killed";
  }
};

TEST_F(KilledRunTest, NextRunMeasuresOnlyWhatIsMissing) {
  kill_after(8);
  const std::vector<Row> before = rows("slow");
  ASSERT_LT(before.size(), 12U);
  const Outcome outcome = run("run slow.yaml");
  EXPECT_EQ(outcome.code, 0);
  const std::string missing = std::to_string(6 - before.size() / 2);
  EXPECT_TRUE(has(outcome.out, "6 runs in 1 experiment, " + missing + " to measure")) << outcome.out;
  const std::vector<Row> after = rows("slow");
  ASSERT_EQ(after.size(), 12U);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
}

}  // namespace
}  // namespace bloomery
