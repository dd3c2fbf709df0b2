#include "structures/tree_shape.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "structures/filter_shape.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostLevels = 8, kMostSmallBits = 64;
constexpr std::uint64_t kMostBits = 1ULL << 40;
constexpr double kMostVisits = 1 << 16;  // filters of the last level that a key visits

using Numbers = std::vector<std::uint64_t>;

[[noreturn]] void refuse_list(const std::string& name, const std::string& text, std::uint64_t min, std::uint64_t max) {
  throw ParamError(
      name, fmt::format("{} is '{}'; it must be integers of {} to {}, separated by commas", name, text, min, max));
}

Numbers parse_list(const std::string& name, const std::string& text, std::uint64_t min, std::uint64_t max) {
  Numbers numbers;
  const char *at = text.data(), *end = at + text.size();
  for (;;) {
    while (at != end && *at == ' ') ++at;
    std::uint64_t number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < min || number > max) refuse_list(name, text, min, max);
    numbers.push_back(number);
    if (after == end) return numbers;
    if (*after != ',') refuse_list(name, text, min, max);
    at = after + 1;
  }
}

// One number a level: the last of a shorter list goes on; of a default, no more than there are levels.
Numbers one_a_level(const Params& params, const std::string& name, Numbers numbers, std::size_t wanted) {
  if (params.given(name) && numbers.size() > wanted) {
    throw ParamError(name, fmt::format("{} lists {} numbers where the tree takes {}", name, numbers.size(), wanted));
  }
  numbers.resize(wanted, numbers.back());
  return numbers;
}

std::uint64_t usual_depth(const Params& params, const Numbers& k, const Numbers& m_levels) {
  if (params.given("m_levels")) return std::min(kMostLevels, std::uint64_t{m_levels.size()} + 1);
  return params.given("k") && k.size() > 1 ? std::min(kMostLevels, std::uint64_t{k.size()}) : 3;
}

std::uint64_t ask_first_level(Params& params) {
  const std::uint64_t n_exp = params.integer("n_exp", 10000, 1, 1ULL << 36, "keys expected, the paper's n_max");
  const double rho_1 = params.real("rho_1", 1, 0, 1 << 20, "bits a key in level 1");
  const auto usual = static_cast<std::uint64_t>(std::ceil(rho_1 * static_cast<double>(n_exp)));
  const std::uint64_t m = params.integer("m", usual, 1, kMostBits, "bits of level 1; by default from rho_1 and n_exp");
  if (params.given("rho_1") && m != usual) {
    throw ParamError("rho_1",
                     fmt::format("rho_1 is {:g}, which for n_exp {} is {} bits, but m is {}; leave out one of the "
                                 "two",
                                 rho_1, n_exp, usual, m));
  }
  if (m > kMostBits)
    throw ParamError("n_exp", fmt::format("n_exp keys need {} bits in level 1; {} are the most", m, kMostBits));
  return m;
}

void expect_few_visits(const Numbers& k, const Numbers& m_levels) {
  auto visits = static_cast<double>(k[0]);
  for (std::size_t i = 0; i + 1 < m_levels.size(); ++i) visits *= static_cast<double>(std::min(k[i + 1], m_levels[i]));
  if (visits <= kMostVisits) return;
  throw ParamError("k", fmt::format("k makes a key visit {:.0f} filters in the last level; {:.0f} are the most", visits,
                                    kMostVisits));
}

}  // namespace

TreeShape::TreeShape(Params& params, bool partitioned) {
  std::uint64_t first = ask_first_level(params);
  const std::string k_text = params.text("k", "6,3,2", "integers of 1 to 64",
                                         "hash functions of a filter, a level; the last goes on"),
                    m_text = params.text("m_levels", "4,3", "integers of 2 to 64",
                                         "bits of a filter, from level 2 on; the last goes on");
  const Numbers some_k = parse_list("k", k_text, 1, kMostHashes),
                some_m = parse_list("m_levels", m_text, 2, kMostSmallBits);
  const std::uint64_t d = params.integer("d", usual_depth(params, some_k, some_m), 1, kMostLevels, "levels");
  const Numbers k = one_a_level(params, "k", some_k, d), m_levels = one_a_level(params, "m_levels", some_m, d - 1);
  expect_few_visits(k, m_levels);
  if (partitioned) {
    part = (first + k[0] - 1) / k[0];
    first = part * k[0];
  }
  levels.push_back({.m = first,
                    .k = k[0],
                    .siblings = 1,
                    .run = 1,
                    .run_hashes = k[0],
                    .first_bit = 0,
                    .first_filter = 0,
                    .first_coefficient = 1});
  double all = static_cast<double>(first), level = all;
  for (std::size_t i = 0; i < m_levels.size(); ++i) {
    all += level *= static_cast<double>(m_levels[i]);
    if (all > static_cast<double>(kMostBits)) {
      throw ParamError("m_levels",
                       fmt::format("m_levels makes a tree of over {} bits; {} are the most", all, kMostBits));
    }
    const TreeLevel& above = levels.back();
    const std::uint64_t filters = i == 0 ? 1 : first * above.siblings;
    levels.push_back({.m = m_levels[i],
                      .k = k[i + 1],
                      .siblings = above.run,
                      .run = above.run * m_levels[i],
                      .run_hashes = above.run * k[i + 1],
                      .first_bit = 0,
                      .first_filter = above.first_filter + filters,
                      .first_coefficient = above.first_coefficient + filters * above.k});
  }
  lay_out();
  independent =
      params.choice("hashing", "double", {"double", "independent"},
                    "one start and step a key, as the paper has it, or a hash for every filter") == "independent";
  seed = ask_mixed_seed(params);
}

void TreeShape::lay_out() {
  std::uint64_t bit = 0;
  for (std::size_t i = 0; i < depth(); ++i) {
    levels[i].first_bit = bit;
    bit += bits(i);
  }
}

void TreeShape::halve() {
  const std::uint64_t m = first_level_bits();
  if (m % 2 != 0)
    throw ParamError("m", fmt::format("a tree with m, the bits of level 1, of {}, an odd number, cannot be halved", m));
  ++folds;
  lay_out();
}

}  // namespace bloomery
