// The first part of the regression gate: counts, held exactly.
#include "experiments/gate_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiments/csv.h"
#include "structures/registry.h"
#include "tests/harness/program.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

const fs::path kGateConfigs = fs::path(BLOOMERY_CONFIGS) / "gate";

class GateCounts : public FolderTest {
 protected:
  std::vector<CountRow> counts() const { return measure_counts({load(kSmall, "quick")}); }
};

std::size_t cell(const std::string& column) {
  const std::string text = counts_text({});
  std::string_view rest = text;
  std::vector<std::string> header;
  EXPECT_TRUE(take_csv_record(rest, header));
  return static_cast<std::size_t>(std::ranges::find(header, column) - header.begin()) - 6;
}

CountRow& row_of(std::vector<CountRow>& rows, const std::string& phase) {
  return *std::ranges::find_if(rows, [&](const CountRow& row) { return row.name[5] == phase; });
}

TEST_F(GateCounts, AreTheSameTwice) { EXPECT_EQ(counts(), counts()); }

TEST_F(GateCounts, SurviveTheFile) {
  const std::vector<CountRow> rows = counts();
  EXPECT_EQ(rows.size(), 8U);
  EXPECT_EQ(parse_counts(counts_text(rows)), rows);
  write_counts(folder_ / "new" / "gate.csv", rows);
  EXPECT_EQ(read_counts(folder_ / "new" / "gate.csv"), rows);
  EXPECT_TRUE(changed_counts(rows, rows).empty());
  EXPECT_TRUE(wrong_counts(rows).empty());
}

// As if an insertion had visited one node more than it did.
TEST_F(GateCounts, OneMoreNodeVisitIsFound) {
  const std::vector<CountRow> before = counts();
  std::vector<CountRow> now = before;
  CountRow& insert = row_of(now, "insert");
  const double ops = std::stod(insert.cells[cell("ops")]);
  std::string& nodes = insert.cells[cell("nodes_cost")];
  const std::string was = nodes;
  nodes = std::to_string((std::stod(nodes) * ops + 1) / ops);
  const std::vector<std::string> changes = changed_counts(before, now);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0], "small, Bloofi, N=4;d=2, repetition 0, insert: nodes_cost " + was + " -> " + nodes);
}

TEST_F(GateCounts, RowsThatComeAndGoAreChanges) {
  std::vector<CountRow> before = counts();
  std::vector<CountRow> now = before;
  before.erase(before.begin());
  now.pop_back();
  const std::vector<std::string> changes = changed_counts(before, now);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_TRUE(has(changes[0], "build: new")) << changes[0];
  EXPECT_TRUE(has(changes[1], ": gone")) << changes[1];
}

TEST_F(GateCounts, WrongAnswersAreNoReference) {
  std::vector<CountRow> rows = counts();
  row_of(rows, "search").cells[cell("false_negatives")] = "1";
  row_of(rows, "insert").cells[cell("status")] = "error";
  row_of(rows, "erase").cells[cell("status")] = "unsupported";
  EXPECT_EQ(wrong_counts(rows).size(), 2U);
}

TEST_F(GateCounts, DamagedFilesAreRefused) {
  const std::string text = counts_text(counts());
  EXPECT_THROW(parse_counts(""), InputError);
  EXPECT_THROW(parse_counts("a,b\n"), InputError);
  EXPECT_THROW(parse_counts(text.substr(0, text.size() - 1)), InputError);
  EXPECT_THROW(parse_counts(text + "x\n"), InputError);
  EXPECT_THROW(read_counts(folder_ / "none.csv"), InputError);
}

TEST(GateConfigs, CoverEveryStructure) {
  std::set<std::string> covered;
  for (const fs::path& file : find_configs(kGateConfigs)) {
    for (const Series& series : load_experiment(file, "default", {}).series) covered.insert(series.structure);
  }
  covered.insert("sharded");  // takes processes, and counts what the structure inside it counts
  for (const std::string& name : structure_names()) EXPECT_TRUE(covered.contains(name)) << name;
}

TEST(GateConfigs, AreNotRunUnlessAskedFor) {
  for (const fs::path& file : find_configs(BLOOMERY_CONFIGS)) EXPECT_NE(file.parent_path(), kGateConfigs) << file;
  EXPECT_FALSE(find_configs(kGateConfigs).empty());
}

// The program: update, compare, tampered reference, nothing to measure.
TEST_F(ProgramTest, GateHoldsCountsToTheReference) {
  fs::create_directories(folder_ / "gate");
  fs::rename(folder_ / "small.yaml", folder_ / "gate" / "small.yaml");
  const std::string gate = "gate --only counts --configs gate --reference reference";
  expect_message(run(gate), 2, "reference/gate.csv: no such file; write it with bloomery gate --update");
  EXPECT_EQ(run(gate + " --update").code, 0);
  const Outcome same = run(gate);
  EXPECT_EQ(same.code, 0) << same.out;
  EXPECT_TRUE(has(same.out, "64 rows, all as before")) << same.out;
  std::vector<CountRow> rows = read_counts(folder_ / "reference" / "gate.csv");
  row_of(rows, "search").cells[cell("matches")] += "0";
  write_counts(folder_ / "reference" / "gate.csv", rows);
  const Outcome other = run(gate);
  EXPECT_EQ(other.code, 1);
  EXPECT_TRUE(has(other.out, "search: matches")) << other.out;
  EXPECT_TRUE(has(run(gate + " --update").out, "64 rows, 1 changes"));
  EXPECT_EQ(run(gate).code, 0);
}

TEST_F(ProgramTest, GateWithoutExperimentsIsThree) {
  fs::create_directories(folder_ / "empty");
  expect_message(run("gate --only counts --configs empty"), 3, "nothing measured: no experiment in empty");
}

}  // namespace
}  // namespace bloomery
