#include "experiments/report_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "experiments/axes.h"
#include "experiments/curves.h"
#include "experiments/errors.h"
#include "experiments/html.h"
#include "experiments/look.h"
#include "experiments/numbers.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::optional<std::string> read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// More digits than a reader can see would be half of the page.
Json rounded(double value) {
  constexpr int kDigits = 6;
  if (!std::isfinite(value)) return nullptr;
  return *parse_real(fmt::format("{:.{}g}", value, kDigits));
}

// The places on the x axis of everything that is drawn.
class Places {
 public:
  Places(std::vector<std::string> values, bool numeric_axis) : values_(std::move(values)), numeric_(numeric_axis) {
    numeric_ = numeric_ && std::ranges::all_of(values_, [](const std::string& v) { return parse_real(v).has_value(); });
  }

  // A published number may stand where we have not measured, if the axis is one of numbers.
  std::optional<std::size_t> at(const std::string& value) {
    const auto found = std::ranges::find_if(values_, [&](const std::string& v) { return same_value(v, value); });
    const auto index = static_cast<std::size_t>(found - values_.begin());
    if (found != values_.end()) return index;
    if (!numeric_ || !parse_real(value)) return std::nullopt;
    values_.push_back(value);
    return index;
  }

  const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
  bool numeric_;
};

Json curve_data(const Curve& curve, const FigureSpec& figure, const Look& look, Places& places) {
  Json points = Json::array();
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const Summary& y = curve.y[i];
    points.push_back({places.at(curve.x[i]).value(), rounded(y.median), rounded(y.low), rounded(y.high), y.count});
  }
  return {{"name", legend_name(curve, y_label(figure))},
          {"color", look.color},
          {"marker", look.marker},
          {"dash", look.dash},
          {"hatch", look.hatch},
          {"theory", curve.theory},
          {"points", points}};
}

std::string caption(const FigureSpec& figure) {
  return "Figure " + figure.id + (figure.title.empty() ? "" : ": " + figure.title);
}

std::string where_part(const FigureSpec& figure) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : figure.where) parts.push_back(key + " = " + readable(value));
  if (parts.empty()) return "";
  return fmt::format(" <span class=\"soft\">{}</span>", html::escape(fmt::format("at {}", fmt::join(parts, ", "))));
}

}  // namespace

std::string figure_anchor(const FigureSpec& figure, const Experiment& experiment) {
  return fmt::format("figure-{}-{}", html::anchor(experiment.id), html::anchor(figure.id));
}

std::string chart_data(const FigureSpec& figure, const Experiment& experiment, const std::vector<Row>& rows) try {
  const std::vector<Curve> curves = curves_of(figure, experiment, rows);
  const bool bars = figure.kind == "bar";
  Places places(x_values(figure, experiment, curves), !bars);
  Json drawn = Json::array(), published = Json::array();
  for (const Curve& curve : curves)
    drawn.push_back(curve_data(curve, figure, look_of(curve, figure, experiment), places));
  for (const PublishedPoint& point : published_on(figure, experiment, curves, rows)) {
    const std::optional<std::size_t> at = places.at(point.x);
    if (!at) continue;
    published.push_back(
        {{"curve", point.curve}, {"x", *at}, {"value", rounded(point.value)}, {"source", point.source}});
  }
  const Json x = {{"label", x_label(figure)}, {"log", figure.xscale == "log"}, {"values", places.values()}};
  const Json y = {{"label", y_label(figure)}, {"log", figure.yscale == "log"}};
  return html::script_json(
      Json{{"x", x}, {"y", y}, {"bars", bars}, {"curves", drawn}, {"published", published}}.dump());
} catch (const InputError&) {  // rows of a series are missing
  return "";
}

std::string figure_part(const FigureSpec& figure, const Experiment& experiment, const std::vector<Row>& rows,
                        const fs::path& plots, const std::string& beside) {
  const fs::path file = fs::path(experiment.id) / (figure.id + ".svg");
  const std::optional<std::string> svg = read_file(plots / file);
  const std::string data = chart_data(figure, experiment, rows);
  const std::string words = html::escape(caption(figure));
  std::string html = fmt::format("<figure id=\"{}\"{}><figcaption>", figure_anchor(figure, experiment),
                                 beside.empty() ? "" : " class=\"told\"");
  html += fmt::format("<b>{}</b>{}", words, where_part(figure));
  if (svg) html += fmt::format(" <a class=\"soft\" href=\"{}\">SVG</a>", html::url(file));
  html += "</figcaption><div>";
  if (!data.empty()) {
    html += fmt::format("<div class=\"chart\" data-title=\"{}\"><script type=\"application/json\">{}</script></div>",
                        words, data);
  }
  if (svg) {
    // As an image and not inline: the ids inside two SVG files would clash on one page.
    html += fmt::format("<img class=\"{}\" loading=\"lazy\" alt=\"{}\" src=\"{}\">", data.empty() ? "" : "static",
                        words, html::svg_url(*svg));
  } else {
    html += html::warning(caption(figure) + " has not been drawn.");
  }
  return html + "</div>" + beside + "</figure>\n";
}

}  // namespace bloomery
