// What a figure gives to the page: its numbers as JSON and its picture as a URL.
#include "experiments/report_figure.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiments/html.h"
#include "tests/harness/made_up.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

using nlohmann::json;

json data_of(const Experiment& experiment, const std::vector<Row>& rows, std::size_t figure = 0) {
  return json::parse(chart_data(experiment.figures[figure], experiment, rows));
}

TEST(ReportFigureTest, GivesMediansWithIntervalsByPlaceOnTheAxis) {
  const json data = data_of(made_up_experiment(), made_up_rows());
  EXPECT_EQ(data["x"]["values"], json({"100", "1000", "10000"}));
  EXPECT_EQ(data["x"]["log"], true);
  EXPECT_EQ(data["y"]["label"], "search time (µs)");
  EXPECT_EQ(data["bars"], false);
  ASSERT_EQ(data["curves"].size(), 2U);
  EXPECT_EQ(data["curves"][0]["name"], "Naive");
  const json point = data["curves"][0]["points"][1];
  EXPECT_EQ(point[0], 1);
  EXPECT_EQ(point[1], 1002);
  EXPECT_LE(point[2], point[1]);
  EXPECT_GE(point[3], point[1]);
  EXPECT_EQ(point[4], 5) << "repetitions";
}

TEST(ReportFigureTest, PublishedNumberMayStandWhereNothingWasMeasured) {
  Experiment experiment = made_up_experiment();
  experiment.published = {{"Bloofi", "search_bf_cost", {{"N", "1e2"}}, 51, "paper, Fig. 5"},
                          {"Bloofi", "search_bf_cost", {{"N", "100000"}}, 7, "paper"}};
  const json data = data_of(experiment, made_up_rows(), 1);
  ASSERT_EQ(data["published"].size(), 2U);
  EXPECT_EQ(data["published"][0], json({{"curve", 1}, {"x", 0}, {"value", 51}, {"source", "paper"}}));
  EXPECT_EQ(data["x"]["values"][data["published"][1]["x"].get<std::size_t>()], "100000");
}

// Categories have no place between them.
TEST(ReportFigureTest, BarsShowPublishedNumbersOnlyWhereABarIs) {
  Experiment experiment = made_up_experiment();
  experiment.figures[1].kind = "bar";
  experiment.published = {{"Bloofi", "search_bf_cost", {{"N", "100"}}, 51, "paper"},
                          {"Bloofi", "search_bf_cost", {{"N", "100000"}}, 7, "paper"}};
  const json data = data_of(experiment, made_up_rows(), 1);
  EXPECT_EQ(data["bars"], true);
  EXPECT_EQ(data["published"].size(), 1U);
}

TEST(ReportFigureTest, IsEmptyWithoutRows) {
  EXPECT_EQ(chart_data(made_up_experiment().figures[0], made_up_experiment(), {}), "");
  const std::vector<Row> one_series = {made_up_row("Naive", "search", 100, 1)};
  EXPECT_EQ(chart_data(made_up_experiment().figures[0], made_up_experiment(), one_series), "");
}

TEST(ReportFigureTest, NoTextEndsTheElementThatHoldsIt) {
  const std::string text = json("</script><!--").dump();
  const std::string safe = html::script_json(text);
  EXPECT_FALSE(has(safe, "<"));
  EXPECT_EQ(json::parse(safe), json::parse(text));
}

TEST(ReportFigureTest, PictureAsUrlEndsNoAttribute) {
  const std::string url =
      html::svg_url("<?xml version=\"1.0\"?>\n<svg a=\"it's 5%\">\n  <use href=\"#x\"/> &amp;</svg>");
  EXPECT_EQ(url, "data:image/svg+xml,%3Csvg a='it%26apos;s 5%25'%3E %3Cuse href='%23x'/%3E %26amp;%3C/svg%3E");
}

}  // namespace
}  // namespace bloomery
