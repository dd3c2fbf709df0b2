// Draws an experiment's figures from its rows and nothing else.
#ifndef BLOOMERY_EXPERIMENTS_FIGURES_H_
#define BLOOMERY_EXPERIMENTS_FIGURES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/config.h"
#include "experiments/rows.h"
#include "experiments/stats.h"

namespace bloomery {

// The numbers behind one curve of a figure.
struct Curve {
  std::string name;
  std::vector<std::string> x;  // as in the rows, in the order of the axis
  std::vector<Summary> y;
  bool theory = false;
};
std::vector<Curve> curves_of(const FigureSpec& figure, const Experiment& experiment, const std::vector<Row>& rows);

// Writes <folder>/<id>.svg and .png for each figure (only `only` if not empty) and returns what it wrote. Throws
// InputError naming the figure when its rows are missing.
std::vector<std::filesystem::path> draw_figures(const Experiment& experiment, const std::vector<Row>& rows,
                                                const std::filesystem::path& folder, const std::string& only);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_FIGURES_H_
