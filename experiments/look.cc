#include "experiments/look.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

namespace bloomery {
namespace {

// The palette of Okabe and Ito, less its yellow, which is lost on white, and with a grey.
constexpr const char* kBlack = "#000000";
constexpr const char* kOrange = "#E69F00";
constexpr const char* kSky = "#56B4E9";
constexpr const char* kGreen = "#009E73";
constexpr const char* kBlue = "#0072B2";
constexpr const char* kVermilion = "#D55E00";
constexpr const char* kPurple = "#CC79A7";
constexpr const char* kGrey = "#8A8A8A";
constexpr const char* kTheoryGrey = "#666666";

// Names that come back in many figures. Variants of a structure have the base's dashes changed; what ends in the name
// of a threading library takes the look of that.
const Look* known_look(const std::string& name) {
  static const std::map<std::string, Look> kKnown = {
      {"Bloofi", {kBlue, "o", "-", ""}},
      {"Bloofi-AU", {kSky, "v", "--", "//"}},
      {"Bloofi-bulk", {kGreen, "D", "-.", "\\\\"}},
      {"Bloofi rebuilt", {kGreen, "D", "--", "\\\\"}},
      {"Flat-Bloofi", {kVermilion, "^", "-", "xx"}},
      {"Flat-Bloofi-AU", {kOrange, "<", "--", "//"}},
      {"Flat-Bloofi rows", {kPurple, "P", "-", "--"}},
      {"Naive", {kBlack, "s", "-", ""}},
      {"Naive-AU", {kGrey, "X", "--", "//"}},
      {"Exact", {kGrey, "x", ":", ".."}},
      {"Oracle", {kGrey, "x", ":", ".."}},
      {"Stream", {kGrey, "x", ":", ".."}},
      {"No index", {kOrange, "X", "--", "//"}},
      {"Standard", {kBlack, "s", "-", ""}},
      {"Standard serial", {kGrey, "s", "--", "//"}},
      {"Blocked", {kOrange, "^", "--", "//"}},
      {"Blocked balanced", {kVermilion, "v", "-.", "xx"}},
      {"Blocked line", {kBlue, "o", "-", "\\\\"}},
      {"Blocked page", {kOrange, "^", "--", "//"}},
      {"Blocked line serial", {kSky, "o", "--", "++"}},
      {"Dynamic blocked", {kGreen, "D", "-.", ".."}},
      {"Overflow", {kSky, "v", ":", "++"}},
      {"External", {kVermilion, "<", ":", "\\\\"}},
      {"Split block", {kPurple, "P", "-", "--"}},
      {"Split block serial", {kPurple, "X", "--", "||"}},
      {"BloomTree", {kVermilion, "D", "-", "xx"}},
      {"Compressed", {kOrange, "^", "--", "//"}},
      {"Line read", {kGrey, "x", ":", ".."}},
      {"Exhaustive", {kSky, "o", "-", ""}},
      {"Genetic", {kVermilion, "x", "--", "//"}},
      {"serial", {kGrey, "s", "-", ""}},
      {"OpenMP", {kBlue, "o", "-", "//"}},
      {"TBB", {kOrange, "^", "--", "\\\\"}},
  };
  auto found = kKnown.find(name);
  if (found == kKnown.end()) found = kKnown.find(name.substr(name.rfind(' ') + 1));
  return found == kKnown.end() ? nullptr : &found->second;
}

// In an order in which neighbours differ in lightness.
Look numbered_look(std::size_t index) {
  static const std::array<Look, 8> kLooks = {{{kBlue, "o", "-", ""},
                                              {kOrange, "s", "--", "//"},
                                              {kBlack, "^", "-.", "\\\\"},
                                              {kSky, "D", "-", "xx"},
                                              {kVermilion, "v", "--", "--"},
                                              {kPurple, "P", "-.", "||"},
                                              {kGreen, "X", "-", "++"},
                                              {kGrey, "p", "--", ".."}}};
  return kLooks[index % kLooks.size()];
}

// By the place among those series of the experiment that are not known, so that it is the same in all its figures.
Look look_of_series(const std::string& name, const Experiment& experiment) {
  if (const Look* known = known_look(name)) return *known;
  std::size_t place = 0;
  for (const Series& series : experiment.series) {
    if (series.name == name) break;
    place += known_look(series.name) == nullptr;
  }
  return numbered_look(place);
}

std::size_t index_in(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

bool one_series(const FigureSpec& figure, const Experiment& experiment) {
  return (figure.series.empty() ? experiment.series.size() : figure.series.size()) == 1;
}

Look look_with_line(const Curve& curve, const FigureSpec& figure, const Experiment& experiment) {
  if (curve.theory) return {kTheoryGrey, "", index_in(figure.curves, curve.metric) % 2 == 0 ? "--" : ":", ""};
  const std::size_t metric = index_in(figure.y, curve.metric);
  const bool by_metric = curve.series.empty() || (figure.y.size() > 1 && one_series(figure, experiment));
  if (by_metric) return numbered_look(metric);
  Look look = look_of_series(curve.series, experiment);
  if (figure.y.size() > 1) {  // colour says series, the rest says metric
    const Look other = numbered_look(metric);
    look = {look.color, other.marker, other.dash, other.hatch};
  }
  return look;
}

}  // namespace

Look look_of(const Curve& curve, const FigureSpec& figure, const Experiment& experiment) {
  Look look = look_with_line(curve, figure, experiment);
  if (figure.kind == "points" && !curve.theory) look.dash = "none";
  return look;
}

std::string hollow_marker(std::size_t source) {
  constexpr std::array<const char*, 4> kMarkers = {"o", "D", "s", "^"};
  return kMarkers[source % kMarkers.size()];
}

}  // namespace bloomery
