// The program under mpirun: the same answers from any number of ranks, what the rows say, and what is left when a rank
// dies.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "tests/harness/program.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

const std::string kSharded = R"(experiment: spread
defaults: {N: 65, n: 5, m: 512, k: 3, batch: 100, ranks: 0}
series:
  - {name: Flat, structure: sharded, inner: flat_bloofi}
  - {name: Tree, structure: sharded, inner: bloofi, d: 3}
measure: {search: {queries: 500, hit_rate: 0.5}, maintain: [insert, update, erase]}
)";

class ShardedRunTest : public ProgramTest {
 protected:
  ShardedRunTest() { write("spread.yaml", kSharded); }

  static std::string mpirun(int ranks) {
    return "mpirun --oversubscribe --allow-run-as-root --bind-to none -n " + std::to_string(ranks) + " ";
  }
  int run_with(int ranks, const std::string& arguments) const {
    return std::system(
        ("cd '" + folder_.string() + "' && " + mpirun(ranks) + program() + " " + arguments + " >out 2>err").c_str());
  }
  std::vector<Row> rows_of(int ranks) const {
    const std::string results = "ranks" + std::to_string(ranks);
    EXPECT_EQ(run_with(ranks, "run spread.yaml --results " + results), 0) << slurp(folder_ / "err");
    return read_rows(folder_ / results / "spread/rows.csv").rows;
  }
};

TEST_F(ShardedRunTest, AnyNumberOfRanksAnswersTheSame) {
  const std::vector<Row> alone = rows_of(1);
  ASSERT_EQ(alone.size(), 10U);
  for (const int ranks : {2, 3}) {
    const std::vector<Row> spread = rows_of(ranks);
    ASSERT_EQ(spread.size(), alone.size());
    for (std::size_t i = 0; i < spread.size(); ++i) {
      EXPECT_EQ(spread[i]["status"], "ok") << spread[i].get("error");
      EXPECT_EQ(spread[i]["run_id"], alone[i]["run_id"]) << "rows of other numbers of ranks go on from each other";
      for (const char* column : {"phase", "ops", "matches", "false_positives", "false_negatives"}) {
        EXPECT_EQ(spread[i][column], alone[i][column]) << column << " of row " << i << " with " << ranks << " ranks";
      }
      EXPECT_EQ(spread[i].get("ranks"), std::to_string(ranks));
      EXPECT_EQ(spread[i].get("hosts"), "1");
    }
    EXPECT_GE(spread[1].number("bytes_sent"), (ranks - 1) * 500 * 8);
    EXPECT_EQ(alone[1].number("bytes_sent"), 0);
  }
}

// Nobody has to call mpirun for an experiment that says how many ranks it takes.
TEST_F(ShardedRunTest, RanksThatAnExperimentAsksForAreStarted) {
  write("spread.yaml", replaced(kSharded, ", ranks: 0}", "}\nsweep: {ranks: [1, 2]}"));
  const Outcome outcome = run("run spread.yaml small.yaml");
  EXPECT_EQ(outcome.code, 0) << slurp(folder_ / "err");
  EXPECT_TRUE(has(outcome.out, "spread: starting 2 processes with mpirun")) << outcome.out;
  EXPECT_EQ(rows().size(), 64U);
  std::map<std::string, std::string> matches;
  for (const Row& row : rows("spread")) {
    EXPECT_EQ(row["status"], "ok");
    if (row["phase"] == "search") matches[row["series"] + row.get("ranks")] = row["matches"];
  }
  ASSERT_EQ(matches.size(), 4U);
  EXPECT_EQ(matches["Flat1"], matches["Flat2"]);
  EXPECT_EQ(matches["Tree1"], matches["Tree2"]);
  EXPECT_TRUE(has(run("run spread.yaml").out, ", 0 to measure"));
}

TEST_F(ShardedRunTest, WithoutMpiEverythingElseWorks) {
  // The program alone, as on a machine where its library is not, and with no mpirun on the way.
  fs::create_directory(folder_ / "bin");
  fs::copy_file(BLOOMERY_PROGRAM, folder_ / "bin/bloomery");
  const std::string alone = "exec bin/bloomery ";
  write("asks.yaml", replaced(kSharded, ", ranks: 0}", ", ranks: 3}"));
  const Outcome asked = run("", "PATH=/nowhere; " + alone + "run asks.yaml small.yaml");
  EXPECT_EQ(asked.code, 2);
  ASSERT_EQ(asked.errors.size(), 1U);
  EXPECT_TRUE(has(asked.errors[0], "experiment 'spread' asks for 3 ranks, but mpirun cannot be started: No such file"))
      << asked.errors[0];
  EXPECT_EQ(rows().size(), 64U) << "what needs no ranks is measured";
  expect_message(run("", "export OMPI_COMM_WORLD_SIZE=2; " + alone + "run small.yaml"), 2,
                 "mpirun started 2 processes, but Open MPI cannot be used: ");
  // One rank needs none of it.
  EXPECT_EQ(run("", "PATH=/nowhere; " + alone + "run spread.yaml").code, 0);
}

TEST_F(ShardedRunTest, BadInput) {
  write("bad.yaml", replaced(kSharded, "inner: bloofi", "inner: bloom"));
  expect_message(run("validate bad.yaml"), 2,
                 "bad.yaml:5:45: inner is 'bloom'; it must be an index of many sets in one process");
  write("bad.yaml", replaced(kSharded, "inner: bloofi", "inner: blofi"));
  expect_message(run("validate bad.yaml"), 2, "bad.yaml:5:45: unknown inner 'blofi'; did you mean 'bloofi'?");
  write("bad.yaml", replaced(kSharded, "structure: sharded, inner: bloofi, d: 3", "structure: naive, inner: bloofi"));
  expect_message(run("validate bad.yaml"), 2, "naive takes no 'inner'; only sharded does");
  write("bad.yaml", replaced(kSharded, "d: 3", "timeout: 0"));
  expect_message(run("validate bad.yaml"), 2, "timeout is 0; it must be 1 to ");
  // More ranks than were started: an error in the row, and the exit code says so.
  write("more.yaml", replaced(kSharded, ", ranks: 0}", ", ranks: 3}"));
  EXPECT_NE(run_with(2, "run more.yaml"), 0);
  EXPECT_TRUE(has(rows("spread")[0].get("error"), "ranks is 3, but there are 2, start the program with mpirun -n 3"));
}

// A rank is killed in the middle: the run ends and says so, its rows are whole, and fewer ranks go on from there.
TEST_F(ShardedRunTest, KilledRankEndsTheRunAndFewerRanksGoOn) {
  write("long.yaml",
        "experiment: long\ndefaults: {n: 5, m: 1024, k: 3}\nsweep: {N: [20, 30, 6000]}\n"
        "series: [{name: Naive, structure: sharded, inner: naive}]\nmeasure: {search: {queries: 100000}}\n");
  std::thread assassin([&] {
    while (rows("long").size() < 4) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    // The rank whose environment says that it is number 2 of this test's own run.
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string pid = entry.path().filename().string();
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      std::error_code gone;
      if (fs::read_symlink(entry.path() / "cwd", gone) != fs::canonical(folder_)) continue;
      if (has(slurp(entry.path() / "environ"), std::string("OMPI_COMM_WORLD_RANK=2") + '\0'))
        ::kill(std::stoi(pid), SIGKILL);
    }
  });
  const int status = run_with(3, "run long.yaml");
  assassin.join();
  EXPECT_NE(status, 0);
  const std::string said = slurp(folder_ / "err");
  EXPECT_TRUE(has(said, "another rank or a host was lost; every completed row is in its rows.csv")) << said;
  const std::vector<Row> before = rows("long");
  ASSERT_EQ(before.size(), 4U);
  EXPECT_EQ(run_with(2, "run long.yaml"), 0) << slurp(folder_ / "err");
  EXPECT_TRUE(has(slurp(folder_ / "out"), ", 1 to measure")) << slurp(folder_ / "out");
  const std::vector<Row> after = rows("long");
  ASSERT_EQ(after.size(), 6U);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  EXPECT_EQ(after.back().get("ranks"), "2");
}

}  // namespace
}  // namespace bloomery
