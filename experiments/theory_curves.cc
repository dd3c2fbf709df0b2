#include "experiments/theory_curves.h"

#include <algorithm>
#include <cmath>

#include "experiments/errors.h"
#include "experiments/numbers.h"
#include "structures/params.h"
#include "structures/sliced_model.h"
#include "structures/theory.h"

namespace bloomery {
namespace {

using Value = std::optional<double>;

// Structures without an order leave d empty.
template <int kChildrenOfD>
Value ideal_cost(const Row& row, const std::string&) {
  const Value sets = row.number("N"), d = row.number("d");
  if (!sets || !d || *d * kChildrenOfD <= 1) return std::nullopt;
  return ideal_search_cost(*d * kChildrenOfD, *sets);
}

Value standard_rate(const Row& row, const std::string&) {
  const Value m = row.number("m"), k = row.number("k"), n = row.number("n");
  return m && k && n ? Value(false_positive_rate(*m, *k, *n)) : std::nullopt;
}

Value rate_of_optimal_k(const Row& row, const std::string&) {
  const Value k = row.number("k");
  return k ? Value(std::exp2(-*k)) : std::nullopt;
}

// What a build of Sliced Bloofi goes by, for groups of the size on the x axis with an upper level as many times m.
std::optional<SearchCost> sliced_cost(const Row& row, const std::string& x) {
  const Value sets = row.number("N"), keys = row.number("n"), m = row.number("m"), k = row.number("k");
  const Value hits = row.number("hit_rate"), group = parse_real(x);
  if (!sets || !keys || !m || !k || !hits || !group) return std::nullopt;
  constexpr double kDefaultHashes = 4;
  return sliced_search({*sets, *keys, *m, *k, *hits}, {*group / 64, true, kDefaultHashes, *group / 64});
}
Value sliced_lines(const Row& row, const std::string& x) {
  const auto cost = sliced_cost(row, x);
  return cost ? Value(cost->lines) : std::nullopt;
}
// In microseconds, as search_time.
Value sliced_time(const Row& row, const std::string& x) {
  const auto cost = sliced_cost(row, x);
  return cost ? Value(search_time(*cost, true) / 1000) : std::nullopt;
}

// Over the rate, at the k of a row.
Value bits_with_k(const Row& row, const std::string& x) {
  const Value k = row.number("k"), rate = parse_real(x);
  return k && rate && *rate > 0 && *rate < 1 ? Value(bits_for_rate(*k, *rate)) : std::nullopt;
}

Value least_bits(const Row&, const std::string& x) {
  const Value rate = parse_real(x);
  return rate && *rate > 0 && *rate < 1 ? Value(-std::log2(*rate)) : std::nullopt;
}

// Of a filter that is sent, bits a key: what no structure of that rate can go below.
Value bound_for(const Row& row, Value rate) {
  const Value n = row.number("n"), room = row.number("n_exp");
  if (!rate || !n || !room || *rate <= 0 || *rate >= 1 || row["phase"] != "worth") return std::nullopt;
  return *n * least_bits_for_rate(*rate) / *room;
}

Value bound_measured(const Row& row, const std::string&) {
  const Value wrong = row.number("false_positives"), queries = row.number("ops");
  return wrong && queries && *queries > 0 ? bound_for(row, *wrong / *queries) : std::nullopt;
}

Value bound_geometric(const Row& row, const std::string&) { return bound_for(row, row.number("geometric_rate")); }

Value poisson_above(const Row& row, const std::string&) { return row.number("poisson_above"); }

Value standard_bits(const Row&, const std::string& x) {
  const Value rate = parse_real(x);
  return rate && *rate > 0 && *rate < 1 ? Value(standard_bits_for_rate(*rate)) : std::nullopt;
}

Value least_share(const Row&, const std::string&) { return std::log(2.0); }

Value least_rate(const Row&, const std::string& x) {
  const Value bits = parse_real(x);
  return bits ? Value(std::exp2(-*bits)) : std::nullopt;
}

}  // namespace

const std::vector<Theory>& theories() {
  static const std::vector<Theory> table = {
      {"ideal_full", "ideal, full nodes (l = 2d)", false, ideal_cost<2>},
      {"ideal_min", "ideal, minimal nodes (l = d)", false, ideal_cost<1>},
      {"standard_rate", "formula", true, standard_rate},
      {"two_to_minus_k", "2⁻ᵏ", false, rate_of_optimal_k},
      {"sliced_lines", "cost model", true, sliced_lines},
      {"sliced_time", "cost model", true, sliced_time},
      {"bits_with_k", "formula", true, bits_with_k},
      {"least_bits", "least that any structure needs", false, least_bits},
      {"bound_measured", "least for the measured rate", true, bound_measured},
      {"bound_geometric", "least for the geometric mean", true, bound_geometric},
      {"poisson_above", "Poisson", true, poisson_above},
      {"standard_bits", "best plain Bloom filter", false, standard_bits},
      {"least_rate", "lowest with so many bits", false, least_rate},
      {"least_share", "least that any structure needs", false, least_share},
  };
  return table;
}

std::vector<std::string> theory_names() {
  std::vector<std::string> names;
  for (const Theory& theory : theories()) names.push_back(theory.name);
  return names;
}

const Theory& find_theory(const std::string& name) {
  const auto found = std::ranges::find(theories(), name, &Theory::name);
  if (found != theories().end()) return *found;
  throw InputError("unknown curve '" + name + "'" + suggestion(name, theory_names()));
}

}  // namespace bloomery
