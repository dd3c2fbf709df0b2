#include "experiments/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

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

// --- bytes -----------------------------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t kQuietMs = 2000;

}  // namespace

std::string size_text(double bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 99.95 ? 0 : 1, kUnits[unit]);
}

ByteProgress::ByteProgress(std::string what, std::uint64_t total)
    : what_(std::move(what)), total_(total), next_ms_(kQuietMs), terminal_(::isatty(STDERR_FILENO) != 0) {}

ByteProgress::~ByteProgress() {
  if (shown_ && terminal_) fmt::print(stderr, "\r\x1b[K");
}

double ByteProgress::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void ByteProgress::add(std::uint64_t bytes) {
  done_ += bytes;
  std::int64_t due = next_ms_;
  const auto now = static_cast<std::int64_t>(seconds() * 1e3);
  if (now < due || !next_ms_.compare_exchange_strong(due, now + (terminal_ ? 200 : 5000))) return;
  const std::lock_guard lock(showing_);
  show();
}

void ByteProgress::show() {
  const double spent = seconds(), done = static_cast<double>(done_), total = static_cast<double>(total_);
  const double left = done > 0 ? spent / done * std::max(0.0, total - done) : 0;
  fmt::print(stderr, "{}{}: {} of {}, {}/s, about {} left{}", terminal_ ? "\r\x1b[K" : "", what_, size_text(done),
             size_text(total), size_text(done / spent), duration(left), terminal_ ? "" : "\n");
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace bloomery
