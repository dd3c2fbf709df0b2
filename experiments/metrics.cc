#include "experiments/metrics.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/errors.h"
#include "experiments/tree_metrics.h"
#include "experiments/tree_space.h"
#include "structures/params.h"

namespace bloomery {
namespace {

using Value = std::optional<double>;

// A string as a template argument, so that a table entry names its phase and column once.
template <std::size_t kSize>
struct Text {
  constexpr Text(const char (&text)[kSize]) { std::copy_n(text, kSize, chars); }  // NOLINT: meant to convert
  constexpr std::string_view view() const { return {chars, kSize - 1}; }
  char chars[kSize] = {};
};

template <Text kPhase, Text kColumn, int kPerUnit>
Value cell(const Row& row) {
  if (!counts(row, kPhase.view())) return std::nullopt;
  const Value number = row.number(kColumn.view());
  return number ? Value(*number / kPerUnit) : std::nullopt;
}

// A column of the rows of one phase; kPerUnit of what it counts make one of the label's unit.
template <Text kPhase, Text kColumn, int kPerUnit = 1>
Metric column(std::string name, std::string label) {
  return {std::move(name), std::move(label), std::string(kPhase.view()), cell<kPhase, kColumn, kPerUnit>};
}

template <Text kPhase>
Metric derived(std::string name, std::string label, Value (*value)(const Row&)) {
  return {std::move(name), std::move(label), std::string(kPhase.view()), value};
}

Value quotient(Value numerator, Value denominator) {
  if (!numerator || !denominator || *denominator <= 0) return std::nullopt;
  return *numerator / *denominator;
}

Value throughput(const Row& row) {
  if (!counts(row, "search")) return std::nullopt;
  return quotient(1e3, row.number("ns_per_op"));  // 1e9 ns a second, a million queries
}

Value read_rate(const Row& row) {
  if (!counts(row, "search")) return std::nullopt;
  const Value words = row.number("words");
  return words ? quotient(*words * 8, row.number("ns_per_op")) : std::nullopt;  // bytes a nanosecond
}

Value bytes_per_query(const Row& row) {
  return counts(row, "search") ? quotient(row.number("bytes_sent"), row.number("ops")) : std::nullopt;
}

// Of the pairs of a query and a set that does not hold it, the share answered with "maybe".
Value false_positive_rate(const Row& row) {
  if (!counts(row, "search")) return std::nullopt;
  const Value wrong = row.number("false_positives");
  const Value ops = row.number("ops");
  const Value sets = row.number("N");
  const Value matches = row.number("matches");
  if (!wrong || !ops || !sets || !matches) return std::nullopt;
  return quotient(wrong, *ops * *sets - (*matches - *wrong));
}

// A filter of one set: its keys are what a build inserts.
Value insert_rate(const Row& row) {
  if (!counts(row, "build")) return std::nullopt;
  return quotient(1e3, row.number("ns_per_op"));
}

Value bits_per_key(const Row& row) {
  if (!counts(row, "build")) return std::nullopt;
  const Value bytes = row.number("storage_bytes"), sets = row.number("N"), keys = row.number("n");
  return bytes && sets && keys ? quotient(*bytes * 8, *sets * *keys) : std::nullopt;
}

Value lost_keys(const Row& row) {
  if (!counts(row, "build")) return std::nullopt;
  const Value lost = row.number("lost");  // where threads wrote without atomic operations
  return lost ? lost : row.number("false_negatives");
}

Value messages(const Row& row) {
  if (!counts(row, "provenance")) return std::nullopt;
  return quotient(row.number("matches"), row.number("ops"));
}

// --- of a setting that the optimiser tried ---

Value wrong_share(const Row& row) {
  return counts(row, "setting") ? quotient(row.number("false_positives"), row.number("ops")) : std::nullopt;
}

std::optional<Trials> wrong_answers(const Row& row) {
  const Value wrong = row.number("false_positives"), queries = row.number("ops");
  return wrong && queries ? std::optional(Trials{*wrong, *queries}) : std::nullopt;
}

Value share_at(Value rate, const Row& row) {
  const Value bits = cell<"setting", "bits_sent", 1>(row);
  return bits && rate && *rate > 0 && *rate < 1 ? Value(share_of_standard(*bits, *rate)) : std::nullopt;
}

Value share_at_geometric(const Row& row) { return share_at(cell<"setting", "geometric_rate", 1>(row), row); }
Value share_at_measured(const Row& row) { return share_at(wrong_share(row), row); }

template <Text kFront, Value (*kValue)(const Row&)>
Value on_front(const Row& row) {
  return row.get(kFront.view()) == "true" ? kValue(row) : std::nullopt;
}

void add_optimizer_metrics(std::vector<Metric>& table) {
  constexpr auto bits = cell<"setting", "bits_sent", 1>;
  const auto add = [&](const char* name, const char* label, Value (*value)(const Row&)) {
    table.push_back(derived<"setting">(name, label, value));
  };
  add("tree_rate", "false positive rate (geometric mean)", cell<"setting", "geometric_rate", 1>);
  add("tree_measured_rate", "false positive rate (measured)", wrong_share);
  add("tree_bits", "all settings, bits sent a key", bits);
  add("paper_front_bits", "Pareto front, bits sent a key", on_front<"paper_front", bits>);
  add("measured_front_bits", "Pareto front (measured), bits sent a key", on_front<"measured_front", bits>);
  add("tree_share", "all settings, W_BT / W_SBF", share_at_geometric);
  add("paper_front_share", "Pareto front, W_BT / W_SBF", on_front<"paper_front", share_at_geometric>);
  add("tree_measured_share", "all settings, W_BT / W_SBF", share_at_measured);
  add("paper_front_measured_share", "Pareto front, W_BT / W_SBF", on_front<"paper_front", share_at_measured>);
  add("measured_front_share", "Pareto front (measured), W_BT / W_SBF", on_front<"measured_front", share_at_measured>);
  add("paper_front_rate", "geometric mean, false positive rate", on_front<"paper_front", cell<"setting", "geometric_rate", 1>>);
  add("paper_front_measured_rate", "measured, false positive rate", on_front<"paper_front", wrong_share>);
  add("measured_front_rate", "measured, Pareto front (measured), false positive rate", on_front<"measured_front", wrong_share>);
  for (Metric& metric : table) {
    if (metric.name.ends_with("measured_rate") || metric.name == "measured_front_rate") metric.trials = wrong_answers;
  }
  table.push_back(column<"optimize", "ops">("settings_tried", "settings tried"));
  table.push_back(column<"optimize", "front_size">("front_size", "settings on the Pareto front"));
  table.push_back(column<"optimize", "seconds">("search_seconds", "time of the search (s)"));
}

std::vector<Metric> make_metrics() {
  std::vector<Metric> table = {
      column<"search", "ns_per_op", 1'000>("search_time", "search time (µs)"),
      column<"search", "bf_cost">("search_bf_cost", "search cost (filters checked)"),
      column<"search", "words">("words_per_query", "words read a query"),
      derived<"search">("read_rate", "filter bytes read (GB/s)", read_rate),
      derived<"search">("bytes_per_query", "bytes sent a query", bytes_per_query),
      derived<"search">("throughput", "throughput (million queries/s)", throughput),
      derived<"search">("false_positive_rate", "false positive rate", false_positive_rate),
      column<"search", "ns_per_op">("lookup_time", "lookup time (ns)"),
      column<"search", "lines">("lines_per_query", "cache lines read a query"),
      column<"search", "cache_references">("cache_references", "cache references a query"),
      column<"search", "cache_misses">("cache_misses", "cache misses a query"),
      column<"build", "ns_per_op">("fill_time", "insert time a key (ns)"),
      derived<"build">("fill_rate", "inserts (million keys/s)", insert_rate),
      derived<"build">("bits_per_key", "bits a key", bits_per_key),
      column<"build", "least_load">("least_load", "keys a block (least)"),
      column<"build", "mean_load">("mean_load", "keys a block (mean)"),
      column<"build", "most_load">("most_load", "keys a block (most)"),
      derived<"build">("lost_keys", "keys lost", lost_keys),
      column<"build", "storage_bytes", 1'000'000>("storage", "storage (MB)"),
      column<"build", "memory_bytes", 1'000'000>("memory", "memory (MB)"),
      column<"build", "seconds">("build_time", "build time (s)"),
      column<"build", "nodes">("nodes", "nodes"),
      column<"build", "height">("height", "height"),
      column<"insert", "ns_per_op", 1'000>("insert_time", "insert time (µs)"),
      column<"erase", "ns_per_op", 1'000>("erase_time", "delete time (µs)"),
      column<"update", "ns_per_op", 1'000>("update_time", "update time (µs)"),
      column<"insert", "filters_cost">("insert_filters_cost", "insert cost (filters touched)"),
      column<"erase", "filters_cost">("erase_filters_cost", "delete cost (filters touched)"),
      column<"update", "filters_cost">("update_filters_cost", "update cost (filters touched)"),
      column<"insert", "nodes_cost">("insert_nodes_cost", "insert cost (nodes touched)"),
      column<"erase", "nodes_cost">("erase_nodes_cost", "delete cost (nodes touched)"),
      column<"update", "nodes_cost">("update_nodes_cost", "update cost (nodes touched)"),
      derived<"provenance">("messages", "messages a query", messages),
      column<"window", "bf_cost">("window_bf_cost", "search cost (filters checked)"),
      column<"window", "ns_per_op", 1'000>("window_time", "search time (µs)"),
  };
  add_optimizer_metrics(table);
  return table;
}

}  // namespace

bool counts(const Row& row, std::string_view phase) {
  const std::string& status = row["status"];
  return row["phase"] == phase && (status == "ok" || status == "false_negative");
}

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> table = [] {
    std::vector<Metric> all = make_metrics();
    std::ranges::copy(tree_metrics(), std::back_inserter(all));
    return all;
  }();
  return table;
}

const Metric& find_metric(const std::string& name) {
  const std::vector<Metric>& all = metrics();
  const auto found = std::ranges::find(all, name, &Metric::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Metric& metric : all) names.push_back(metric.name);
  throw InputError("unknown metric '" + name + "'" + suggestion(name, names));
}

}  // namespace bloomery
