// Statistics, metrics, curves, the files drawn from them and the report.
#include "experiments/figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "experiments/errors.h"
#include "experiments/metrics.h"
#include "experiments/report.h"
#include "experiments/stats.h"
#include "structures/theory.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

Row make_row(const std::string& series, const std::string& phase, int sets, double cost, int repeat = 0) {
  Row row;
  row["schema"] = std::string(kSchema);
  row["run_id"] = series + std::to_string(sets) + "-" + std::to_string(repeat);
  row["experiment"] = "made_up";
  row["series"] = series;
  row["structure"] = "bloofi";
  row["N"] = std::to_string(sets);
  row["d"] = "2";
  row["repeat"] = std::to_string(repeat);
  row["phase"] = phase;
  row["status"] = "ok";
  row["ops"] = "100";
  row["ns_per_op"] = std::to_string(cost * 1000);
  row["bf_cost"] = std::to_string(cost);
  return row;
}

std::vector<Row> make_rows() {
  std::vector<Row> rows;
  for (const int sets : {1000, 100, 10000}) {  // not in order: the axis must be
    for (int repeat = 0; repeat < 5; ++repeat) {
      rows.push_back(make_row("Naive", "search", sets, sets * (1 + 0.1 * repeat), repeat));
      rows.push_back(make_row("Bloofi", "search", sets, 4 * std::log2(sets) * (1 + 0.1 * repeat), repeat));
      rows.push_back(make_row("Bloofi", "insert", sets, 5 * std::log2(sets), repeat));
      rows.push_back(make_row("Bloofi", "update", sets, 2 * std::log2(sets), repeat));
    }
  }
  return rows;
}

FigureSpec make_figure(const std::string& id, const std::vector<std::string>& y) {
  FigureSpec figure;
  figure.id = id;
  figure.title = "Title of " + id;
  figure.x = "N";
  figure.y = y;
  figure.xscale = "log";
  return figure;
}

Experiment make_experiment() {
  Experiment experiment;
  experiment.id = "made_up";
  experiment.about = "Search & <i>maintenance</i>";
  experiment.source = {"bloofi", "7.2.1", {"5a"}};
  experiment.series = {{"Naive", "naive", {}, {}}, {"Bloofi", "bloofi", {}, {}}};
  experiment.sweep = {{"N", {{"100", {}}, {"1000", {}}, {"10000", {}}}}};
  experiment.figures = {make_figure("5a", {"search_time"}), make_figure("5b", {"search_bf_cost"})};
  experiment.file = "configs/made_up.yaml";
  return experiment;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class FiguresTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("bloomery_figures_") + test->name());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST(Stats, MedianOfOddAndEvenCounts) {
  EXPECT_DOUBLE_EQ(summarize({3, 1, 2}).median, 2);
  EXPECT_DOUBLE_EQ(summarize({4, 1, 3, 2}).median, 2.5);
  EXPECT_EQ(summarize({4, 1, 3, 2}).count, 4);
}

TEST(Stats, SingleValueHasNoWidth) {
  const Summary summary = summarize({7});
  EXPECT_DOUBLE_EQ(summary.low, 7);
  EXPECT_DOUBLE_EQ(summary.high, 7);
}

TEST(Stats, NothingToSummarize) { EXPECT_THROW(summarize({}), std::invalid_argument); }

TEST(Stats, IntervalIsThatOfTheMedian) {
  std::vector<double> values(101);
  std::iota(values.begin(), values.end(), 0.0);
  const Summary summary = summarize(values);
  EXPECT_DOUBLE_EQ(summary.median, 50);
  // The exact interval from order statistics is 40 to 60.
  EXPECT_NEAR(summary.low, 40, 3);
  EXPECT_NEAR(summary.high, 60, 3);
}

TEST(Stats, OrderOfValuesDoesNotMatter) {
  const Summary one = summarize({1, 2, 3, 4, 9});
  const Summary other = summarize({9, 4, 1, 3, 2});
  EXPECT_EQ(one.low, other.low);
  EXPECT_EQ(one.high, other.high);
}

TEST(Metrics, ReadOnlyTheirPhaseAndRowsThatCount) {
  const Metric& metric = find_metric("search_time");
  Row row = make_row("Bloofi", "search", 100, 3);
  EXPECT_DOUBLE_EQ(metric.value(row).value(), 3);
  row["status"] = "false_negative";
  EXPECT_TRUE(metric.value(row));
  for (const char* status : {"unsupported", "error", "skipped", ""}) {
    row["status"] = status;
    EXPECT_FALSE(metric.value(row)) << status;
  }
  EXPECT_FALSE(metric.value(make_row("Bloofi", "insert", 100, 3)));
}

TEST(Metrics, EmptyCellHasNoValue) {
  Row row = make_row("Bloofi", "search", 100, 3);
  row["bf_cost"] = "";
  for (const Metric& metric : metrics()) {
    if (metric.name != "search_time" && metric.name != "throughput") EXPECT_FALSE(metric.value(row)) << metric.name;
  }
}

TEST(Metrics, DerivedValues) {
  Row row = make_row("Bloofi", "search", 10, 2);
  row["matches"] = "140";
  row["false_positives"] = "40";
  EXPECT_DOUBLE_EQ(find_metric("throughput").value(row).value(), 0.5);
  EXPECT_DOUBLE_EQ(find_metric("false_positive_rate").value(row).value(), 40.0 / 900);
  row["phase"] = "provenance";
  EXPECT_DOUBLE_EQ(find_metric("messages").value(row).value(), 1.4);
}

TEST(Metrics, UnknownNameSuggestsTheNearest) {
  try {
    find_metric("serch_time");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("\"search_time\""), std::string::npos);
  }
}

TEST(Curves, OneASeriesInNumericOrder) {
  const Experiment experiment = make_experiment();
  const std::vector<Curve> curves = curves_of(experiment.figures[1], experiment, make_rows());
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].name, "Naive");
  EXPECT_EQ(curves[0].x, (std::vector<std::string>{"100", "1000", "10000"}));
  EXPECT_NEAR(curves[0].y[1].median, 1200, 1e-6);
  EXPECT_EQ(curves[0].y[1].count, 5);
}

TEST(Curves, SeveralMetricsGiveACurveASeriesAndMetric) {
  const Experiment experiment = make_experiment();
  FigureSpec figure = make_figure("6a", {"insert_time", "update_time"});
  figure.series = {"Bloofi"};
  const std::vector<Curve> curves = curves_of(figure, experiment, make_rows());
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].name, "Bloofi, insert time (µs)");
  EXPECT_EQ(curves[1].name, "Bloofi, update time (µs)");
}

TEST(Curves, CategoriesKeepTheOrderOfTheSweep) {
  Experiment experiment = make_experiment();
  experiment.sweep = {{"metric", {{"hamming", {}}, {"jaccard", {}}, {"cosine", {}}}}};
  experiment.series = {{"Bloofi", "bloofi", {}, {}}};
  std::vector<Row> rows;
  for (const char* metric : {"cosine", "hamming", "jaccard"}) {
    rows.push_back(make_row("Bloofi", "search", 100, 3));
    rows.back()["metric"] = metric;
  }
  FigureSpec figure = make_figure("8c", {"search_time"});
  figure.x = "metric";
  const std::vector<Curve> curves = curves_of(figure, experiment, rows);
  EXPECT_EQ(curves[0].x, (std::vector<std::string>{"hamming", "jaccard", "cosine"}));
}

TEST(Curves, WhereComparesNumbersByValue) {
  const Experiment experiment = make_experiment();
  FigureSpec figure = make_figure("5b", {"search_bf_cost"});
  figure.where = {{"N", "1e3"}};
  EXPECT_EQ(curves_of(figure, experiment, make_rows())[0].x, (std::vector<std::string>{"1000"}));
}

TEST(Curves, UnsupportedSeriesIsLeftOut) {
  const Experiment experiment = make_experiment();
  std::vector<Row> rows = make_rows();
  for (Row& row : rows) {
    if (row["series"] == "Naive") row["status"] = "unsupported";
  }
  const std::vector<Curve> curves = curves_of(experiment.figures[0], experiment, rows);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].name, "Bloofi");
}

TEST(Curves, TheoryFollowsTheRows) {
  const Experiment experiment = make_experiment();
  FigureSpec figure = experiment.figures[1];
  figure.curves = {"ideal_full", "ideal_min"};
  const std::vector<Curve> curves = curves_of(figure, experiment, make_rows());
  ASSERT_EQ(curves.size(), 4U);
  EXPECT_TRUE(curves[2].theory);
  EXPECT_DOUBLE_EQ(curves[2].y[1].median, ideal_search_cost(4, 1000));
  EXPECT_DOUBLE_EQ(curves[3].y[0].median, ideal_search_cost(2, 100));
  figure.curves = {"idle"};
  EXPECT_THROW(curves_of(figure, experiment, make_rows()), InputError);
}

TEST(Curves, MissingRowsNameTheFigure) {
  const Experiment experiment = make_experiment();
  std::vector<Row> only_bloofi = make_rows();
  std::erase_if(only_bloofi, [](const Row& row) { return row["series"] == "Naive"; });
  for (const std::vector<Row>& rows : {std::vector<Row>{}, only_bloofi}) {
    try {
      curves_of(experiment.figures[0], experiment, rows);
      FAIL();
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("figure 5a of made_up"), std::string::npos) << error.what();
    }
  }
}

TEST_F(FiguresTest, WritesFilesThatAreNotBlank) {
  const Experiment experiment = make_experiment();
  const std::vector<fs::path> written = draw_figures(experiment, make_rows(), folder_, "");
  ASSERT_EQ(written.size(), 4U);
  for (const fs::path& file : written) {
    EXPECT_GT(fs::file_size(file), 5000U) << file;
  }
  const std::string svg = read(folder_ / "5a.svg");
  for (const char* text : {"Naive", "Bloofi", "N, number of filters", "search time (µs)", "Title of 5a"}) {
    EXPECT_NE(svg.find(std::string("<!-- ") + text), std::string::npos) << text;
  }
  EXPECT_GT(count(svg, "<path"), 10U);
  EXPECT_EQ(read(folder_ / "5a.png").substr(1, 3), "PNG");
}

TEST_F(FiguresTest, SameRowsGiveTheSameFile) {
  const Experiment experiment = make_experiment();
  draw_figures(experiment, make_rows(), folder_ / "one", "5a");
  draw_figures(experiment, make_rows(), folder_ / "two", "5a");
  EXPECT_EQ(read(folder_ / "one/5a.svg"), read(folder_ / "two/5a.svg"));
}

TEST_F(FiguresTest, DrawsOnlyTheFigureAskedFor) {
  draw_figures(make_experiment(), make_rows(), folder_, "5b");
  EXPECT_TRUE(fs::exists(folder_ / "5b.png"));
  EXPECT_FALSE(fs::exists(folder_ / "5a.png"));
}

TEST_F(FiguresTest, PublishedNumbersStandWhereTheyBelong) {
  Experiment experiment = make_experiment();
  experiment.published = {{"Bloofi", "search_bf_cost", {{"N", "10000"}, {"d", "2"}}, 104.29, "paper"},
                          {"Bloofi", "search_bf_cost", {{"N", "10000"}, {"d", "9"}}, 50, "paper"}};
  draw_figures(experiment, make_rows(), folder_, "");
  EXPECT_EQ(count(read(folder_ / "5b.svg"), "<!-- published -->"), 1U);
  EXPECT_EQ(count(read(folder_ / "5a.svg"), "published"), 0U);  // another metric
  experiment.published.erase(experiment.published.begin());     // leaves the one of another order
  draw_figures(experiment, make_rows(), folder_, "5b");
  EXPECT_EQ(count(read(folder_ / "5b.svg"), "published"), 0U);
}

TEST_F(FiguresTest, BarsOverCategoriesAndOverSeries) {
  Experiment experiment = make_experiment();
  for (FigureSpec& figure : experiment.figures) figure.kind = "bar";
  experiment.figures[1].x = "series";
  draw_figures(experiment, make_rows(), folder_, "");
  EXPECT_NE(read(folder_ / "5a.svg").find("<!-- 10000 -->"), std::string::npos);
  EXPECT_NE(read(folder_ / "5b.svg").find("<!-- Bloofi -->"), std::string::npos);
}

TEST_F(FiguresTest, NamesMayHoldAnyCharacter) {
  Experiment experiment = make_experiment();
  experiment.series[0].name = "_a$b$ \\frac{";
  std::vector<Row> rows = make_rows();
  for (Row& row : rows) {
    if (row["series"] == "Naive") row["series"] = experiment.series[0].name;
  }
  EXPECT_NO_THROW(draw_figures(experiment, rows, folder_, "5a"));
}

TEST_F(FiguresTest, ValuesThatALogAxisCannotShow) {
  Experiment experiment = make_experiment();
  experiment.figures[1].yscale = "log";
  std::vector<Row> rows = make_rows();
  for (Row& row : rows) row["bf_cost"] = "0";
  EXPECT_NO_THROW(draw_figures(experiment, rows, folder_, "5b"));
}

TEST_F(FiguresTest, FolderThatCannotBeMade) {
  std::ofstream(folder_) << "a file";
  EXPECT_THROW(draw_figures(make_experiment(), make_rows(), folder_, ""), IoError);
}

class ReportTest : public FiguresTest {
 protected:
  std::string report(const std::vector<Experiment>& experiments) {
    write_report(experiments, folder_ / "results", folder_ / "plots");
    return read(folder_ / "plots/report.html");
  }
};

TEST_F(ReportTest, HoldsEveryFigureAndThePublishedNumbers) {
  Experiment experiment = make_experiment();
  experiment.published = {{"Naive", "search_bf_cost", {{"N", "1000"}}, 600, "paper"},
                          {"Naive", "search_bf_cost", {{"N", "77"}}, 1, "paper"}};
  RowWriter(folder_ / "results/made_up/rows.csv").append(make_rows());
  std::ofstream(folder_ / "results/made_up/environment.json") << R"({"cpu": {"model": "A <CPU>", "cores": 2}})";
  draw_figures(experiment, make_rows(), folder_ / "plots/made_up", "");
  const std::string html = report({experiment});
  EXPECT_EQ(count(html, "data:image/svg+xml;base64,"), 2U);
  for (const char* text : {"figure-made-up-5a", "figure-made-up-5b", "A &lt;CPU&gt;", "../results/made_up/rows.csv",
                           "60 rows: 60 ok", ">1200 [", ">2</td>", ">no rows<", "made_up.yaml"}) {
    EXPECT_NE(html.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(html.find("http://"), std::string::npos);
  EXPECT_EQ(html.find("class=\"missing\""), std::string::npos);
}

TEST_F(ReportTest, EscapesWhatConfigsSay) {
  Experiment experiment = make_experiment();
  experiment.notes = "<script>alert(\"x\")</script>";
  experiment.figures[0].title = "<b>";
  const std::string html = report({experiment});
  EXPECT_EQ(html.find("<script>"), std::string::npos);
  EXPECT_EQ(html.find("<i>"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(&quot;x&quot;)"), std::string::npos);
}

TEST_F(ReportTest, SaysWhatIsMissing) {
  const std::string html = report({make_experiment()});
  EXPECT_NE(html.find("this experiment has not been run"), std::string::npos);
  EXPECT_NE(html.find("Figure 5a: Title of 5a has not been drawn"), std::string::npos);
}

}  // namespace
}  // namespace bloomery
