// One experiment on the page: what was asked, what came out, its figures, published numbers, settings and files.
#ifndef BLOOMERY_EXPERIMENTS_REPORT_EXPERIMENT_H_
#define BLOOMERY_EXPERIMENTS_REPORT_EXPERIMENT_H_

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/claims.h"
#include "experiments/config.h"
#include "experiments/rows.h"

namespace bloomery {

struct Result {
  const Experiment* experiment;
  RowsFile file;
  std::vector<EvaluatedClaim> claims;
};

Result read_result(const Experiment& experiment, const std::filesystem::path& results);

// HTML.
std::string badges(const RowsFile& file);  // how many rows have which status
std::string experiment_part(const Result& result, const std::filesystem::path& results,
                            const std::filesystem::path& plots);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_REPORT_EXPERIMENT_H_
