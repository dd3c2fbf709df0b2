#include "experiments/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "experiments/advisor.h"
#include "experiments/errors.h"
#include "experiments/html.h"
#include "experiments/machine.h"
#include "experiments/report_experiment.h"
#include "experiments/report_figure.h"
#include "experiments/report_structures.h"
#include "experiments/rows.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

struct Chapter {
  std::string title;
  std::vector<Result> results;
};

// Papers in the order in which they first appear.
std::vector<Chapter> chapters_of(const std::vector<Experiment>& experiments, const fs::path& results) {
  std::vector<Chapter> chapters;
  for (const Experiment& experiment : experiments) {
    const std::string title = experiment.source.paper.empty() ? "Other experiments" : experiment.source.paper;
    auto found = std::find_if(chapters.begin(), chapters.end(), [&](const Chapter& c) { return c.title == title; });
    if (found == chapters.end()) found = chapters.insert(chapters.end(), Chapter{title, {}});
    found->results.push_back({&experiment, read_rows(results / experiment.id / "rows.csv")});
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
    for (const Result& result : chapter.results) html += index_entry(result);
    html += "</ul>";
  }
  return html + "</nav>\n";
}

MeasuredPoints points_of(const std::vector<Chapter>& chapters) {
  std::vector<const std::vector<Row>*> rows;
  for (const Chapter& chapter : chapters) {
    for (const Result& result : chapter.results) rows.push_back(&result.file.rows);
  }
  return measured_points(rows);
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

void write_report(const std::vector<Experiment>& experiments, const fs::path& results, const fs::path& plots) {
  const std::vector<Chapter> chapters = chapters_of(experiments, results);
  std::string body = "<header><div><h1>Bloomery report</h1>\n";
  body += html::paragraph(
      "Points and bars are medians, with 95 % bootstrap intervals where these are longer than a marker. Hollow markers "
      "are numbers of others, grey lines without markers are theory.",
      "soft");
  body += machines_section(experiments, results) + index_of(chapters) + "</div></header>\n<main>\n";
  const MeasuredPoints points = points_of(chapters);
  body += structures_section(points) + advisor_section(points);
  for (const Chapter& chapter : chapters) {
    body += fmt::format("<h2 id=\"paper-{}\">{}</h2>\n", html::anchor(chapter.title), html::escape(chapter.title));
    for (const Result& result : chapter.results) body += experiment_part(result, results, plots);
  }
  write_file(plots / "report.html", html::page("Bloomery report", body + "</main>"));
}

}  // namespace bloomery
