#include "experiments/shards.h"

#include <fmt/format.h>

#include <map>

#include "experiments/errors.h"
#include "experiments/numbers.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostShards = 100'000;

// What tells the points of an experiment apart: the swept values and the repetition.
std::string point_of(const Experiment& experiment, const Unit& unit) {
  std::string text = std::to_string(unit.repeat);
  for (const Axis& axis : experiment.sweep) text += "\n" + unit.settings.at(axis.name);
  return text;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t slash = text.find('/');
  const auto number = parse_integer(text.substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : parse_integer(text.substr(slash + 1));
  if (number && count && *number >= 1 && *number <= *count && *count <= kMostShards) return {*number, *count};
  throw InputError(
      fmt::format("--shard {}: write it as i/n, the i-th of n parts, i from 1 to n, n to {}", text, kMostShards));
}

std::filesystem::path shard_folder(const std::filesystem::path& results, const Shard& shard) {
  return shard.count == 1 ? results : results / "shards" / fmt::format("{}-of-{}", shard.number, shard.count);
}

std::vector<Unit> PointCounter::take(const Experiment& experiment, const std::vector<Unit>& plan, const Shard& shard) {
  std::map<std::string, std::size_t> numbers;
  std::vector<Unit> part;
  for (const Unit& unit : plan) {
    const auto [point, is_new] = numbers.try_emplace(point_of(experiment, unit), points_);
    if (is_new) ++points_;
    if (point->second % shard.count == shard.number - 1) part.push_back(unit);
  }
  return part;
}

}  // namespace bloomery
