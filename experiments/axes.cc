#include "experiments/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "experiments/metrics.h"
#include "experiments/numbers.h"

namespace bloomery {
namespace {

constexpr double kMargin = 0.05;              // of the axis, on either side of the data
constexpr std::string_view kThin = "\u202F";  // a narrow space that does not break, between groups of three digits

std::string grouped(std::string number) {
  for (std::size_t at = std::min(number.find('.'), number.size()); at > 3;) number.insert(at -= 3, kThin);
  return number;
}

// Never a minus sign before it, since ticks on a logarithmic axis are positive.
std::string power_of_ten(double mantissa, int exponent) {
  if (mantissa == 1) return fmt::format("$10^{{{}}}$", exponent);
  return fmt::format("${:g}\\cdot10^{{{}}}$", mantissa, exponent);
}

struct LogTick {
  double mantissa;
  int exponent;
  double value() const { return mantissa * std::pow(10.0, exponent); }
};

std::vector<LogTick> ticks_with(const std::vector<double>& mantissas, const Scale& scale) {
  std::vector<LogTick> ticks;
  const int last = static_cast<int>(std::floor(std::log10(scale.high)));
  for (int exponent = static_cast<int>(std::floor(std::log10(scale.low))); exponent <= last; ++exponent) {
    for (const double mantissa : mantissas) {
      const LogTick tick{mantissa, exponent};
      if (tick.value() >= scale.low && tick.value() <= scale.high) ticks.push_back(tick);
    }
  }
  return ticks;
}

constexpr std::size_t kEnough = 3, kMany = 7;

// Every one of them, or every second, third, ...
std::vector<LogTick> thinned(const std::vector<LogTick>& ticks) {
  const std::size_t step = ticks.size() / (kMany + 1) + 1;
  std::vector<LogTick> kept;
  for (std::size_t i = 0; i < ticks.size(); i += step) kept.push_back(ticks[i]);
  return kept;
}

std::vector<LogTick> steps_between_powers(const Scale& scale) {
  for (const std::vector<double>& mantissas : std::vector<std::vector<double>>{{1, 3}, {1, 2, 5}}) {
    std::vector<LogTick> ticks = ticks_with(mantissas, scale);
    if (ticks.size() >= kEnough) return ticks;
  }
  return ticks_with({1, 2, 3, 4, 5, 6, 7, 8, 9}, scale);
}

std::string plain_label(double value) {
  return value < 1 ? fmt::format("{:g}", value) : readable(fmt::format("{:.0f}", value));
}

Ticks labelled(const std::vector<LogTick>& chosen) {
  const bool plain = std::all_of(chosen.begin(), chosen.end(),
                                 [](const LogTick& tick) { return tick.value() > 0.9e-3 && tick.value() < 1.1e6; });
  Ticks ticks;
  for (const LogTick& tick : chosen) {
    ticks.at.push_back(tick.value());
    ticks.labels.push_back(plain ? plain_label(tick.value()) : power_of_ten(tick.mantissa, tick.exponent));
  }
  return ticks;
}

bool have_room(const Ticks& ticks, const Scale& scale) {
  constexpr double kApart = 4;  // points
  for (std::size_t i = 1; i < ticks.at.size(); ++i) {
    const double gap = (scale.fraction(ticks.at[i]) - scale.fraction(ticks.at[i - 1])) * kAxesWidth;
    const double widths = text_width(ticks.labels[i - 1], kFontPoints) + text_width(ticks.labels[i], kFontPoints);
    if (gap < widths / 2 + kApart) return false;
  }
  return true;
}

// None if one is no number or too long to read.
Ticks at_values(const std::vector<std::string>& values, const Scale& scale) {
  Ticks ticks;
  for (const std::string& value : values) {
    const std::optional<double> number = parse_real(value);
    if (!number || *number < scale.low || *number > scale.high || value.size() > 6) return {};
    ticks.at.push_back(*number);
    ticks.labels.push_back(readable(value));
  }
  return ticks;
}

// The words that all labels end with: "insert time (µs)" and "update time (µs)" share "time (µs)".
std::string common_ending(const std::vector<std::string>& labels) {
  std::string ending = labels.front();
  for (const std::string& label : labels) {
    while (!label.ends_with(ending)) {
      const std::size_t space = ending.find(' ');
      if (space == std::string::npos) return "";
      ending.erase(0, space + 1);
    }
  }
  return ending;
}

// Of DejaVu Sans, in units of the font's size.
double glyph_width(char c) {
  if (std::string_view(" .,:;'|!il[](){}ftjIr").find(c) != std::string_view::npos) return 0.36;
  if (std::string_view("mwMW%@").find(c) != std::string_view::npos) return 0.92;
  if (c >= '0' && c <= '9') return 0.636;
  return c >= 'A' && c <= 'Z' ? 0.68 : 0.6;
}

std::string broken(const std::string& text, double font_points, double width_points) {
  std::istringstream words(text);
  std::string lines, line, word;
  while (words >> word) {
    const std::string longer = line.empty() ? word : fmt::format("{} {}", line, word);
    const bool fits = line.empty() || text_width(longer, font_points) <= width_points;
    if (!fits) lines += line + "\n";
    line = fits ? longer : word;
  }
  return lines + line;
}

}  // namespace

void Bounds::add(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

double Scale::fraction(double value) const {
  return log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

double Scale::value_at(double fraction) const {
  return log ? low * std::pow(high / low, fraction) : low + fraction * (high - low);
}

double Scale::decades() const { return std::log10(high / low); }

Scale Scale::grown(double below, double above) const { return {log, value_at(-below), value_at(1 + above)}; }

Scale scale_around(const Bounds& bounds, bool log) {
  if (bounds.empty()) return {log, log ? 0.1 : 0.0, 1};
  Scale scale{log, bounds.low, bounds.high};
  // A single value, or nearly one, needs an axis too.
  if (log && scale.high < scale.low * 2) scale = {log, scale.low / 2, scale.high * 2};
  if (!log && scale.high == scale.low) scale = {log, scale.low - 1, scale.high + 1};
  return scale.grown(kMargin, kMargin);
}

Scale scale_of_heights(const Bounds& bounds, bool log, bool bars) {
  const bool from_zero = !log && bounds.low >= 0 && bounds.high > 0;
  if (bounds.empty() || (log ? !bars : !from_zero)) return scale_around(bounds, log);
  // On a logarithmic axis some of the lowest bar must be there to be seen.
  const double low = log ? std::pow(10.0, std::floor(std::log10(bounds.low / 1.25))) : 0;
  return Scale{log, low, bounds.high}.grown(0, kMargin);
}

Ticks log_ticks(const Scale& scale, const std::vector<std::string>& values) {
  const std::vector<LogTick> powers = ticks_with({1}, scale);
  if (powers.size() >= kEnough) return labelled(thinned(powers));
  Ticks own = at_values(values, scale);
  if (own.at.size() > 1 && have_room(own, scale)) return own;
  return labelled(steps_between_powers(scale));
}

std::string short_number(double value, int digits) {
  const double magnitude = std::abs(value);
  if (magnitude < 1e-3 || magnitude >= 1e9) return fmt::format("{:.{}g}", value, digits);
  const int whole_digits = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  const int decimals = value == std::floor(value) ? 0 : std::max(0, digits - whole_digits);
  const double unit = std::pow(10.0, std::max(0, whole_digits - digits));  // what is below it is not significant
  const double rounded = unit > 1 ? std::round(magnitude / unit) * unit : magnitude;
  const std::string text = grouped(fmt::format("{:.{}f}", rounded, decimals));
  return value < 0 ? fmt::format("-{}", text) : text;
}

std::string readable(const std::string& value) {
  const bool whole =
      !value.empty() && std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
  return whole && value.size() < 16 ? grouped(value) : value;
}

std::string x_label(const FigureSpec& figure) {
  static const std::map<std::string, std::string> kLabels = {
      {"N", "N, number of filters"},
      {"d", "d, order"},
      {"m", "m, bits a filter"},
      {"k", "k, hash functions"},
      {"n", "n, keys a filter"},
      {"n_exp", "keys a filter is sized for"},
      {"rho", "ρ, desired false positive rate"},
      {"metric", "distance"},
      {"distribution", "distribution of keys"},
      {"construction", "construction"},
      {"hash", "hash function"},
      {"threads", "threads"},
      {"backend", "threading library"},
      {"batch", "queries a batch"},
      {"update_keys", "keys that an update adds"},
      {"queries", "queries"},
      {"documents", "documents"},
      {"bundle", "documents in a bundle"},
      {"c", "c, bits a key"},
      {"block_bytes", "bytes a block"},
      {"day", "day"},
      {"levels", "d, levels"},
      {"filter_keys", "keys of a filter"},
      {"filter_fill", "share of a filter's bits that are set"},
      {"fill_error", "relative error of the fill"},
      {"posterior", "posterior of a query, in one level"},
      {"shared", "share of the keys that both sets have"},
      {"skew", "size of the first set over that of the second"},
      {"load", "keys in, of those there is room for"},
      {"rho_1", "ρ₁, bits a key in level 1"},
      {"k_1", "k₁, hash functions in level 1"},
      {"k_2", "kᵢ, hash functions in levels 2 and on"},
      {"m_2", "mᵢ, bits of a filter in levels 2 and on"},
      {"hit_rate", "share of queries that hit"},
      {"structure", "structure"},
      {"series", ""},
  };
  if (const auto found = kLabels.find(figure.x); found != kLabels.end()) return found->second;
  const auto metric = std::ranges::find(metrics(), figure.x, &Metric::name);
  return metric == metrics().end() ? figure.x : metric->label;
}

std::string y_label(const FigureSpec& figure) {
  std::vector<std::string> labels;
  for (const std::string& name : figure.y) labels.push_back(find_metric(name).label);
  const std::string label = common_ending(labels);
  if (figure.base.empty()) return label;
  const std::string quantity = label.substr(0, label.find(" ("));
  if (figure.speedup) return fmt::format("speed-up over {}", figure.base);
  return fmt::format("{}, relative to {}", quantity, figure.base);
}

std::string plain_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '$') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

double text_width(const std::string& text, double font_points) {
  double width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool first_of_many = byte >= 0xC0;  // bytes of a character outside ASCII
    if (byte < 0x80) width += glyph_width(text[i]);
    if (first_of_many) width += text.compare(i, kThin.size(), kThin) == 0 ? 0.2 : 0.64;
  }
  return width * font_points;
}

std::string wrapped(const std::string& text, double font_points, double width_points) {
  const double width = text_width(text, font_points);
  const double lines = std::ceil(width / width_points);
  // The mean length, and some more because words do not break.
  return lines <= 1 ? text : broken(text, font_points, std::min(width_points, 1.15 * width / lines));
}

}  // namespace bloomery
