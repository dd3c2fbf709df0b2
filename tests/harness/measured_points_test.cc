// What the rows of all experiments say of each structure, for the table of structures and the advisor.
#include "experiments/measured_points.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiments/advisor.h"
#include "experiments/report_structures.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

Row row_of(const std::string& structure, const std::string& phase, int repeat, double ns, const std::string& own = "") {
  Row row;
  row["schema"] = std::string(kSchema);
  row["run_id"] = structure + own + std::to_string(repeat);
  row["structure"] = structure;
  row["phase"] = phase;
  row["status"] = "ok";
  row["N"] = "10";
  row["n"] = "100";
  row["m"] = "1000";
  row["k"] = "7";
  row["threads"] = "1";
  row["batch"] = "64";
  row["distribution"] = "nonrandom";
  row["ns_per_op"] = std::to_string(ns);
  row["params"] = own;
  if (phase == "build") row["storage_bytes"] = row["memory_bytes"] = "1250";
  if (phase == "search") {
    row["hit_rate"] = "0.5";
    row["ops"] = "200";
    row["matches"] = "130";
    row["false_positives"] = "30";
    row["false_negatives"] = "0";
  }
  return row;
}

// A structure with two repetitions that took 100 and 300 ns a query.
std::vector<Row> rows_of(const std::string& structure, const std::string& own = "") {
  std::vector<Row> rows;
  for (const int repeat : {0, 1}) {
    rows.push_back(row_of(structure, "build", repeat, 5, own));
    rows.push_back(row_of(structure, "search", repeat, repeat == 0 ? 100 : 300, own));
    rows.push_back(row_of(structure, "erase", repeat, 1000, own));
  }
  return rows;
}

MeasuredPoints points_of(const std::vector<Row>& rows) { return measured_points({&rows}); }

TEST(MeasuredPointsTest, RepetitionsOfOneWorkloadAreOnePoint) {
  const MeasuredPoints points = points_of(rows_of("bloofi"));
  ASSERT_EQ(points.points.size(), 1U);
  const MeasuredPoint& point = points.points[0];
  EXPECT_EQ(point.repetitions, 2);
  EXPECT_DOUBLE_EQ(point.search_ns, 200);
  EXPECT_EQ(point.erase_ns, 1000);
  EXPECT_FALSE(point.insert_ns.has_value());
  EXPECT_DOUBLE_EQ(point.bits, 10);
  EXPECT_DOUBLE_EQ(point.false_positives, 60);
  EXPECT_DOUBLE_EQ(point.trials, 2 * (200 * 10 - 100)) << "pairs of a query and a set that does not hold it";
  EXPECT_EQ(points.variants[point.variant].name(), "bloofi");
  EXPECT_TRUE(points.variants[point.variant].concurrent_inserts);
}

TEST(MeasuredPointsTest, ParametersThatAreNotTheDefaultMakeAVariant) {
  std::vector<Row> rows = rows_of("flat_bloofi");
  const std::vector<Row> words = rows_of("flat_bloofi", "layout=words;maintenance=epochs");
  rows.insert(rows.end(), words.begin(), words.end());
  const MeasuredPoints points = points_of(rows);
  ASSERT_EQ(points.variants.size(), 2U);
  EXPECT_EQ(points.variants[0].name(), "flat_bloofi");
  EXPECT_FALSE(points.variants[0].concurrent_maintenance);
  EXPECT_EQ(points.variants[1].name(), "flat_bloofi (layout=words, maintenance=epochs)");
  EXPECT_TRUE(points.variants[1].concurrent_maintenance);
}

TEST(MeasuredPointsTest, WhatDoesNotCountIsLeftOut) {
  std::vector<Row> wrong = rows_of("bloofi");
  wrong[1]["false_negatives"] = "1";
  EXPECT_TRUE(points_of(wrong).points.empty()) << "not even its other repetition: the structure is wrong";
  EXPECT_TRUE(points_of(rows_of("null")).points.empty()) << "a floor";
  EXPECT_TRUE(points_of(rows_of("no_such_structure")).points.empty());
  EXPECT_TRUE(points_of(rows_of("bloofi", "after_updates=true")).points.empty());
  EXPECT_TRUE(points_of({}).points.empty());
  std::vector<Row> races = rows_of("bloom", "atomic=false");
  for (Row& row : races) row["threads"] = std::string("2");
  EXPECT_TRUE(points_of(races).points.empty());
  std::vector<Row> unsearched = rows_of("bloofi");
  std::erase_if(unsearched, [](const Row& row) { return row["phase"] == "search"; });
  EXPECT_TRUE(points_of(unsearched).points.empty());
}

TEST(MeasuredPointsTest, WhatAStructureCannotDoIsKept) {
  std::vector<Row> rows = rows_of("yoon_tree");
  for (Row& row : rows) row["status"] = row["phase"] == "erase" ? "unsupported" : "ok";
  const MeasuredPoints points = points_of(rows);
  ASSERT_EQ(points.variants.size(), 1U);
  EXPECT_TRUE(points.variants[0].unsupported.contains("erase"));
  EXPECT_FALSE(points.points[0].erase_ns.has_value());
}

TEST(MeasuredPointsTest, StructuresAreComparedWhereMostWereMeasured) {
  std::vector<Row> rows = rows_of("bloofi");
  for (const char* name : {"naive", "flat_bloofi"}) {
    for (Row& row : rows_of(name)) rows.push_back(row);
  }
  for (Row& row : rows_of("naive", "n_exp=5")) {  // alone at another N, and faster
    row["N"] = std::string("3");
    row["ns_per_op"] = std::string("1");
    rows.push_back(row);
  }
  const MeasuredPoints points = points_of(rows);
  const std::vector<StructureLine> lines = structure_lines(points, true);
  ASSERT_EQ(lines.size(), 3U);
  for (const StructureLine& line : lines) EXPECT_EQ(line.point->workload.sets, 10) << line.name;
  EXPECT_TRUE(structure_lines(points, false).empty());
}

TEST(MeasuredPointsTest, AdvisorGetsEveryPointUnderItsColumns) {
  const auto data = nlohmann::json::parse(advisor_data(points_of(rows_of("bloofi"))));
  ASSERT_EQ(data["points"].size(), 1U);
  EXPECT_EQ(data["points"][0].size(), data["columns"].size());
  EXPECT_EQ(data["variants"][0]["name"], "bloofi");
  const auto at = [&](const std::string& column) {
    const auto& names = data["columns"];
    return data["points"][0][static_cast<std::size_t>(std::find(names.begin(), names.end(), column) - names.begin())];
  };
  EXPECT_EQ(at("sets"), 10);
  EXPECT_EQ(at("search"), 200);
  EXPECT_EQ(at("erase"), 1000);
  EXPECT_TRUE(at("insert").is_null());
}

TEST(MeasuredPointsTest, NothingMeasuredIsSaid) {
  const MeasuredPoints none = points_of({});
  EXPECT_EQ(advisor_section(none), "");
  EXPECT_TRUE(has(structures_section(none), "None has been measured"));
}

}  // namespace
}  // namespace bloomery
