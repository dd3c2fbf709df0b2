// One self-contained page with every figure, its settings and where its rows are.
#ifndef BLOOMERY_EXPERIMENTS_REPORT_H_
#define BLOOMERY_EXPERIMENTS_REPORT_H_

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/config.h"

namespace bloomery {

// Reads results/<id>/rows.csv, environment.json and plots/<id>/*.svg of each experiment; writes plots/report.html.
void write_report(const std::vector<Experiment>& experiments, const std::filesystem::path& results,
                  const std::filesystem::path& plots);

// The head of the same as Markdown, for a pull request; writes nothing.
std::string report_markdown(const std::vector<Experiment>& experiments, const std::filesystem::path& results,
                            const std::filesystem::path& plots);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_REPORT_H_
