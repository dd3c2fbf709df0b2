// From rows to the numbers that a figure shows.
#ifndef BLOOMERY_EXPERIMENTS_CURVES_H_
#define BLOOMERY_EXPERIMENTS_CURVES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config.h"
#include "experiments/rows.h"
#include "experiments/stats.h"

namespace bloomery {

// "0.01" in a config and "1e-2" in a row are the same value.
bool same_value(const std::string& a, const std::string& b);

// The numbers behind one curve of a figure.
struct Curve {
  std::string name;
  std::vector<std::string> x;  // as in the rows, in the order of the axis
  std::vector<Summary> y;
  bool theory = false;
  std::string series;  // "" if the curve runs over all series or is theory
  std::string metric;  // or the name of the theory
};

// Throws InputError that names the figure and every series without rows. A series that cannot do what the figure shows
// (its rows say so) has no curve.
std::vector<Curve> curves_of(const FigureSpec& figure, const Experiment& experiment, const std::vector<Row>& rows);

// What the y axis says already need not stand in the legend.
std::string legend_name(const Curve& curve, const std::string& y_label);

// Every x of the curves once: by size if all are numbers, else as the config lists them.
std::vector<std::string> x_values(const FigureSpec& figure, const Experiment& experiment,
                                  const std::vector<Curve>& curves);

// A published number and the curve that it belongs to.
struct PublishedPoint {
  std::size_t curve = 0;
  std::string x;
  double value = 0;
  std::string source;  // without details: what stands before the first comma
};
std::vector<PublishedPoint> published_on(const FigureSpec& figure, const Experiment& experiment,
                                         const std::vector<Curve>& curves, const std::vector<Row>& rows);

// What we measured where a published number was; nothing if there are no rows.
std::optional<Summary> measured(const Published& published, const std::vector<Row>& rows);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CURVES_H_
