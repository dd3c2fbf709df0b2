#include "experiments/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "experiments/measure.h"
#include "experiments/numbers.h"

namespace bloomery {
namespace {

double number(const Unit& unit, const std::string& name) {
  const auto found = unit.settings.find(name);
  return found == unit.settings.end() ? 0 : parse_real(found->second).value_or(0);
}

// The sets' keys, the memory that is written, and queries that look at a part of the filters.
double expected_seconds(const Unit& unit) {
  const double sets = number(unit, "N");
  return 0.005 + 2e-8 * sets * number(unit, "n") + 5e-10 * estimated_bytes(unit) +
         number(unit, "queries") * (2e-7 + 1e-9 * sets);
}

}  // namespace

double expected_seconds(const std::vector<Unit>& units) {
  double sum = 0;
  for (const Unit& unit : units) sum += expected_seconds(unit);
  return sum;
}

std::string duration(double seconds) {
  const double whole = std::round(seconds);
  if (whole < 60) return fmt::format("{:.0f} s", whole);
  return fmt::format("{:.0f} min {:02.0f} s", std::floor(whole / 60), std::fmod(whole, 60));
}

Progress::Progress(const std::vector<Unit>& units)
    : total_(units.size()), expected_(expected_seconds(units)), terminal_(::isatty(STDOUT_FILENO) != 0) {}

bool Progress::is_time_to_show(Clock::time_point now) const {
  return done_ == total_ || now - shown_ >= (terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(5));
}

void Progress::done(const Unit& unit) {
  ++done_;
  weight_done_ += expected_seconds(unit);
  const Clock::time_point now = Clock::now();
  if (!is_time_to_show(now)) return;
  shown_ = now;
  const double spent = std::chrono::duration<double>(now - start_).count();
  const double left = spent / weight_done_ * std::max(0.0, expected_ - weight_done_);
  const bool stays = !terminal_ || done_ == total_;
  fmt::print("{}{} of {} runs, about {} left: {}, {}{}", terminal_ ? "\r\x1b[K" : "", done_, total_, duration(left),
             unit.experiment, unit.series, stays ? "\n" : "");
  std::fflush(stdout);
}

}  // namespace bloomery
