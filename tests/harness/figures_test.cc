// The files that are drawn: there, not blank, and showing what the rows say.
#include "experiments/figures.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <sstream>
#include <string_view>

#include "tests/harness/made_up.h"
#include "tests/harness/program.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

using FiguresTest = FolderTest;

// What stands between the two after each `start`.
std::vector<std::string> between(const std::string& text, const std::string& start, const std::string& end) {
  std::vector<std::string> parts;
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const std::size_t from = at + start.size();
    parts.push_back(text.substr(from, text.find(end, from) - from));
  }
  return parts;
}

// The styles of what is drawn inside of the axes, but for the grid, which comes first.
std::vector<std::string> styles_in_axes(const std::string& svg) {
  std::vector<std::string> styles;
  for (const std::string& path : between(svg, "\" clip-path=\"url(#", "/>")) {
    for (const std::string& style : between(path, "style=\"", "\"")) styles.push_back(style);
  }
  const std::string grid = styles.empty() ? "" : styles.front();
  std::erase(styles, grid);
  return styles;
}

std::size_t lines_in(const std::string& svg) {
  std::size_t lines = 0;
  for (const std::string& style : styles_in_axes(svg)) lines += style.starts_with("fill: none;");
  return lines;
}

bool shows(const std::string& svg, const std::string& text) { return has(svg, "<!-- " + text + " -->"); }

// y of the points of the line in this style, in the units of the page.
std::vector<double> heights(const std::string& svg, const std::string& style) {
  std::vector<double> y;
  for (const std::string& path : between(svg, "<path d=\"", "/>")) {
    if (!has(path, "clip-path") || !has(path, style)) continue;
    std::istringstream points(path.substr(0, path.find('"')));
    std::string command;
    for (double across = 0, down = 0; points >> command >> across >> down;) y.push_back(down);
  }
  return y;
}

struct Png {
  std::uint32_t width = 0, height = 0;
  std::string data;  // compressed
};

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

Png read_png(const fs::path& file) {
  const std::string bytes = slurp(file);
  Png png;
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n") << file;
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const std::uint32_t size = big_endian(std::string_view(bytes).substr(at));
    const std::string type = bytes.substr(at + 4, 4);
    const std::string body = bytes.substr(at + 8, size);
    if (type == "IHDR") png.width = big_endian(body), png.height = big_endian(std::string_view(body).substr(4));
    if (type == "IDAT") png.data += body;
    at += size + 12;
  }
  return png;
}

// A page of one colour compresses to next to nothing.
void expect_not_blank(const fs::path& file) {
  const Png png = read_png(file);
  EXPECT_GT(png.width, 300U) << file;
  EXPECT_GT(png.height, 200U) << file;
  EXPECT_GT(png.data.size(), 5000U) << file;
  EXPECT_GT(std::set<char>(png.data.begin(), png.data.end()).size(), 200U) << file;
}

TEST_F(FiguresTest, EveryFigureIsAnSvgAndAPngThatAreNotBlank) {
  const std::vector<fs::path> written = draw_figures(made_up_experiment(), made_up_rows(), folder_ / "p", "");
  EXPECT_EQ(written, (std::vector<fs::path>{folder_ / "p/5a.svg", folder_ / "p/5a.png", folder_ / "p/5b.svg",
                                            folder_ / "p/5b.png"}));
  for (const char* name : {"p/5a.png", "p/5b.png"}) expect_not_blank(folder_ / name);
  for (const char* name : {"p/5a.svg", "p/5b.svg"}) EXPECT_TRUE(slurp(folder_ / name).ends_with("</svg>\n"));
}

TEST_F(FiguresTest, AxesHaveLabelsWithUnitsAndTheLegendNamesTheSeries) {
  draw_figures(made_up_experiment(), made_up_rows(), folder_, "");
  const std::string svg = slurp(folder_ / "5a.svg");
  for (const char* text : {"N, number of filters", "search time (µs)", "Title of 5a", "Naive", "Bloofi"}) {
    EXPECT_TRUE(shows(svg, text)) << text;
  }
  EXPECT_TRUE(shows(slurp(folder_ / "5b.svg"), "search cost (filters checked)"));
}

TEST_F(FiguresTest, ThereAreAsManyLinesAsCurves) {
  Experiment experiment = made_up_experiment();
  experiment.figures[1].curves = {"ideal_full", "ideal_min"};
  experiment.figures.push_back(made_up_figure("one", {"search_bf_cost"}));
  experiment.figures.back().series = {"Bloofi"};
  draw_figures(experiment, made_up_rows(1), folder_, "");  // one repetition: no intervals, which are lines too
  EXPECT_EQ(lines_in(slurp(folder_ / "5a.svg")), 2U);
  EXPECT_EQ(lines_in(slurp(folder_ / "5b.svg")), 4U);
  EXPECT_EQ(lines_in(slurp(folder_ / "one.svg")), 1U);
  for (const Curve& curve : curves_of(experiment.figures[1], experiment, made_up_rows(1))) {
    EXPECT_TRUE(shows(slurp(folder_ / "5b.svg"), curve.name)) << curve.name;
  }
}

// On linear axes the height on the page grows evenly with the value.
TEST_F(FiguresTest, PointsStandAtTheirValues) {
  Experiment experiment = made_up_experiment();
  experiment.series.pop_back();
  draw_figures(experiment, made_up_rows(1), folder_, "5b");
  const std::string svg = slurp(folder_ / "5b.svg");
  const std::vector<double> y = heights(svg, styles_in_axes(svg).front());
  ASSERT_EQ(y.size(), 3U);  // of 100, 1000 and 10000
  EXPECT_NEAR((y[0] - y[1]) / (y[1] - y[2]), 900.0 / 9000.0, 1e-3);
  EXPECT_GT(y[0], y[2]);  // upwards
}

TEST_F(FiguresTest, BarsAreAsManyAsValues) {
  Experiment experiment = made_up_experiment();
  for (FigureSpec& figure : experiment.figures) figure.kind = "bar";
  experiment.figures[1].x = "series";
  experiment.figures[1].where = {{"N", "100"}};
  draw_figures(experiment, made_up_rows(1), folder_, "");
  const auto bars = [&](const char* name) {
    std::size_t count = 0;
    for (const std::string& style : styles_in_axes(slurp(folder_ / name))) count += !style.starts_with("fill: none;");
    return count;
  };
  EXPECT_EQ(bars("5a.svg"), 2U * 3);
  EXPECT_EQ(bars("5b.svg"), 2U);
  EXPECT_TRUE(shows(slurp(folder_ / "5b.svg"), "Bloofi"));
}

TEST_F(FiguresTest, SameRowsGiveTheSameFiles) {
  const std::vector<fs::path> one = draw_figures(made_up_experiment(), made_up_rows(), folder_ / "one", "5a");
  const std::vector<fs::path> two = draw_figures(made_up_experiment(), made_up_rows(), folder_ / "two", "5a");
  ASSERT_EQ(one.size(), 2U);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(slurp(one[i]), slurp(two[i]));
}

TEST_F(FiguresTest, DrawsOnlyTheFigureAskedFor) {
  draw_figures(made_up_experiment(), made_up_rows(), folder_, "5b");
  EXPECT_TRUE(fs::exists(folder_ / "5b.png"));
  EXPECT_FALSE(fs::exists(folder_ / "5a.png"));
}

TEST_F(FiguresTest, PublishedNumbersStandWhereTheyBelong) {
  Experiment experiment = made_up_experiment();
  draw_figures(experiment, made_up_rows(), folder_ / "without", "5b");
  experiment.published = {{"Bloofi", "search_bf_cost", {{"N", "10000"}, {"d", "9"}}, 50, "paper"}};
  draw_figures(experiment, made_up_rows(), folder_ / "other", "5b");
  EXPECT_EQ(slurp(folder_ / "other/5b.svg"), slurp(folder_ / "without/5b.svg"));  // of another order
  experiment.published.push_back({"Bloofi", "search_bf_cost", {{"N", "10000"}, {"d", "2"}}, 104.29, "paper"});
  draw_figures(experiment, made_up_rows(), folder_ / "with", "5b");
  EXPECT_NE(slurp(folder_ / "with/5b.svg"), slurp(folder_ / "without/5b.svg"));
}

TEST_F(FiguresTest, NamesMayHoldAnyCharacter) {
  Experiment experiment = made_up_experiment();
  std::vector<Row> rows = made_up_rows();
  for (const std::string name : {"_a$b$ \\frac{", "<&>\"'", "ä → µ", "%s {0}"}) {
    experiment.series[0].name = name;
    experiment.figures[0].title = name;
    for (Row& row : rows) {
      if (row["series"] != "Bloofi") row["series"] = name;
    }
    EXPECT_NO_THROW(draw_figures(experiment, rows, folder_, "5a")) << name;
  }
}

TEST_F(FiguresTest, ValuesThatALogAxisCannotShowDoNotStopIt) {
  Experiment experiment = made_up_experiment();
  experiment.figures[1].yscale = "log";
  std::vector<Row> rows = made_up_rows();
  for (Row& row : rows) row["bf_cost"] = std::to_string(0);
  EXPECT_NO_THROW(draw_figures(experiment, rows, folder_, "5b"));
}

TEST_F(FiguresTest, FolderThatCannotBeMadeIsAnIoError) {
  EXPECT_THROW(draw_figures(made_up_experiment(), made_up_rows(), write("file", "") / "p", ""), IoError);
}

// The shipped smoke test, drawn by the program.
TEST_F(ProgramTest, EveryFigureOfTheSmokeTestIsDrawn) {
  const std::string config = "'" + std::string(BLOOMERY_CONFIGS) + "/smoke.yaml'";
  ASSERT_EQ(run("run " + config).code, 0);
  ASSERT_EQ(run("plot " + config).code, 0);
  const Experiment smoke = load_experiment(fs::path(BLOOMERY_CONFIGS) / "smoke.yaml", "default", {});
  for (const FigureSpec& figure : smoke.figures) {
    const fs::path file = folder_ / "plots" / smoke.id / figure.id;
    expect_not_blank(file.string() + ".png");
    const std::size_t curves = curves_of(figure, smoke, rows("smoke")).size();
    EXPECT_GE(lines_in(slurp(file.string() + ".svg")), curves) << figure.id;
  }
}

}  // namespace
}  // namespace bloomery
