// What a report comes to in a few numbers: the head of the page and the whole of the Markdown.
#ifndef BLOOMERY_EXPERIMENTS_REPORT_SUMMARY_H_
#define BLOOMERY_EXPERIMENTS_REPORT_SUMMARY_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/claims.h"
#include "experiments/measured_points.h"
#include "experiments/report_experiment.h"

namespace bloomery {

struct ReportSummary {
  std::size_t experiments = 0;
  std::size_t measured = 0;  // of them
  std::size_t figures = 0;
  std::size_t drawn = 0;  // of them
  std::size_t structures = 0;
  std::size_t rows = 0;
  std::size_t wrong = 0;   // answers, counted in rows
  std::size_t failed = 0;  // measurements
  double seconds = 0;      // in timed phases
  std::vector<EvaluatedClaim> claims;
  MeasuredPoints points;
};

ReportSummary summarize_results(const std::vector<Result>& results, const std::filesystem::path& plots);

std::string duration_text(double seconds);                  // "3.2 min"
std::string summary_numbers(const ReportSummary& summary);  // HTML

// For a pull request: counts, claims that do not hold, the fastest and slowest structures, the machine.
std::string markdown(const ReportSummary& summary, const std::vector<std::string>& machines);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_REPORT_SUMMARY_H_
