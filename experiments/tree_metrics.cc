#include "experiments/tree_metrics.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "structures/theory.h"

namespace bloomery {
namespace {

using Value = std::optional<double>;

Value ratio(Value numerator, Value denominator) {
  if (!numerator || !denominator || *denominator <= 0) return std::nullopt;
  return *numerator / *denominator;
}

// ---- rates: the geometric mean of posteriors, and what is measured; a rate of 0 or 1 has no size to compare with ----

Value measured_rate(const Row& row) { return ratio(row.number("false_positives"), row.number("ops")); }
Value geometric_rate(const Row& row) { return row.number("geometric_rate"); }

std::optional<Trials> false_positives(const Row& row) {
  const Value wrong = row.number("false_positives"), queries = row.number("ops");
  return wrong && queries ? std::optional(Trials{*wrong, *queries}) : std::nullopt;
}

using Rate = Value (*)(const Row&);
using BitsForRate = double (*)(double rate);

double compressed_bits_for_rate(double rate) { return coded_bits_a_key(2, bits_for_rate(2, rate)); }

// What is sent against the n keys' bits of something else at the same rate.
template <Rate kRate, BitsForRate kBits>
Value sent_over(const Row& row) {
  const Value rate = kRate(row), n = row.number("n");
  if (!rate || !n || *rate <= 0 || *rate >= 1) return std::nullopt;
  return ratio(row.number("sent_bits"), *n * kBits(*rate));
}

Value one_sided_rate(const Row& row) { return ratio(row.number("one_sided_found"), row.number("one_sided_keys")); }

Value hash_ratio(const Row& row) {
  const Value rate = geometric_rate(row);
  if (!rate || *rate <= 0) return std::nullopt;
  return ratio(row.number("hashes"), static_cast<double>(best_hashes(standard_bits_for_rate(*rate))));
}

Value sent_over_array(const Row& row) { return ratio(row.number("sent_bits"), row.number("array_bits")); }
Value sent_per_key(const Row& row) { return ratio(row.number("sent_bits"), row.number("n_exp")); }
Value array_per_key(const Row& row) { return ratio(row.number("array_bits"), row.number("n_exp")); }
Value zero_share(const Row& row) { return row.number("zero_share"); }
Value expected_rate(const Row& row) { return row.number("expected_rate"); }
Value time_ratio(const Row& row) { return row.number("time_ratio"); }

template <std::size_t kSize>
struct Name {
  constexpr Name(const char (&text)[kSize]) { std::copy_n(text, kSize, chars); }  // NOLINT: meant to convert
  constexpr std::string_view view() const { return {chars, kSize - 1}; }
  char chars[kSize] = {};
};

// A number that a point of scenario levels has.
template <Name kName>
Metric of_level(std::string name, std::string label) {
  return {std::move(name), std::move(label), "levels",
          [](const Row& row) { return counts(row, "levels") ? row.number(kName.view()) : std::nullopt; }};
}

template <Rate kValue>
Value if_worth(const Row& row) {
  return counts(row, "worth") ? kValue(row) : std::nullopt;
}

template <Rate kValue>
Metric worth(std::string name, std::string label) {
  return {std::move(name), std::move(label), "worth", if_worth<kValue>};
}

}  // namespace

std::vector<Metric> tree_metrics() {
  std::vector<Metric> table = {
      worth<geometric_rate>("geometric_rate", "geometric-mean false positive rate"),
      worth<measured_rate>("measured_rate", "measured false positive rate"),
      worth<expected_rate>("expected_rate", "expected false positive rate"),
      worth<one_sided_rate>("one_sided_rate", "one-sided false positive rate"),
      worth<zero_share>("zero_share", "share of posteriors that are zero"),
      worth<sent_per_key>("sent_per_key", "sent bits a key"),
      worth<array_per_key>("array_per_key", "stored bits a key"),
      worth<sent_over_array>("sent_over_array", "size sent over size in memory"),
      worth<sent_over<geometric_rate, standard_bits_for_rate>>("over_standard_geometric",
                                                               "geometric-mean size over standard filter"),
      worth<sent_over<measured_rate, standard_bits_for_rate>>("over_standard_measured",
                                                              "measured-rate size over standard filter"),
      worth<sent_over<geometric_rate, compressed_bits_for_rate>>("over_compressed_geometric",
                                                                 "geometric-mean size over compressed filter"),
      worth<sent_over<measured_rate, compressed_bits_for_rate>>("over_compressed_measured",
                                                                "measured-rate size over compressed filter"),
      worth<sent_over<geometric_rate, least_bits_for_rate>>("over_least_geometric",
                                                            "geometric-mean size over least possible"),
      worth<sent_over<measured_rate, least_bits_for_rate>>("over_least_measured",
                                                           "measured-rate size over least possible"),
      worth<hash_ratio>("hash_ratio", "hash functions over standard filter"),
      worth<time_ratio>("time_ratio", "query time over standard filter"),
      of_level<"share_above">("share_above", "share above"),
      of_level<"level_mean">("level_mean", "mean keys a filter"),
      of_level<"level_variation">("level_variation", "deviation over geometric mean"),
      of_level<"poisson_mean">("poisson_mean", "Poisson-mean keys a filter"),
      of_level<"by_level">("by_level", "by-level size sent over size in memory"),
      of_level<"by_filter">("by_filter", "by-filter size sent over size in memory"),
      of_level<"by_filter_without_delimiters">("by_filter_without_delimiters",
                                               "by-filter (no delimiters) size sent over size in memory"),
  };
  std::ranges::find(table, "measured_rate", &Metric::name)->trials = false_positives;
  return table;
}

}  // namespace bloomery
