#include "experiments/report_summary.h"

#include <fmt/format.h>

#include <set>

#include "experiments/axes.h"
#include "experiments/html.h"
#include "experiments/report_claims.h"

namespace bloomery {
namespace {

void add_rows(const std::vector<Row>& rows, ReportSummary& summary, std::set<std::string>& structures) {
  summary.rows += rows.size();
  for (const Row& row : rows) {
    structures.insert(row["structure"]);
    summary.wrong += row["status"] == "false_negative" || row.number("false_negatives").value_or(0) > 0;
    summary.failed += row["status"] == "error";
    summary.seconds += row.number("seconds").value_or(0);
  }
}

std::string tile(const std::string& number, const std::string& what, const std::string& target = "") {
  const std::string words = target.empty() ? html::escape(what) : html::link(target, what);
  return fmt::format("<li><b>{}</b><span>{}</span></li>\n", html::escape(number), words);
}

std::string count_of(std::size_t part, std::size_t whole) {
  return part == whole ? std::to_string(whole) : fmt::format("{} of {}", part, whole);
}

}  // namespace

ReportSummary summarize_results(const std::vector<Result>& results, const std::filesystem::path& plots) {
  ReportSummary summary;
  std::set<std::string> structures;
  std::vector<const std::vector<Row>*> rows;
  for (const Result& result : results) {
    const Experiment& experiment = *result.experiment;
    ++summary.experiments;
    summary.measured += !result.file.rows.empty();
    summary.figures += experiment.figures.size();
    for (const FigureSpec& figure : experiment.figures) {
      summary.drawn += std::filesystem::exists(plots / experiment.id / (figure.id + ".svg"));
    }
    add_rows(result.file.rows, summary, structures);
    summary.claims.insert(summary.claims.end(), result.claims.begin(), result.claims.end());
    rows.push_back(&result.file.rows);
  }
  summary.structures = structures.size();
  summary.points = measured_points(rows);
  return summary;
}

std::string duration_text(double seconds) {
  if (seconds < 100) return short_number(seconds, 2) + " s";
  return seconds < 6000 ? short_number(seconds / 60, 2) + " min" : short_number(seconds / 3600, 2) + " h";
}

std::string summary_numbers(const ReportSummary& summary) {
  std::string html = "<ul class=\"numbers\">\n";
  for (const ClaimVerdict verdict : kVerdicts) {
    const std::size_t count = count_claims(summary.claims, verdict);
    const bool usual = verdict != ClaimVerdict::kMissing && !summary.claims.empty();
    if (usual || count > 0)
      html += tile(std::to_string(count), fmt::format("claims: {}", verdict_name(verdict)), "#claims");
  }
  html += tile(std::to_string(summary.structures), "structures", "#structures");
  html += tile(count_of(summary.drawn, summary.figures), "figures");
  html += tile(count_of(summary.measured, summary.experiments), "experiments");
  html += tile(readable(std::to_string(summary.rows)), "rows");
  html += tile(std::to_string(summary.wrong), "wrong answers");
  if (summary.failed > 0) html += tile(std::to_string(summary.failed), "failed measurements");
  return html + tile(duration_text(summary.seconds), "in timed phases") + "</ul>\n";
}

}  // namespace bloomery
