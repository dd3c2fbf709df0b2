#include "experiments/numbers.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace bloomery {
namespace {

template <class T>
std::optional<T> parse(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> parse_real(std::string_view text) {
  const std::optional<double> value = parse<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  if (const auto exact = parse<std::uint64_t>(text)) return exact;
  const std::optional<double> real = parse_real(text);
  // Above 2^53 not every integer is a double: what was written is not what would be used.
  if (!real || *real < 0 || *real > 0x1p53 || *real != std::floor(*real)) return std::nullopt;
  return static_cast<std::uint64_t>(*real);
}

}  // namespace bloomery
