#include "experiments/legend.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/axes.h"

namespace bloomery {
namespace {

struct Box {
  double x0, y0, x1, y1;
  bool holds(double x, double y) const { return x > x0 && x < x1 && y > y0 && y < y1; }
};

struct Size {
  double width, height;
};

// Nearly, in fractions of the axes.
Size size_of(const std::vector<std::string>& names) {
  constexpr double kLine = 1.17 + kLegendSpacing;
  double text = 0;
  for (const std::string& name : names) text = std::max(text, text_width(name, kSmallPoints));
  const double width = text + (kLegendHandle + kLegendHandleGap + 2 * kLegendBorder) * kSmallPoints;
  const double height = (static_cast<double>(names.size()) * kLine + 2 * kLegendBorder) * kSmallPoints;
  return {width / kAxesWidth, height / kAxesHeight};
}

// `across` and `up` are 0 at the left and bottom, 1 at the right and top. The margin keeps markers, which are wider
// than the segments that stand for them, off the frame.
Box box_at(double across, double up, const Size& size) {
  constexpr double kMargin = 3, kInset = kLegendInset * kSmallPoints;  // points
  const auto start = [&](double share, double length, double axis) {
    return kInset / axis + share * (1 - length - 2 * kInset / axis);
  };
  const double x = start(across, size.width, kAxesWidth), y = start(up, size.height, kAxesHeight);
  constexpr double kSideways = kMargin / kAxesWidth, kUpward = kMargin / kAxesHeight;
  return {x - kSideways, y - kUpward, x + size.width + kSideways, y + size.height + kUpward};
}

bool crosses(const Segment& segment, const Box& box) {
  const double length = std::hypot((segment.x1 - segment.x0) * kAxesWidth, (segment.y1 - segment.y0) * kAxesHeight);
  const int steps = 1 + static_cast<int>(length / 2);
  for (int i = 0; i <= steps; ++i) {
    const double part = static_cast<double>(i) / steps;
    const double x = segment.x0 + part * (segment.x1 - segment.x0);
    const double y = segment.y0 + part * (segment.y1 - segment.y0);
    if (box.holds(x, y)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> free_corner(const std::vector<std::string>& names, const std::vector<Segment>& drawn) {
  struct Place {
    const char* name;
    double across, up;
  };
  constexpr std::array<Place, 8> kPlaces = {{{"upper left", 0, 1},
                                             {"upper right", 1, 1},
                                             {"lower right", 1, 0},
                                             {"lower left", 0, 0},
                                             {"upper center", 0.5, 1},
                                             {"lower center", 0.5, 0},
                                             {"center right", 1, 0.5},
                                             {"center left", 0, 0.5}}};
  const Size size = size_of(names);
  if (size.width > 0.9 || size.height > 0.5) return std::nullopt;
  for (const Place& place : kPlaces) {
    const Box box = box_at(place.across, place.up, size);
    if (std::none_of(drawn.begin(), drawn.end(), [&](const Segment& segment) { return crosses(segment, box); })) {
      return place.name;
    }
  }
  return std::nullopt;
}

}  // namespace bloomery
