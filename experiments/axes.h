// The axes of a figure: size, limits, ticks, and the words on them.
#ifndef BLOOMERY_EXPERIMENTS_AXES_H_
#define BLOOMERY_EXPERIMENTS_AXES_H_

#include <limits>
#include <string>
#include <vector>

#include "experiments/config.h"

namespace bloomery {

// For one column of a paper, about 3.3 inches: nothing has to be scaled, so a point here is a point in print.
inline constexpr double kAxesWidth = 196;  // points
inline constexpr double kAxesHeight = 138;
inline constexpr double kFontPoints = 8;
inline constexpr double kSmallPoints = 7;  // legend, and values on bars

struct Bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value);
  bool empty() const { return low > high; }
};

// An axis from `low` to `high`.
struct Scale {
  bool log = false;
  double low = 0;
  double high = 1;

  double fraction(double value) const;            // 0 at the low end, 1 at the high end
  double value_at(double fraction) const;         // the inverse
  double decades() const;                         // of a logarithmic axis
  Scale grown(double below, double above) const;  // by fractions of its length
};

// Around the data, with a margin.
Scale scale_around(const Bounds& bounds, bool log);
// The same for values that are compared by their height: from zero if nothing is below it. Bars on a logarithmic axis
// have to start somewhere, and do so at a power of ten.
Scale scale_of_heights(const Bounds& bounds, bool log, bool bars);

struct Ticks {
  std::vector<double> at;
  std::vector<std::string> labels;
};
// Few and round: powers of ten if there are enough of them, else the values (of an x axis) if their labels have room,
// else steps between the powers.
Ticks log_ticks(const Scale& scale, const std::vector<std::string>& values = {});

// 12 000, 0.250, 3.1e-05: `digits` significant ones, and no more decimals than a whole number has.
std::string short_number(double value, int digits);
// A value as a row or config has it, as a reader wants it: 12 000 for 12000, words unchanged.
std::string readable(const std::string& value);

std::string x_label(const FigureSpec& figure);
std::string y_label(const FigureSpec& figure);  // what the labels of its metrics have in common

std::string plain_text(const std::string& text);  // matplotlib reads what stands between two dollars as mathematics
double text_width(const std::string& text, double font_points);  // in points, nearly
// Broken between words into as few lines of that width as it takes, all of about the same length.
std::string wrapped(const std::string& text, double font_points, double width_points);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_AXES_H_
