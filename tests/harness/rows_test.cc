// The rows file: what it looks like, and that nothing that happens to it loses a row.
#include "experiments/rows.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "experiments/environment.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

const std::string kHeader =
    "schema,run_id,experiment,series,structure,N,d,m,k,n,rho,metric,distribution,construction,hash,threads,cores,"
    "backend,batch,seed,repeat,phase,status,ops,seconds,ns_per_op,bf_cost,filters_cost,nodes_cost,words,lines,"
    "cache_references,cache_misses,nodes,"
    "height,storage_bytes,memory_bytes,matches,false_positives,false_negatives,hit_rate,params\n";

Unit sample_unit() {
  Unit unit;
  unit.run_id = "0123456789abcdef";
  unit.experiment = "golden";
  unit.scenario = "index";
  unit.series = "Bloofi, \"AU\"";
  unit.structure = "bloofi";
  unit.phases = {"build"};
  unit.repeat = 3;
  unit.settings = {{"N", "10"}, {"d", "2"}, {"layout", "rows"}, {"after_updates", "true"}, {"seed", "1"}};
  return unit;
}

Row sample_row(const std::string& run_id = "0123456789abcdef") {
  Row row = row_for(sample_unit());
  row["run_id"] = run_id;
  return row;
}

class RowsTest : public FolderTest {
 protected:
  const fs::path file_ = folder_ / "rows.csv";
};
using RowsDeathTest = RowsTest;  // googletest runs these first, before there are threads that a fork would lose

TEST_F(RowsTest, GoldenRow) {
  Row row = sample_row();
  row["cores"] = "2";
  row["phase"] = "build";
  row["status"] = "ok";
  row["seconds"] = "0.5";
  RowWriter(file_).append({row});
  EXPECT_EQ(slurp(file_),
            kHeader +
                "2,0123456789abcdef,golden,\"Bloofi, \"\"AU\"\"\",bloofi,10,2,,,,,,,,,,2,,,1,3,build,ok,,0.5,"
                ",,,,,,,,,,,,,,,,after_updates=true;layout=rows\n");
}

TEST_F(RowsTest, HeaderIsThereBeforeTheFirstRow) {
  const RowWriter writer(file_);
  EXPECT_EQ(slurp(file_), kHeader);
  EXPECT_EQ(writer.note(), "");
}

TEST_F(RowsTest, RowFindsColumnsAndParams) {
  const Row row = sample_row();
  EXPECT_EQ(row.get("layout"), "rows");
  EXPECT_EQ(row.get("after_updates"), "true");
  EXPECT_EQ(row.get("N"), "10");
  EXPECT_EQ(row.get("lay"), "");
  EXPECT_EQ(row.get("rows"), "");
  EXPECT_EQ(row.number("N"), 10.0);
  EXPECT_FALSE(row.number("layout"));
  EXPECT_FALSE(row.number("seconds"));
  EXPECT_THROW(row["layout"], std::out_of_range);
}

TEST_F(RowsTest, QuotingSurvivesTheRoundTrip) {
  std::vector<Row> rows;
  for (const std::string text :
       {"plain", "a,b", "say \"x\"", "two\nlines", "cr\r\nlf", "\"", "\"\"", ",", " ", "é µ", ""}) {
    rows.push_back(sample_row());
    rows.back()["series"] = text;
    rows.back()["params"] = text;
  }
  RowWriter(file_).append(rows);
  const RowsFile read = read_rows(file_);
  EXPECT_EQ(read.problem, "");
  EXPECT_EQ(read.rows, rows);
}

// As a spreadsheet would save it.
TEST_F(RowsTest, LinesMayEndAsOnWindows) {
  RowWriter(file_).append({sample_row()});
  std::string text = slurp(file_);
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2))
    text.insert(at, 1, '\r');
  write("rows.csv", text);
  EXPECT_EQ(read_rows(file_).problem, "");
  EXPECT_EQ(read_rows(file_).rows, std::vector{sample_row()});
}

TEST_F(RowsTest, MissingAndEmptyFilesAreSoundAndEmpty) {
  for (const fs::path& file : {folder_ / "none", folder_ / "none" / "rows.csv", write("empty", "")}) {
    EXPECT_EQ(read_rows(file).problem, "");
    EXPECT_TRUE(read_rows(file).rows.empty());
  }
}

// A write that was cut short, at every byte of the last row.
TEST_F(RowsTest, TruncatedLastLineNeverCostsAnotherRow) {
  RowWriter(file_).append({sample_row("a"), sample_row("b")});
  const std::string sound = slurp(file_);
  RowWriter(file_).append({sample_row("c")});
  const std::string whole = slurp(file_);
  for (std::size_t size = sound.size() + 1; size < whole.size(); ++size) {
    const RowsFile read = read_rows(write("cut.csv", whole.substr(0, size)));
    EXPECT_EQ(read.problem, "row 3 is cut short");
    EXPECT_EQ(read.rows.size(), 2U);
  }
}

TEST_F(RowsTest, DamagedFileIsKeptAsideAndItsSoundRowsGoOn) {
  RowWriter(file_).append({sample_row("a"), sample_row("b"), sample_row("c")});
  fs::resize_file(file_, fs::file_size(file_) - 5);
  const std::string damaged = slurp(file_);
  {
    RowWriter writer(file_);
    EXPECT_TRUE(has(writer.note(), "row 3 is cut short; kept as rows.csv.damaged-1, 2 sound rows taken over"));
    EXPECT_EQ(writer.existing(), (std::vector{sample_row("a"), sample_row("b")}));
    EXPECT_EQ(slurp(folder_ / "rows.csv.damaged-1"), damaged);
    writer.append({sample_row("d")});
  }
  EXPECT_EQ(read_rows(file_).problem, "");
  EXPECT_EQ(read_rows(file_).rows, (std::vector{sample_row("a"), sample_row("b"), sample_row("d")}));
}

TEST_F(RowsTest, ForeignFilesAreKeptAsideOneByOne) {
  const std::vector<std::string> foreign = {"a,b\n1,2\n", "not a csv", "schema,run_id\n", std::string(100, '\0')};
  for (std::size_t i = 0; i < foreign.size(); ++i) {
    write("rows.csv", foreign[i]);
    const RowWriter writer(file_);
    EXPECT_TRUE(has(writer.note(), "line 1 is not the header of a rows file of this version")) << writer.note();
    EXPECT_TRUE(writer.existing().empty());
    EXPECT_EQ(slurp(folder_ / ("rows.csv.damaged-" + std::to_string(i + 1))), foreign[i]);
    EXPECT_EQ(slurp(file_), kHeader);
  }
}

TEST_F(RowsTest, RowsOfAnotherSchemaAreNotTaken) {
  Row other = sample_row();
  other["schema"] = "3";
  RowWriter(file_).append({sample_row(), other});
  EXPECT_EQ(read_rows(file_).problem, "row 2 has 42 cells and schema '3' instead of 42 and '2'");
  EXPECT_EQ(read_rows(file_).rows.size(), 1U);
  write("rows.csv", kHeader + "1,short\n");
  EXPECT_EQ(read_rows(file_).problem, "row 1 has 2 cells and schema '1' instead of 42 and '2'");
}

TEST_F(RowsTest, KeepOnlyDropsOtherRunsAndKeepsTheFileBefore) {
  RowWriter writer(file_);
  writer.append({sample_row("a"), sample_row("b"), sample_row("a")});
  const std::string before = slurp(file_);
  writer.keep_only({"a", "z"});
  EXPECT_EQ(read_rows(file_).rows, (std::vector{sample_row("a"), sample_row("a")}));
  EXPECT_EQ(writer.existing(), read_rows(file_).rows);
  EXPECT_EQ(slurp(folder_ / "rows.csv.previous"), before);
  EXPECT_FALSE(fs::exists(folder_ / "rows.csv.new"));
}

TEST_F(RowsTest, KeepOnlyWithNothingToDropLeavesTheFileAlone) {
  RowWriter writer(file_);
  writer.append({sample_row("a")});
  const auto written = fs::last_write_time(file_);
  writer.keep_only({"a"});
  EXPECT_EQ(fs::last_write_time(file_), written);
  EXPECT_FALSE(fs::exists(folder_ / "rows.csv.previous"));
}

// Whoever has the old file open keeps the old rows: the new ones come by rename and never half-way.
TEST_F(RowsTest, KeepOnlyReplacesTheFileInOneStep) {
  RowWriter writer(file_);
  writer.append({sample_row("a"), sample_row("b")});
  const std::string before = slurp(file_);
  fs::create_hard_link(file_, folder_ / "reader");
  writer.keep_only({"a"});
  EXPECT_EQ(slurp(folder_ / "reader"), before);
}

TEST_F(RowsTest, KeepOnlyThatCannotWriteLeavesTheRows) {
  RowWriter writer(file_);
  writer.append({sample_row("a"), sample_row("b")});
  const std::string before = slurp(file_);
  fs::create_directories(folder_ / "rows.csv.new" / "in the way");
  EXPECT_THROW(writer.keep_only({"a"}), IoError);
  EXPECT_EQ(slurp(file_), before);
}

TEST_F(RowsTest, TwoWritersAtOnceAreRefused) {
  const RowWriter writer(file_);
  try {
    RowWriter other(file_);
    FAIL();
  } catch (const IoError& e) {
    EXPECT_TRUE(has(e.what(), "is being written by another run")) << e.what();
  }
}

TEST_F(RowsTest, FolderThatCannotBeIsAnIoError) {
  write("file", "");
  EXPECT_THROW(RowWriter(folder_ / "file" / "rows.csv"), IoError);  // also for root, whom permissions do not stop
  EXPECT_THROW(write_environment(folder_ / "none" / "environment.json", "quick"), IoError);
}

// Ends the process: 0 if the writer is refused.
[[noreturn]] void write_as_nobody(const fs::path& file) {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() == 0 && ::setuid(kNobody) != 0) std::_Exit(2);
  try {
    RowWriter{file};
  } catch (const IoError&) {
    std::_Exit(0);
  }
  std::_Exit(1);
}

TEST_F(RowsDeathTest, FileThatMayNotBeWrittenIsAnIoErrorAtOnce) {
  RowWriter(file_).append({sample_row()});
  const std::string before = slurp(file_);
  fs::permissions(file_, fs::perms::owner_read | fs::perms::others_read);
  EXPECT_EXIT(write_as_nobody(file_), testing::ExitedWithCode(0), "");
  EXPECT_EQ(slurp(file_), before);
}

// Reading a device could go on for ever.
TEST_F(RowsTest, WhatIsNoRegularFileIsAnIoError) {
  fs::create_symlink("/dev/full", file_);
  EXPECT_THROW(read_rows(file_), IoError);
  EXPECT_THROW(RowWriter{file_}, IoError);
  EXPECT_TRUE(fs::is_symlink(file_));
  fs::create_directories(folder_ / "folder.csv");
  EXPECT_THROW(read_rows(folder_ / "folder.csv"), IoError);
}

// A limit on the size of files, for as long as it lives: the write beyond it is cut short, as on a full disk.
class SizeLimit {
 public:
  explicit SizeLimit(std::size_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit tight{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tight);
  }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit old_{};
  sighandler_t handler_;
};

TEST_F(RowsTest, FullDiskLeavesTheRowsSoFar) {
  RowWriter writer(file_);
  writer.append({sample_row("a"), sample_row("b")});
  const std::string before = slurp(file_);
  {
    const SizeLimit limit(before.size() + 20);  // room for a part of a row
    EXPECT_THROW(writer.append({sample_row("c")}), IoError);
  }
  EXPECT_EQ(slurp(file_), before);
  {
    const SizeLimit limit(before.size() - 20);  // not even for the file without a row
    EXPECT_THROW(writer.keep_only({"a"}), IoError);
  }
  EXPECT_EQ(slurp(file_), before);
  EXPECT_FALSE(fs::exists(folder_ / "rows.csv.new"));
  writer.append({sample_row("d")});
  EXPECT_EQ(read_rows(file_).rows, (std::vector{sample_row("a"), sample_row("b"), sample_row("d")}));
}

}  // namespace
}  // namespace bloomery
