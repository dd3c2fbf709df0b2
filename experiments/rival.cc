#include "experiments/rival.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "structures/theory.h"

namespace bloomery {
namespace {

constexpr double kHashes = 2;  // of a compressed filter, as the papers have it

std::string seed_of(const Unit& unit) {
  const auto seed = unit.structure_params.find("seed");
  return seed == unit.structure_params.end() ? "1" : seed->second;
}

RivalFilter standard_of_size(double bits, std::uint64_t keys, const std::string& seed) {
  const auto m = static_cast<std::uint64_t>(std::max(1.0, std::round(bits)));
  const std::uint64_t k = std::min<std::uint64_t>(64, best_hashes(static_cast<double>(m) / static_cast<double>(keys)));
  return {.structure = "bloom",
          .params = {{"m", std::to_string(m)}, {"k", std::to_string(k)}, {"hash", "double"}, {"seed", seed}},
          .array_bits = static_cast<double>(m),
          .expected_sent_bits = static_cast<double>(m)};
}

// The array, at most half full, that codes to so many bits a key; what a key takes grows with it.
double array_for_sent(double sent) {
  double low = kHashes / std::log(2.0), high = low;
  if (coded_bits_a_key(kHashes, low) >= sent) return low;
  while (coded_bits_a_key(kHashes, high) < sent) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (coded_bits_a_key(kHashes, middle) < sent ? low : high) = middle;
  }
  return high;
}

RivalFilter compressed_of_size(double array_a_key, std::uint64_t keys, const std::string& seed) {
  const double n = static_cast<double>(keys), bits = std::max(1.0, std::round(array_a_key * n));
  return {.structure = "compressed_bloom",
          .params = {{"m", fmt::format("{:.0f}", bits)}, {"k", "2"}, {"hash", "double"}, {"seed", seed}},
          .array_bits = bits,
          .expected_sent_bits = n * coded_bits_a_key(kHashes, array_a_key)};
}

bool is_rate(double rate) { return rate > 0 && rate < 1; }

}  // namespace

bool has_rival(const Unit& unit) { return unit.settings.at("rival") != "none"; }

bool holds_many(const Unit& unit) {
  const std::string& rival = unit.settings.at("rival");
  return rival == "yoon_tree" || rival == "bloofi";
}

Equal::By rival_by(const Unit& unit) {
  const std::string& by = unit.settings.at("rival_by");
  if (by == "sent") return Equal::By::kSent;
  if (by == "memory") return Equal::By::kMemory;
  return by == "measured" ? Equal::By::kMeasured : Equal::By::kGeometric;
}

std::optional<RivalFilter> rival_of(const Unit& unit, const Equal& equal, std::uint64_t keys) {
  const bool standard = unit.settings.at("rival") == "bloom", by_size = equal.by == Equal::By::kSent;
  if (!by_size && !is_rate(equal.rate)) return std::nullopt;
  const std::string seed = seed_of(unit);
  const double n = static_cast<double>(keys), sent = static_cast<double>(equal.bits);
  if (standard) return standard_of_size(by_size ? sent : n * standard_bits_for_rate(equal.rate), keys, seed);
  return compressed_of_size(by_size ? array_for_sent(sent / n) : bits_for_rate(kHashes, equal.rate), keys, seed);
}

RivalFilter index_rival(const Unit& unit, std::uint64_t bits, std::uint64_t keys, std::uint64_t filters) {
  const std::uint64_t groups = std::stoull(unit.settings.at("groups"));
  const bool yoon = unit.settings.at("rival") == "yoon_tree";
  // Of a Yoon tree, with two children a node, a key takes its share of bits in every level; of a Bloofi, in its leaf.
  const std::uint64_t levels = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::bit_width(groups - 1)));
  const std::uint64_t m = std::max<std::uint64_t>(1, bits / (yoon ? groups : filters));
  const double keys_a_set = static_cast<double>(keys) / static_cast<double>(groups);
  const double c = static_cast<double>(m) / std::max(1.0, keys_a_set) / static_cast<double>(yoon ? levels : 1);
  RivalFilter rival{.structure = unit.settings.at("rival"),
                    .params = {{"m", std::to_string(m)},
                               {"k", std::to_string(std::min<std::uint64_t>(64, best_hashes(c)))},
                               {"seed", seed_of(unit)}},
                    .array_bits = static_cast<double>(bits)};
  if (yoon) {
    rival.params["sets"] = std::to_string(groups);
  } else {
    rival.params["hash"] = "double";
  }
  return rival;
}

std::optional<RivalFilter> standard_filter(double rate, std::uint64_t keys, const std::string& seed) {
  if (!is_rate(rate)) return std::nullopt;
  return standard_of_size(static_cast<double>(keys) * standard_bits_for_rate(rate), keys, seed);
}

}  // namespace bloomery
