// Draws an experiment's figures from its rows and nothing else.
#ifndef BLOOMERY_EXPERIMENTS_FIGURES_H_
#define BLOOMERY_EXPERIMENTS_FIGURES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/config.h"
#include "experiments/curves.h"
#include "experiments/rows.h"

namespace bloomery {

// Writes <folder>/<id>.svg and .png for each figure (only `only` if not empty) and returns what it wrote. Throws
// InputError naming the figure when its rows are missing.
std::vector<std::filesystem::path> draw_figures(const Experiment& experiment, const std::vector<Row>& rows,
                                                const std::filesystem::path& folder, const std::string& only);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_FIGURES_H_
