// The numbers behind a figure.
#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/figures.h"
#include "structures/theory.h"
#include "tests/harness/made_up.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

using Texts = std::vector<std::string>;

std::vector<double> medians(const Curve& curve) {
  std::vector<double> values;
  for (const Summary& summary : curve.y) values.push_back(summary.median);
  return values;
}

std::string complaint(const FigureSpec& figure, const std::vector<Row>& rows) {
  try {
    curves_of(figure, made_up_experiment(), rows);
    return "";
  } catch (const InputError& e) {
    return e.what();
  }
}

TEST(Curves, AreMediansOfTheRowsInTheOrderOfTheAxis) {
  const Experiment experiment = made_up_experiment();
  const std::vector<Curve> curves = curves_of(experiment.figures[1], experiment, made_up_rows());
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].name, "Naive");
  EXPECT_EQ(curves[1].name, "Bloofi");
  EXPECT_EQ(curves[0].x, (Texts{"100", "1000", "10000"}));
  EXPECT_EQ(medians(curves[0]), (std::vector<double>{102, 1002, 10002}));
  EXPECT_EQ(medians(curves[1]), (std::vector<double>{23, 32, 122}));
  EXPECT_EQ(curves[0].y[1].count, 5);
  EXPECT_LE(curves[0].y[1].low, 1002);
  EXPECT_GE(curves[0].y[1].high, 1002);
  EXPECT_FALSE(curves[0].theory);
}

TEST(Curves, AreInTheUnitOfTheLabel) {
  const Experiment experiment = made_up_experiment();
  EXPECT_EQ(medians(curves_of(experiment.figures[0], experiment, made_up_rows())[0])[0], 102);  // µs, rows have ns
}

TEST(Curves, SeveralMetricsGiveACurveASeriesAndMetric) {
  FigureSpec figure = made_up_figure("6a", {"insert_time", "update_time"});
  figure.series = {"Bloofi"};
  const std::vector<Curve> curves = curves_of(figure, made_up_experiment(), made_up_rows());
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_NE(curves[0].name, curves[1].name);
  EXPECT_EQ(medians(curves[0]), (std::vector<double>{7, 7, 7}));
  EXPECT_EQ(medians(curves[1]), (std::vector<double>{3, 3, 3}));
}

TEST(Curves, CategoriesKeepTheOrderOfTheSweep) {
  Experiment experiment = made_up_experiment();
  experiment.sweep = {{"metric", {{"hamming", {}}, {"jaccard", {}}, {"cosine", {}}}}};
  experiment.series = {{"Bloofi", "bloofi", {}, {}}};
  std::vector<Row> rows;
  for (const char* metric : {"cosine", "hamming", "jaccard"}) {
    rows.push_back(made_up_row("Bloofi", "search", 100, 3));
    rows.back()["metric"] = metric;
  }
  FigureSpec figure = made_up_figure("8c", {"search_time"});
  figure.x = "metric";
  EXPECT_EQ(curves_of(figure, experiment, rows)[0].x, (Texts{"hamming", "jaccard", "cosine"}));
}

TEST(Curves, AxisMayBeAParameterThatIsNoColumn) {
  std::vector<Row> rows;
  for (const char* day : {"100", "20", "3"}) {
    for (const char* series : {"Naive", "Bloofi"}) {
      rows.push_back(made_up_row(series, "search", 100, 3));
      rows.back()["params"] = std::string("day=") + day;
    }
  }
  FigureSpec figure = made_up_figure("day", {"search_time"});
  figure.x = "day";
  EXPECT_EQ(curves_of(figure, made_up_experiment(), rows)[0].x, (Texts{"3", "20", "100"}));
}

TEST(Curves, WhereComparesNumbersByValue) {
  FigureSpec figure = made_up_figure("5b", {"search_bf_cost"});
  figure.where = {{"N", "1e3"}};
  EXPECT_EQ(curves_of(figure, made_up_experiment(), made_up_rows())[0].x, Texts{"1000"});
  figure.where = {{"N", "77"}};
  EXPECT_NE(complaint(figure, made_up_rows()), "");
}

TEST(Curves, SeriesThatCannotIsLeftOut) {
  std::vector<Row> rows = made_up_rows();
  for (Row& row : rows) {
    if (row["series"] == "Naive") row["status"] = "unsupported";
  }
  const std::vector<Curve> curves = curves_of(made_up_figure("5a", {"search_time"}), made_up_experiment(), rows);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].name, "Bloofi");
}

TEST(Curves, RowsWithoutTheValueAreNoPoints) {
  std::vector<Row> rows = made_up_rows();
  for (Row& row : rows) {
    if (row["N"] == "1000") row["bf_cost"] = "";
  }
  const std::vector<Curve> curves = curves_of(made_up_figure("5b", {"search_bf_cost"}), made_up_experiment(), rows);
  EXPECT_EQ(curves[0].x, (Texts{"100", "10000"}));
}

TEST(Curves, TheoryFollowsTheRows) {
  FigureSpec figure = made_up_figure("5b", {"search_bf_cost"});
  figure.curves = {"ideal_full", "ideal_min"};
  const std::vector<Curve> curves = curves_of(figure, made_up_experiment(), made_up_rows());
  ASSERT_EQ(curves.size(), 4U);
  for (const std::size_t i : {2U, 3U}) {
    EXPECT_TRUE(curves[i].theory);
    EXPECT_EQ(curves[i].x, (Texts{"100", "1000", "10000"}));
    const double children = i == 2 ? 4 : 2;  // full nodes of order 2, minimal ones
    EXPECT_DOUBLE_EQ(curves[i].y[1].median, ideal_search_cost(children, 1000));
  }
}

TEST(Curves, MayBeRelativeToASeries) {
  FigureSpec figure = made_up_figure("relative", {"search_bf_cost"});
  figure.base = "Naive";
  const std::vector<Curve> curves = curves_of(figure, made_up_experiment(), made_up_rows());
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(medians(curves[0]), (std::vector<double>{1, 1, 1}));
  EXPECT_NEAR(medians(curves[1])[1], 32.0 / 1002, 1e-3);
  figure.speedup = true;
  EXPECT_NEAR(medians(curves_of(figure, made_up_experiment(), made_up_rows())[1])[1], 1002.0 / 32, 1);
}

// What disturbed one repetition disturbed both: their quotient is not disturbed.
TEST(Curves, RelativeValuesArePairedByRepetition) {
  std::vector<Row> rows;
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (const char* series : {"Naive", "Bloofi"}) {
      rows.push_back(made_up_row(series, "search", 100, 1));
      rows.back()["repeat"] = std::to_string(repeat);
      const double time = (series[0] == 'N' ? 300 : 100) * (repeat + 1);
      rows.back()["ns_per_op"] = std::to_string(time);
    }
  }
  FigureSpec figure = made_up_figure("paired", {"search_time"});
  figure.base = "Bloofi";
  figure.series = {"Naive"};
  const std::vector<Curve> curves = curves_of(figure, made_up_experiment(), rows);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_DOUBLE_EQ(curves[0].y[0].low, 3);
  EXPECT_DOUBLE_EQ(curves[0].y[0].high, 3);
  figure.x = "series";
  EXPECT_EQ(curves_of(figure, made_up_experiment(), rows)[0].x, Texts{"Naive"});
  EXPECT_DOUBLE_EQ(curves_of(figure, made_up_experiment(), rows)[0].y[0].median, 3);
}

TEST(Curves, AxisMayBeAMetric) {
  FigureSpec figure = made_up_figure("metric", {"search_bf_cost"});
  figure.x = "search_time";
  const std::vector<Curve> curves = curves_of(figure, made_up_experiment(), made_up_rows());
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].x, (Texts{"102", "1002", "10002"}));
  EXPECT_EQ(medians(curves[0]), (std::vector<double>{102, 1002, 10002}));
}

TEST(Curves, AFormulaOfASeriesIsDrawnForEach) {
  std::vector<Row> rows;
  for (const char* series : {"Naive", "Bloofi"}) {
    rows.push_back(made_up_row(series, "search", 100, 0));
    rows.back()["m"] = "1000";
    rows.back()["n"] = "100";
    rows.back()["k"] = series[0] == 'N' ? "3" : "7";
  }
  FigureSpec figure = made_up_figure("formula", {"search_time"});
  figure.curves = {"standard_rate"};
  const std::vector<Curve> curves = curves_of(figure, made_up_experiment(), rows);
  ASSERT_EQ(curves.size(), 4U);
  EXPECT_DOUBLE_EQ(curves[2].y[0].median, false_positive_rate(1000, 3, 100));
  EXPECT_DOUBLE_EQ(curves[3].y[0].median, false_positive_rate(1000, 7, 100));
}

TEST(Curves, MissingRowsNameTheFigureAndTheSeries) {
  const FigureSpec figure = made_up_figure("5a", {"search_time"});
  std::vector<Row> only_bloofi = made_up_rows();
  std::erase_if(only_bloofi, [](const Row& row) { return row["series"] == "Naive"; });
  EXPECT_TRUE(has(complaint(figure, {}), "figure 5a of made_up")) << complaint(figure, {});
  EXPECT_TRUE(has(complaint(figure, only_bloofi), "figure 5a of made_up")) << complaint(figure, only_bloofi);
  EXPECT_TRUE(has(complaint(figure, only_bloofi), "Naive")) << complaint(figure, only_bloofi);
}

}  // namespace
}  // namespace bloomery
