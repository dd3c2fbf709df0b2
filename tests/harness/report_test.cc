// The page that gathers the figures.
#include "experiments/report.h"

#include <gtest/gtest.h>

#include "experiments/figures.h"
#include "tests/harness/made_up.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

class ReportTest : public FolderTest {
 protected:
  std::string report(const std::vector<Experiment>& experiments) const {
    write_report(experiments, folder_ / "results", folder_ / "plots");
    return slurp(folder_ / "plots/report.html");
  }

  void measure_and_draw(const Experiment& experiment) const {
    RowWriter(folder_ / "results" / experiment.id / "rows.csv").append(made_up_rows());
    write("results/" + experiment.id + "/environment.json", R"({"cpu": {"model": "A <CPU>", "cores": 2}})");
    draw_figures(experiment, made_up_rows(), folder_ / "plots" / experiment.id, "");
  }
};

// The beginnings of the values that an attribute has in a page.
std::vector<std::string> values_of(const std::string& attribute, const std::string& html) {
  const std::string start = " " + attribute + "=\"";
  std::vector<std::string> values;
  for (std::size_t at = html.find(start); at != std::string::npos; at = html.find(start, at + 1)) {
    values.push_back(html.substr(at + start.size(), 40));
  }
  return values;
}

void expect_texts(const std::string& html, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) EXPECT_TRUE(has(html, text)) << text;
}

// Opened from a mail or years later, it must still be whole.
TEST_F(ReportTest, LoadsNothingFromElsewhere) {
  const Experiment experiment = made_up_experiment();
  measure_and_draw(experiment);
  const std::string html = report({experiment});
  for (const std::string& target : values_of("src", html)) EXPECT_TRUE(target.starts_with("data:")) << target;
  for (const std::string& target : values_of("href", html)) {
    EXPECT_FALSE(target.starts_with("http:") || target.starts_with("https:") || target.starts_with("//")) << target;
  }
  EXPECT_EQ(values_of("src", html).size(), 2U);
  for (const char* tag : {"<script src", "<link rel=\"stylesheet", "<iframe", "@import", "fetch("}) {
    EXPECT_FALSE(has(html, tag)) << tag;
  }
  EXPECT_TRUE(has(html, "default-src 'none'")) << "the browser is told to load nothing";
}

TEST_F(ReportTest, HoldsEveryFigureInlineWithItsSettingsAndRows) {
  const Experiment experiment = made_up_experiment();
  measure_and_draw(experiment);
  const std::string html = report({experiment});
  EXPECT_EQ(count(html, "src=\"data:image/svg+xml,"), 2U);
  EXPECT_EQ(count(html, "<script type=\"application/json\">"), 2U);
  expect_texts(html, {"Figure 5a", "Title of 5a", "Figure 5b", "Title of 5b", "rho = 0.01", "100, 1000, 10000", "naive",
                      "results/made_up/rows.csv", "made_up.yaml", "A &lt;CPU&gt;", "60 rows: 60 ok", "7.2.1"});
  EXPECT_FALSE(has(html, "<p class=\"missing\""));
  EXPECT_FALSE(has(html, folder_.string())) << "a page must not name a folder of one machine";
}

TEST_F(ReportTest, SetsMeasuredBesidePublishedNumbers) {
  Experiment experiment = made_up_experiment();
  experiment.published = {{"Naive", "search_bf_cost", {{"N", "100"}}, 51, "paper"},
                          {"Naive", "search_bf_cost", {{"N", "77"}}, 1, "paper"}};
  measure_and_draw(experiment);
  expect_texts(report({experiment}), {">51<", ">102 [", ">2<", ">no rows<"});
}

TEST_F(ReportTest, EscapesWhatConfigsSay) {
  Experiment experiment = made_up_experiment();
  experiment.notes = "<script>alert(\"x\")</script>";
  experiment.figures[0].title = "<b>";
  experiment.series[0].name = "</script><u>";
  std::vector<Row> rows = made_up_rows();
  for (Row& row : rows) row["series"] = row["series"] == "Naive" ? experiment.series[0].name : row["series"];
  RowWriter(folder_ / "results/made_up/rows.csv").append(rows);
  const std::string html = report({experiment});
  for (const char* tag : {"<script>alert", "<i>", "<b><", "<u>"}) EXPECT_FALSE(has(html, tag)) << tag;
  EXPECT_TRUE(has(html, "&lt;script&gt;alert(&quot;x&quot;)"));
  EXPECT_TRUE(has(html, "\\u003c/script>\\u003cu>")) << "inside the numbers of a figure, too";
}

TEST_F(ReportTest, SaysWhatIsMissing) {
  const std::string html = report({made_up_experiment()});
  EXPECT_TRUE(has(html, "not been run"));
  EXPECT_EQ(count(html, "has not been drawn"), 2U);
  EXPECT_FALSE(has(html, "src=\"data:image"));
  EXPECT_FALSE(has(html, "application/json"));
}

TEST_F(ReportTest, SaysWhenAnswersWereWrong) {
  Row row = made_up_row("Naive", "search", 100, 1);
  row["status"] = "false_negative";
  RowWriter(folder_ / "results/made_up/rows.csv").append({row});
  EXPECT_TRUE(has(report({made_up_experiment()}), "false_negative"));
}

TEST_F(ReportTest, HasEveryExperiment) {
  Experiment other = made_up_experiment();
  other.id = "another";
  other.source.paper = "";
  expect_texts(report({made_up_experiment(), other}), {"id=\"made-up\"", "id=\"another\""});
}

TEST_F(ReportTest, FolderThatCannotBeMadeIsAnIoError) {
  write("plots", "a file");
  EXPECT_THROW(report({made_up_experiment()}), IoError);
}

}  // namespace
}  // namespace bloomery
