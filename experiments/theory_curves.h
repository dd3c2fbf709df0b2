// Formulas that a figure can draw beside what is measured, by the names that configs use. A new one is one entry of the
// table in theory_curves.cc.
#ifndef BLOOMERY_EXPERIMENTS_THEORY_CURVES_H_
#define BLOOMERY_EXPERIMENTS_THEORY_CURVES_H_

#include <optional>
#include <string>
#include <vector>

#include "experiments/rows.h"

namespace bloomery {

struct Theory {
  std::string name;
  std::string label;
  bool each_series;  // a curve for every series, with the settings of its rows; else one for all
  // From the settings of a row and its place on the x axis.
  std::optional<double> (*value)(const Row& row, const std::string& x);
};

const std::vector<Theory>& theories();
std::vector<std::string> theory_names();
const Theory& find_theory(const std::string& name);  // throws InputError with the nearest name

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_THEORY_CURVES_H_
