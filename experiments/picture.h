// A figure with everything in its place, before anything is drawn.
#ifndef BLOOMERY_EXPERIMENTS_PICTURE_H_
#define BLOOMERY_EXPERIMENTS_PICTURE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/axes.h"
#include "experiments/config.h"
#include "experiments/look.h"
#include "experiments/rows.h"

namespace bloomery {

inline constexpr double kBarWidth = 0.8;  // bars are 1 apart; upstream's have no other width

struct PlacedInterval {
  double x, low, high;
};

struct PlacedText {  // starts at x and stands on y
  double x, y;
  std::string text;
};

struct PlacedCurve {
  std::string name;  // in the legend
  Look look;
  bool bars = false;
  bool points = false;  // without a line
  std::vector<double> x, y;
  std::vector<PlacedInterval> intervals;  // those long enough to be seen
};

struct PlacedNumber {  // published
  double x, y;
  std::size_t source;
  std::string color;
  std::string marker;
};

struct Picture {
  std::string title, xlabel, ylabel;
  Scale x, y;
  Ticks xticks, yticks;  // none: those that matplotlib chooses
  std::vector<PlacedCurve> curves;
  std::vector<PlacedNumber> published;
  std::vector<std::string> sources;  // of published numbers, as the legend names them
  std::vector<PlacedText> values;    // on bars
  bool legend = false;
  std::optional<std::string> corner;  // of the legend; none: outside, to the right
};

// Throws InputError naming the figure when its rows are missing.
Picture lay_out(const FigureSpec& figure, const Experiment& experiment, const std::vector<Row>& rows);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_PICTURE_H_
