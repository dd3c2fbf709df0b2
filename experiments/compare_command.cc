#include "experiments/compare_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "experiments/csv.h"
#include "experiments/exit_codes.h"

namespace bloomery {
namespace {

using Lines = std::vector<std::vector<std::string>>;

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{:.4g}", value); }

std::string ratio_text(const Summary& ratio) {
  if (std::isnan(ratio.median)) return "";
  if (std::isnan(ratio.low)) return number(ratio.median);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", ratio.median, ratio.low, ratio.high);
}

Lines table_of(const std::vector<Comparison>& points) {
  Lines lines = {{"experiment", "series", "point", "metric", "first", "second", "ratio", "verdict"}};
  for (const Comparison& c : points) {
    lines.push_back({c.experiment, c.series, c.point, c.metric, number(c.median_a), number(c.median_b),
                     ratio_text(c.ratio), to_string(c.change)});
  }
  return lines;
}

void print_table(const Lines& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) text += fmt::format("{:<{}}  ", line[i], widths[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", text);
  }
}

std::string escaped(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, 1, '\\');
  return text;
}

void print_markdown(const Lines& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string text = "|";
    for (const std::string& cell : lines[i]) text += fmt::format(" {} |", escaped(cell));
    fmt::print("{}\n", text);
    if (i == 0) fmt::print("|{}\n", fmt::join(std::vector<std::string>(lines[0].size(), "---|"), ""));
  }
}

void print_csv(const std::vector<Comparison>& points) {
  fmt::print("experiment,series,point,metric,runs_first,runs_second,first,second,ratio,low,high,verdict\n");
  const auto exact = [](double value) { return std::isnan(value) ? std::string() : fmt::format("{}", value); };
  for (const Comparison& c : points) {
    fmt::print("{}", csv_line({c.experiment, c.series, c.point, c.metric, std::to_string(c.a.size()),
                               std::to_string(c.b.size()), exact(c.median_a), exact(c.median_b), exact(c.ratio.median),
                               exact(c.ratio.low), exact(c.ratio.high), to_string(c.change)}));
  }
}

std::size_t count_of(const std::vector<Comparison>& points, Change change) {
  return static_cast<std::size_t>(std::ranges::count(points, change, &Comparison::change));
}

// On stderr beside a CSV, which must stay one.
void print_summary(const CompareResult& result, const CompareOptions& options) {
  std::FILE* out = options.csv ? stderr : stdout;
  const char* line = options.markdown ? "\n" : "";
  const auto& points = result.points;
  fmt::print(out, "{}{} compared: {} faster, {} slower, {} equal (within {:g} %), {} inconclusive\n", line,
             points.size(), count_of(points, Change::kFaster), count_of(points, Change::kSlower),
             count_of(points, Change::kEqual), options.rules.margin * 100, count_of(points, Change::kInconclusive));
  fmt::print(
      out,
      "{}Ratios are second over first, medians with 95 % bootstrap intervals; verdicts on times by rank tests "
      "with Holm's correction. Two runs on a shared machine differ by more than their repetitions show: before a "
      "verdict counts, see that two runs of one program are equal.\n",
      line);
  for (const std::string& note : result.notes) fmt::print(out, "{}note: {}\n", line, note);
}

std::vector<Row> rows_of(const std::filesystem::path& folder, std::vector<std::string>& notes) {
  std::vector<Row> rows = rows_below(folder, notes);
  if (rows.empty()) fmt::print(stderr, "bloomery: no rows in {}\n", folder.string());
  return rows;
}

}  // namespace

int compare_command(const CompareOptions& options) {
  std::vector<std::string> notes;
  const std::vector<Row> a = rows_of(options.a, notes);
  const std::vector<Row> b = rows_of(options.b, notes);
  if (a.empty() || b.empty()) return kNothingMeasured;
  CompareResult result = compare(a, b, options.rules);
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  if (result.points.empty()) {
    fmt::print(stderr, "bloomery: {} and {} share no point that could be compared\n", options.a.string(),
               options.b.string());
    return kNothingMeasured;
  }
  std::vector<Comparison> shown = result.points;
  if (options.changed) {
    std::erase_if(shown,
                  [](const Comparison& c) { return c.change != Change::kFaster && c.change != Change::kSlower; });
  }
  if (options.csv) {
    print_csv(shown);
  } else {
    (options.markdown ? print_markdown : print_table)(table_of(shown));
  }
  print_summary(result, options);
  return count_of(result.points, Change::kSlower) > 0 ? kGotSlower : kOk;
}

void add_compare_command(CLI::App& app, Chosen& chosen) {
  const auto kept = std::make_shared<CompareOptions>();
  CompareOptions& options = *kept;
  CLI::App& command = *app.add_subcommand("compare", "set two runs side by side");
  command.parse_complete_callback([&chosen, kept] { chosen = [kept] { return compare_command(*kept); }; });
  command.add_option("first", options.a, "folder of rows, such as results")->required();
  command.add_option("second", options.b, "another, compared with the first")->required();
  command.add_option("--metric", options.rules.metrics, "only this metric; repeatable")->allow_extra_args(false);
  command.add_option("--margin", options.rules.margin, "what is nearer than this is equal: 0.05 is 5 %")
      ->check(CLI::Range(0.0001, 10.0))
      ->capture_default_str();
  auto* markdown = command.add_flag("--markdown", options.markdown, "as a Markdown table");
  command.add_flag("--csv", options.csv, "as CSV")->excludes(markdown);
  command.add_flag("--changed", options.changed, "show only what is faster or slower");
}

}  // namespace bloomery
