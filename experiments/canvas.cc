#include "experiments/canvas.h"

// Only calls that work with the upstream header too (Python 3.11, matplotlib 3.6) are used: no subplot, no numeric
// keywords, no reading back of limits. Numbers that matplotlib needs go through rcparams.
#include <matplotlibcpp.h>

#include <cstddef>
#include <exception>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "experiments/errors.h"
#include "experiments/legend.h"

namespace bloomery {
namespace {

namespace plt = matplotlibcpp;
using Keywords = std::map<std::string, std::string>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kDpi = 300;

// Hundredths of an inch, which is what figure_size takes. The labels need room beside the axes; what they leave of it
// is cut off when the figure is saved.
constexpr double kWidth = 340, kHeight = 260;
constexpr double kLeft = 0.16, kBottom = 0.17;

constexpr double kTitleWidth = 1.1 * kAxesWidth;  // may stand over a little on either side

double inches_share(double points, double hundredths) { return points / 72 * 100 / hundredths; }

void set_style() {
  const std::string font = std::to_string(kFontPoints);
  const std::string thin = "0.6";
  plt::rcparams({{"font.size", font},
                 {"font.family", "DejaVu Sans"},
                 {"axes.titlesize", font},
                 {"axes.labelsize", font},
                 {"axes.titlepad", "5"},
                 {"axes.labelpad", "3"},
                 {"axes.spines.top", "False"},
                 {"axes.spines.right", "False"},
                 {"axes.linewidth", thin},
                 {"axes.axisbelow", "True"},
                 {"axes.formatter.useoffset", "False"},
                 {"axes.formatter.limits", "-4, 6"},
                 {"axes.formatter.use_mathtext", "True"},
                 {"xtick.labelsize", font},
                 {"ytick.labelsize", font},
                 {"xtick.major.width", thin},
                 {"ytick.major.width", thin},
                 {"xtick.minor.width", "0.4"},
                 {"ytick.minor.width", "0.4"},
                 {"grid.color", "#E2E2E2"},
                 {"grid.linewidth", "0.5"},
                 {"lines.linewidth", "1.2"},
                 {"lines.markersize", "4"},
                 {"lines.markeredgewidth", "0.8"},
                 {"hatch.linewidth", "0.4"},
                 {"mathtext.fontset", "dejavusans"},
                 {"legend.fontsize", std::to_string(kSmallPoints)},
                 {"legend.framealpha", "0.9"},
                 {"legend.fancybox", "False"},
                 {"legend.edgecolor", "#CCCCCC"},
                 {"legend.borderpad", std::to_string(kLegendBorder)},
                 {"legend.handlelength", std::to_string(kLegendHandle)},
                 {"legend.handletextpad", std::to_string(kLegendHandleGap)},
                 {"legend.labelspacing", std::to_string(kLegendSpacing)},
                 {"legend.numpoints", "1"},
                 {"figure.subplot.left", std::to_string(kLeft)},
                 {"figure.subplot.right", std::to_string(kLeft + inches_share(kAxesWidth, kWidth))},
                 {"figure.subplot.bottom", std::to_string(kBottom)},
                 {"figure.subplot.top", std::to_string(kBottom + inches_share(kAxesHeight, kHeight))},
                 {"savefig.bbox", "tight"},
                 {"savefig.pad_inches", "0.03"},
                 {"svg.hashsalt", "bloomery"}});  // or the ids in the file would differ from run to run
}

void start_matplotlib() {
  try {
    plt::backend("Agg");
    set_style();
  } catch (const std::runtime_error& error) {
    throw InputError(std::string("figures need a Python with matplotlib: install python3-matplotlib, or configure with "
                                 "-DPython3_EXECUTABLE=<a Python that has it>\n") +
                     error.what());
  }
}

// Upstream reports some failures by its result instead of an exception.
void require(bool drawn, const char* what) {
  if (!drawn) throw std::runtime_error(std::string("matplotlib could not draw ") + what);
}

// The scales are set with an empty curve, since the functions that set them take no keywords upstream.
void set_scales(bool log_x, bool log_y) {
  const std::vector<double> none;
  if (log_x && log_y) {
    require(plt::loglog(none, none, ""), "logarithmic axes");
  } else if (log_x) {
    require(plt::semilogx(none, none, ""), "a logarithmic axis");
  } else if (log_y) {
    require(plt::semilogy(none, none, ""), "a logarithmic axis");
  }
}

// Small ticks are never labelled, as matplotlib would do on a short axis, and not there at all on a long one. "" is
// Python's false in a string.
void set_minor_ticks(const Scale& scale, const char* axis, const char* side) {
  if (!scale.log) return;
  Keywords keywords = {{"which", "minor"}, {std::string("label") + side, ""}};
  if (scale.decades() > 4.5) keywords[side] = "";
  plt::tick_params(keywords, axis);
}

// matplotlib leaves what starts with an underscore out of the legend.
std::string legend_text(const std::string& text) {
  std::string escaped = plain_text(text);
  if (escaped.starts_with('_')) escaped.insert(escaped.begin(), ' ');
  return escaped;
}

void plot(const std::vector<double>& x, const std::vector<double>& y, Keywords keywords, const std::string& name) {
  if (!name.empty()) keywords["label"] = legend_text(name);
  require(plt::plot(x, y, keywords), "a curve");
}

void draw_line(const PlacedCurve& curve) {
  Keywords keywords = {{"color", curve.look.color}, {"linestyle", curve.look.dash}};
  if (!curve.look.marker.empty()) keywords["marker"] = curve.look.marker;
  plot(curve.x, curve.y, keywords, curve.name);
}

void draw_bars(const PlacedCurve& curve) {
  // Hatches are black: on a black bar they would not show.
  const std::string face = curve.look.color == "#000000" ? "#F5F5F5" : curve.look.color;
  const Keywords keywords = {{"facecolor", face}, {"hatch", curve.look.hatch}, {"label", legend_text(curve.name)}};
  require(plt::bar(curve.x, curve.y, "#333333", "-", 0.6, keywords), "bars");
}

// Upstream's errorbar knows only bars of equal length up and down, which a bootstrap interval has not. So an interval
// is a line between two dashes, and a gap (NaN) parts it from the next.
void draw_intervals(const PlacedCurve& curve) {
  if (curve.intervals.empty()) return;
  std::vector<double> x, y;
  for (const PlacedInterval& interval : curve.intervals) {
    x.insert(x.end(), 3, interval.x);
    y.insert(y.end(), {interval.low, interval.high, kNan});
  }
  const std::string color = curve.bars ? "#333333" : curve.look.color;
  plot(x, y, {{"color", color}, {"marker", "_"}, {"markersize", "4"}, {"linewidth", "0.7"}, {"linestyle", "-"}}, "");
}

Keywords hollow(const std::string& marker, const std::string& color) {
  const bool round = marker == "o";  // the others look larger at the same size
  return {{"linestyle", "none"},
          {"marker", marker},
          {"markersize", round ? "7" : "6"},
          {"markeredgecolor", color},
          {"markerfacecolor", "none"}};
}

void draw_published(const Picture& picture) {
  for (const PlacedNumber& number : picture.published) {
    plot({number.x}, {number.y}, hollow(number.marker, number.color), "");
  }
  for (std::size_t i = 0; i < picture.sources.size(); ++i) {
    plot({}, {}, hollow(hollow_marker(i), "#000000"), picture.sources[i]);
  }
}

// Upstream's text takes neither size nor alignment.
void write_values(const std::vector<PlacedText>& values) {
  plt::rcparams({{"font.size", std::to_string(kSmallPoints)}});
  for (const PlacedText& value : values) plt::text(value.x, value.y, plain_text(value.text));
  plt::rcparams({{"font.size", std::to_string(kFontPoints)}});
}

void draw_axes(const Picture& picture) {
  if (!picture.xticks.at.empty()) plt::xticks(picture.xticks.at, picture.xticks.labels);
  if (!picture.yticks.at.empty()) plt::yticks(picture.yticks.at, picture.yticks.labels);
  set_minor_ticks(picture.x, "x", "bottom");
  set_minor_ticks(picture.y, "y", "left");
  plt::xlim(picture.x.low, picture.x.high);
  plt::ylim(picture.y.low, picture.y.high);
  if (!picture.title.empty()) plt::title(plain_text(wrapped(picture.title, kFontPoints, kTitleWidth)));
  if (!picture.xlabel.empty()) plt::xlabel(plain_text(picture.xlabel));
  plt::ylabel(plain_text(picture.ylabel));
}

// Upstream takes no anchor for a legend; a padding as wide as the axes puts it to their right.
void draw_legend(const std::optional<std::string>& corner) {
  const double pad = corner ? kLegendInset : kAxesWidth / kSmallPoints + 1;
  plt::rcparams({{"legend.borderaxespad", std::to_string(pad)}, {"legend.frameon", corner ? "True" : "False"}});
  plt::legend({{"loc", corner.value_or("center left")}});
}

// Closes the figure whatever happens, or pyplot would keep it and draw the next one over it.
class OpenFigure {
 public:
  OpenFigure() { plt::figure_size(static_cast<std::size_t>(kWidth), static_cast<std::size_t>(kHeight)); }
  OpenFigure(const OpenFigure&) = delete;
  OpenFigure& operator=(const OpenFigure&) = delete;
  ~OpenFigure() {
    try {
      plt::close();
    } catch (const std::exception&) {  // the error that led here is the one to report
    }
  }
};

// The block holds the date and the version of matplotlib: without it the same rows give the same file.
void remove_metadata(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string svg(std::istreambuf_iterator<char>(in), {});
  constexpr std::string_view kStart = "<metadata>", kEnd = "</metadata>\n";
  const std::size_t start = svg.find(kStart), end = svg.find(kEnd);
  if (start == std::string::npos || end == std::string::npos) return;
  svg.erase(start, end + kEnd.size() - start);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << svg;
  if (!out.flush()) throw IoError("cannot write " + file.string());
}

void save(const std::filesystem::path& file) {
  try {
    plt::save(file.string(), kDpi);
  } catch (const std::runtime_error& error) {
    throw IoError("cannot write " + file.string() + ": " + error.what());
  }
  if (file.extension() == ".svg") remove_metadata(file);
}

}  // namespace

void draw(const Picture& picture, const std::vector<std::filesystem::path>& files) {
  start_matplotlib();
  const OpenFigure open;
  set_scales(picture.x.log, picture.y.log);
  plt::grid(true);
  for (const PlacedCurve& curve : picture.curves) curve.bars ? draw_bars(curve) : draw_line(curve);
  for (const PlacedCurve& curve : picture.curves) draw_intervals(curve);
  draw_published(picture);
  write_values(picture.values);
  draw_axes(picture);
  if (picture.legend) draw_legend(picture.corner);
  for (const std::filesystem::path& file : files) save(file);
}

}  // namespace bloomery
