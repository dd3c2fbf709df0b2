#include "structures/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace bloomery {
namespace {

// "10000", "1e4" and "1_000" style input comes from people; only exact integers pass.
bool parse_integer(const std::string& text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return true;
  double real = 0;
  const auto [real_end, real_error] = std::from_chars(text.data(), text.data() + text.size(), real);
  if (real_error != std::errc() || real_end != text.data() + text.size()) return false;
  if (!(real >= 0 && real < 0x1p63) || real != std::floor(real)) return false;
  value = static_cast<std::uint64_t>(real);
  return true;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

const std::string* Params::find(const std::string& name, std::string type, std::string range, std::string fallback,
                                const std::string& about) {
  specs_.push_back({name, std::move(type), std::move(range), std::move(fallback), about});
  const auto it = values_.find(name);
  return it == values_.end() ? nullptr : &it->second;
}

std::uint64_t Params::integer(const std::string& name, std::uint64_t fallback, std::uint64_t min, std::uint64_t max,
                              const std::string& about) {
  const std::string range = fmt::format("{} to {}", min, max);
  const std::string* text = find(name, "integer", range, std::to_string(fallback), about);
  if (text == nullptr) return fallback;
  std::uint64_t value = 0;
  if (!parse_integer(*text, value)) {
    throw ParamError(name, fmt::format("{} is '{}'; it must be an integer, {}", name, *text, range));
  }
  if (value < min || value > max) throw ParamError(name, fmt::format("{} is {}; it must be {}", name, *text, range));
  return value;
}

double Params::real(const std::string& name, double fallback, double min, double max, const std::string& about) {
  const std::string range = fmt::format("over {} and under {}", min, max);
  const std::string* text = find(name, "real", range, fmt::format("{}", fallback), about);
  if (text == nullptr) return fallback;
  double value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) {
    throw ParamError(name, fmt::format("{} is '{}'; it must be a number {}", name, *text, range));
  }
  if (!(value > min && value < max)) throw ParamError(name, fmt::format("{} is {}; it must be {}", name, *text, range));
  return value;
}

bool Params::flag(const std::string& name, bool fallback, const std::string& about) {
  return choice(name, fallback ? "true" : "false", {"true", "false"}, about) == "true";
}

std::string Params::choice(const std::string& name, const std::string& fallback,
                           const std::vector<std::string>& options, const std::string& about) {
  const bool is_flag = options == std::vector<std::string>{"true", "false"};
  const std::string* text =
      find(name, is_flag ? "flag" : "choice", fmt::format("{}", fmt::join(options, ", ")), fallback, about);
  if (text == nullptr) return fallback;
  if (std::ranges::find(options, *text) != options.end()) return *text;
  throw ParamError(name, fmt::format("{} is '{}'{}", name, *text, suggestion(*text, options)));
}

std::string Params::text(const std::string& name, const std::string& fallback, const std::string& range,
                         const std::string& about) {
  const std::string* text = find(name, "text", range, fallback, about);
  return text == nullptr ? fallback : *text;
}

void Params::expect_all_taken() const {
  std::vector<std::string> known;
  for (const auto& spec : specs_) known.push_back(spec.name);
  for (const auto& [name, value] : values_) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw ParamError(name, fmt::format("unknown parameter '{}'{}", name, suggestion(name, known)));
  }
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string near = nearest_name(name, candidates);
  if (!near.empty()) return fmt::format("; did you mean '{}'?", near);
  return fmt::format("; known names: {}", fmt::join(candidates, ", "));
}

}  // namespace bloomery
