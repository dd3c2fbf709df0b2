// Where a legend can stand without covering what is drawn.
#ifndef BLOOMERY_EXPERIMENTS_LEGEND_H_
#define BLOOMERY_EXPERIMENTS_LEGEND_H_

#include <optional>
#include <string>
#include <vector>

namespace bloomery {

// Lengths in units of the legend's font size.
inline constexpr double kLegendHandle = 2.6, kLegendHandleGap = 0.6, kLegendBorder = 0.4, kLegendSpacing = 0.3;
inline constexpr double kLegendInset = 0.35;  // from the edge of the axes

struct Segment {  // in fractions of the axes
  double x0, y0, x1, y1;
};

// A place inside the axes, as matplotlib names it, that a legend of these names leaves free; nothing if there is none.
std::optional<std::string> free_corner(const std::vector<std::string>& names, const std::vector<Segment>& drawn);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_LEGEND_H_
