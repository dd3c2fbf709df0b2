// A sweep in parts: every point in exactly one, and joined again without loss, doubles or silence about conflicts.
#include "experiments/shards.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "tests/harness/program.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

class ShardsTest : public ProgramTest {
 protected:
  std::vector<Row> shard_rows(const std::string& part) const {
    return read_rows(folder_ / "results/shards" / part / "small/rows.csv").rows;
  }
  static std::multiset<std::string> ids(const std::vector<Row>& rows) {
    std::multiset<std::string> result;
    for (const Row& row : rows) result.insert(row["run_id"] + " " + row["phase"]);
    return result;
  }
  void rewrite(const std::string& part, const std::vector<Row>& rows) const {
    const fs::path file = folder_ / "results/shards" / part / "small/rows.csv";
    fs::remove(file);
    RowWriter(file).append(rows);
  }
};

TEST_F(ShardsTest, EveryPointIsInExactlyOnePartWhateverTheirNumber) {
  const Experiment experiment = load(kSmall);
  const std::vector<Unit> all = make_plan(experiment);
  for (const std::size_t count : {1U, 2U, 3U, 8U, 9U}) {
    std::map<std::string, int> seen;
    for (std::size_t number = 1; number <= count; ++number) {
      PointCounter points;
      const std::vector<Unit> part = points.take(experiment, all, {number, count});
      EXPECT_EQ(points.points(), 8U);  // 2 N, 2 d, 2 repetitions
      EXPECT_EQ(part.empty(), number > 8) << number;
      std::map<std::string, std::set<std::string>> compared;
      for (const Unit& unit : part) {
        ++seen[unit.run_id];
        compared[unit.settings.at("N") + unit.settings.at("d") + std::to_string(unit.repeat)].insert(unit.series);
      }
      for (const auto& [point, series] : compared) EXPECT_EQ(series.size(), 2U) << point;
    }
    EXPECT_EQ(seen.size(), all.size());
    for (const auto& [id, times] : seen) EXPECT_EQ(times, 1) << id;
  }
}

TEST_F(ShardsTest, SeveralExperimentsGoOnCountingSoThatPartsAreEven) {
  const Experiment experiment = load(replaced(kSmall, "sweep: {N: [2, 10], d: [2, 3]}", "sweep: {N: [2, 10, 11]}"),
                                     "default", {{"repeats", "1"}});
  PointCounter points;
  const std::size_t first = points.take(experiment, make_plan(experiment), {1, 2}).size();
  const std::size_t second = points.take(experiment, make_plan(experiment), {1, 2}).size();
  EXPECT_EQ(first, 4U);   // points 0 and 2 of 0, 1, 2
  EXPECT_EQ(second, 2U);  // point 4 of 3, 4, 5
}

TEST_F(ShardsTest, MergedPartsAreTheWholeSweep) {
  ASSERT_EQ(run("run small.yaml --results whole").code, 0);
  for (const char* part : {"1/3", "2/3", "3/3"}) ASSERT_EQ(run(std::string("run small.yaml --shard ") + part).code, 0);
  EXPECT_EQ(shard_rows("1-of-3").size() + shard_rows("2-of-3").size() + shard_rows("3-of-3").size(), 64U);
  const Outcome merged = run("merge");
  EXPECT_EQ(merged.code, 0);
  EXPECT_TRUE(has(merged.out, "results/small/rows.csv: 64 rows added")) << merged.out;
  EXPECT_EQ(ids(rows()), ids(read_rows(folder_ / "whole/small/rows.csv").rows));
  EXPECT_TRUE(fs::exists(folder_ / "results/small/environment-2-of-3.json"));
  // Again, and nothing is there twice; nor is anything left to measure.
  EXPECT_TRUE(has(run("merge").out, ": 0 rows added"));
  EXPECT_EQ(rows().size(), 64U);
  EXPECT_TRUE(has(run("run small.yaml").out, ", 0 to measure"));
}

TEST_F(ShardsTest, PartResumesByItself) {
  ASSERT_EQ(run("run small.yaml --shard 1/2").code, 0);
  EXPECT_TRUE(has(run("run small.yaml --shard 1/2").out, ", 0 to measure"));
}

TEST_F(ShardsTest, ConflictIsToldAndNothingIsWritten) {
  ASSERT_EQ(run("run small.yaml --shard 1/2").code, 0);
  std::vector<Row> changed = shard_rows("1-of-2");
  rewrite("elsewhere", changed);
  EXPECT_EQ(run("merge").code, 0);  // the same rows twice are no conflict
  fs::remove_all(folder_ / "results/small");
  changed[2]["seconds"] = "123";
  rewrite("elsewhere", changed);
  const std::vector<std::string> before = files();
  expect_message(run("merge"), 2, "was measured twice: results/shards/1-of-2/small/rows.csv and ");
  EXPECT_EQ(files(), before);
}

TEST_F(ShardsTest, FailedRunGivesWayToASoundOne) {
  ASSERT_EQ(run("run small.yaml --shard 1/2").code, 0);
  std::vector<Row> failed = shard_rows("1-of-2");
  failed[0]["status"] = "error";
  rewrite("0-first", failed);
  EXPECT_EQ(run("merge").code, 0);
  EXPECT_EQ(ids(rows()), ids(shard_rows("1-of-2")));
  for (const Row& row : rows()) EXPECT_EQ(row["status"], "ok");
}

TEST_F(ShardsTest, DamagedPartIsToldAndNothingIsWritten) {
  for (const char* part : {"1/2", "2/2"}) ASSERT_EQ(run(std::string("run small.yaml --shard ") + part).code, 0);
  const fs::path file = folder_ / "results/shards/2-of-2/small/rows.csv";
  fs::resize_file(file, fs::file_size(file) - 3);
  expect_message(run("merge"), 5, "results/shards/2-of-2/small/rows.csv: row 32 is cut short; run that part again");
  EXPECT_FALSE(fs::exists(rows_file()));
}

TEST_F(ShardsTest, BadUsage) {
  for (const char* part : {"0/2", "3/2", "2", "a/b", "1/", "/2", "1/1000000", "-1/2"}) {
    expect_message(run(std::string("run small.yaml --shard ") + part), 2,
                   std::string("--shard ") + part + ": write it as i/n");
  }
  expect_message(run("merge"), 3, "nothing to merge: no rows.csv in results/shards");
  expect_message(run("merge nowhere"), 2, "nowhere: no such folder");
  EXPECT_EQ(run("slurm small.yaml --time soon").code, 2);
  EXPECT_EQ(run("slurm small.yaml --tasks 0").code, 2);
}

// What sbatch would run, run here: as many times as the array has parts.
TEST_F(ShardsTest, SlurmScriptMeasuresEverythingOnce) {
  const Outcome script = run("slurm small.yaml --tasks 3 --time 2:00:00 --results \"it's here\"");
  ASSERT_EQ(script.code, 0);
  for (const char* line : {"#!/bin/bash\n", "#SBATCH --array=1-3\n", "#SBATCH --exclusive\n",
                           "#SBATCH --time=2:00:00\n", "#SBATCH --cpus-per-task=1\n"}) {
    EXPECT_TRUE(has(script.out, line)) << line;
  }
  write("job.sh", script.out);
  const std::string in_folder = "cd '" + folder_.string() + "' && BLOOMERY_SHARE_HOST=1 ";
  for (const char* task : {"1", "2", "3"}) {
    ASSERT_EQ(std::system((in_folder + "SLURM_ARRAY_TASK_ID=" + task + " bash job.sh >out 2>err").c_str()), 0);
  }
  EXPECT_EQ(run("merge --results \"it's here\"").code, 0);
  EXPECT_EQ(read_rows(folder_ / "it's here/small/rows.csv").rows.size(), 64U);
  EXPECT_TRUE(has(run("slurm small.yaml --tasks 100").out, "#SBATCH --array=1-8\n")) << "a point is never split";
}

TEST_F(ShardsTest, TimedPointsWaitForTheHost) {
  const std::string lock = (folder_ / "lock").string();
  const int fd = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  ASSERT_EQ(::write(fd, "4711", 4), 4);
  const std::string alone = "unset BLOOMERY_SHARE_HOST; export BLOOMERY_HOST_LOCK='" + lock + "'";
  EXPECT_EQ(run("run small.yaml --share-host", alone).code, 0);
  EXPECT_EQ(rows().size(), 64U);
  std::thread release([&] {
    while (!has(slurp(folder_ / "err"), "waiting")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(rows("other").size(), 0U) << "it measured beside the other";
    ::close(fd);
  });
  write("other.yaml", replaced(kSmall, "experiment: small", "experiment: other"));
  expect_message(run("run other.yaml", alone), 0, "process 4711 measures on this host; waiting for it");
  release.join();
  EXPECT_EQ(rows("other").size(), 64U);
  expect_message(run("run small.yaml --force", "export BLOOMERY_SHARE_HOST=0 BLOOMERY_HOST_LOCK=/no/such/folder/lock"),
                 5, "cannot lock this host with /no/such/folder/lock: No such file or directory");
}

}  // namespace
}  // namespace bloomery
