#include "experiments/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "experiments/advisor.h"
#include "experiments/errors.h"
#include "experiments/html.h"
#include "experiments/machine.h"
#include "experiments/report_claims.h"
#include "experiments/report_experiment.h"
#include "experiments/report_figure.h"
#include "experiments/report_structures.h"
#include "experiments/report_summary.h"
#include "experiments/rows.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

struct Chapter {
  std::string title;
  std::vector<const Result*> results;
};

// As readers know the papers that configs name in a word.
std::string title_of(const std::string& paper) {
  static const std::map<std::string, std::string> kTitles = {
      {"", "Other experiments"},
      {"bloofi", "Bloofi: Multidimensional Bloom Filters (Crainiceanu and Lemire)"},
      {"cache", "Cache Efficient Bloom Filters for Shared Memory Machines (Kaler)"},
      {"tutorial", "Bloom Filters: Short Tutorial (Ripeanu and Iamnitchi)"},
      {"bloomtree", "BloomTree (Fu and Biersack)"},
  };
  const auto found = kTitles.find(paper);
  return found == kTitles.end() ? paper : found->second;
}

std::vector<Result> results_of(const std::vector<Experiment>& experiments, const fs::path& folder) {
  std::vector<Result> results;
  for (const Experiment& experiment : experiments) results.push_back(read_result(experiment, folder));
  return results;
}

// Papers in the order in which they first appear.
std::vector<Chapter> chapters_of(const std::vector<Result>& results) {
  std::vector<Chapter> chapters;
  for (const Result& result : results) {
    const std::string title = title_of(result.experiment->source.paper);
    auto found = std::ranges::find(chapters, title, &Chapter::title);
    if (found == chapters.end()) found = chapters.insert(chapters.end(), Chapter{title, {}});
    found->results.push_back(&result);
  }
  for (Chapter& chapter : chapters) {  // what the paper has a figure of comes first
    std::ranges::stable_partition(chapter.results,
                                  [](const Result* result) { return !result->experiment->source.figures.empty(); });
  }
  return chapters;
}

std::string index_entry(const Result& result) {
  const Experiment& experiment = *result.experiment;
  std::vector<std::string> figures;
  for (const FigureSpec& figure : experiment.figures) {
    figures.push_back(html::link(fmt::format("#{}", figure_anchor(figure, experiment)), figure.id));
  }
  return fmt::format("<li>{} {}{}<p class=\"soft\">Figures: {}</p></li>\n",
                     html::link(fmt::format("#{}", html::anchor(experiment.id)), experiment.id), badges(result.file),
                     html::paragraph(experiment.about), fmt::join(figures, ", "));
}

std::string index_of(const std::vector<Chapter>& chapters) {
  std::string html = "<nav aria-label=\"Experiments\">";
  for (const Chapter& chapter : chapters) {
    html += fmt::format("<h4>{}</h4><ul class=\"index\">\n",
                        html::link(fmt::format("#paper-{}", html::anchor(chapter.title)), chapter.title));
    for (const Result* result : chapter.results) html += index_entry(*result);
    html += "</ul>";
  }
  return html + "</nav>\n";
}

void write_file(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw IoError("cannot write " + file.string());
}

}  // namespace

void write_report(const std::vector<Experiment>& experiments, const fs::path& folder, const fs::path& plots) {
  const std::vector<Result> results = results_of(experiments, folder);
  const std::vector<Chapter> chapters = chapters_of(results);
  const ReportSummary summary = summarize_results(results, plots);
  std::string body = "<header><div><h1>Bloomery report</h1>\n" + summary_numbers(summary);
  body += machines_section(experiments, folder);
  body += html::paragraph(
      "Points and bars are medians, with 95 % bootstrap intervals as bands and whiskers. Hollow markers are numbers of "
      "others, grey lines without markers are theory. A curve's name below a figure switches it off and on.",
      "soft");
  body +=
      "<p><a href=\"#claims\">Claims</a> · <a href=\"#structures\">Structures</a> · "
      "<a href=\"#advisor\">Which structure?</a></p>\n" +
      index_of(chapters) + "</div></header>\n<main>\n";
  body += claims_section(summary.claims) + structures_section(summary.points) + advisor_section(summary.points);
  for (const Chapter& chapter : chapters) {
    body += fmt::format("<h2 id=\"paper-{}\">{}</h2>\n", html::anchor(chapter.title), html::escape(chapter.title));
    for (const Result* result : chapter.results) body += experiment_part(*result, folder, plots);
  }
  write_file(plots / "report.html", html::page("Bloomery report", body + "</main>"));
}

std::string report_markdown(const std::vector<Experiment>& experiments, const fs::path& results,
                            const fs::path& plots) {
  return markdown(summarize_results(results_of(experiments, results), plots), machine_lines(experiments, results));
}

}  // namespace bloomery
