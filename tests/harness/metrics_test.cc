#include "experiments/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <string>

#include "experiments/errors.h"
#include "structures/theory.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

// Every cell that a metric reads, each with a value of its own.
Row row_of(const std::string& phase) {
  Row row;
  const std::map<std::string, std::string> cells = {{"status", "ok"},
                                                    {"N", "10"},
                                                    {"n", "40"},
                                                    {"ops", "100"},
                                                    {"seconds", "3"},
                                                    {"ns_per_op", "2000"},
                                                    {"bf_cost", "5"},
                                                    {"filters_cost", "6"},
                                                    {"nodes_cost", "7"},
                                                    {"words", "8"},
                                                    {"lines", "3"},
                                                    {"cache_references", "15"},
                                                    {"cache_misses", "16"},
                                                    {"nodes", "11"},
                                                    {"height", "12"},
                                                    {"storage_bytes", "13000000"},
                                                    {"memory_bytes", "14000000"},
                                                    {"matches", "140"},
                                                    {"false_positives", "40"},
                                                    {"false_negatives", "17"}};
  for (const auto& [name, value] : cells) row[name] = value;
  row["params"] =
      "least_load=18;mean_load=19;most_load=20;geometric_rate=0.25;expected_rate=0.3;zero_share=0.2;sent_bits=400;"
      "array_bits=800;n_exp=50;one_sided_found=3;one_sided_keys=60;hashes=12;time_ratio=1.5;share_above=0.1;level_mean="
      "0.15;"
      "level_variation=4;poisson_mean=2;by_level=0.6;by_filter=0.7;by_filter_without_delimiters=0.55;"
      "bits_sent=3;paper_front=true;measured_front=true;front_size=9;bytes_sent=2100";
  row["phase"] = phase;
  return row;
}

TEST(Metrics, ValuesOfACraftedRow) {
  const std::map<std::string, double> expected = {
      {"tree_rate", 0.25},
      {"tree_measured_rate", 0.4},
      {"tree_bits", 3},
      {"paper_front_bits", 3},
      {"measured_front_bits", 3},
      {"tree_share", 1.5 * std::log(2.0)},  // where a rate of 1/4 takes 2 bits, or 2 / ln 2 in a plain filter
      {"paper_front_share", 1.5 * std::log(2.0)},
      {"tree_measured_share", 3 * std::log(2.0) / std::log2(2.5)},
      {"paper_front_measured_share", 3 * std::log(2.0) / std::log2(2.5)},
      {"measured_front_share", 3 * std::log(2.0) / std::log2(2.5)},
      {"paper_front_rate", 0.25},
      {"paper_front_measured_rate", 0.4},
      {"measured_front_rate", 0.4},
      {"settings_tried", 100},
      {"front_size", 9},
      {"search_seconds", 3},
      {"search_time", 2},
      {"search_bf_cost", 5},
      {"words_per_query", 8},
      {"bytes_per_query", 21},
      {"throughput", 0.5},
      {"lookup_time", 2000},
      {"lines_per_query", 3},
      {"cache_references", 15},
      {"cache_misses", 16},
      {"fill_time", 2000},
      {"fill_rate", 0.5},
      {"bits_per_key", 13e6 * 8 / (10 * 40)},
      {"lost_keys", 17},
      {"least_load", 18},
      {"mean_load", 19},
      {"most_load", 20},
      {"storage", 13},
      {"memory", 14},
      {"build_time", 3},
      {"nodes", 11},
      {"height", 12},
      {"insert_time", 2},
      {"erase_time", 2},
      {"update_time", 2},
      {"insert_filters_cost", 6},
      {"erase_filters_cost", 6},
      {"update_filters_cost", 6},
      {"insert_nodes_cost", 7},
      {"erase_nodes_cost", 7},
      {"update_nodes_cost", 7},
      {"messages", 1.4},
      {"window_bf_cost", 5},
      {"window_time", 2},
      {"read_rate", 0.032},
      {"false_positive_rate", 40.0 / (100 * 10 - 100)},
      {"geometric_rate", 0.25},
      {"measured_rate", 0.4},
      {"expected_rate", 0.3},
      {"zero_share", 0.2},
      {"one_sided_rate", 0.05},
      {"sent_per_key", 8},
      {"array_per_key", 16},
      {"sent_over_array", 0.5},
      {"over_least_geometric", 5},  // 10 bits a key, where a rate of 1/4 takes 2
      {"over_least_measured", 10 / std::log2(2.5)},
      {"over_standard_geometric", 5 * std::log(2.0)},
      {"over_standard_measured", 10 * std::log(2.0) / std::log2(2.5)},
      {"over_compressed_geometric", 10 / coded_bits_a_key(2, bits_for_rate(2, 0.25))},
      {"over_compressed_measured", 10 / coded_bits_a_key(2, bits_for_rate(2, 0.4))},
      {"hash_ratio", 6},  // 12, where a standard filter takes 2
      {"time_ratio", 1.5},
      {"share_above", 0.1},
      {"level_mean", 0.15},
      {"level_variation", 4},
      {"poisson_mean", 2},
      {"by_level", 0.6},
      {"by_filter", 0.7},
      {"by_filter_without_delimiters", 0.55},
  };
  for (const Metric& metric : metrics()) {
    ASSERT_TRUE(expected.contains(metric.name)) << "say here what " << metric.name << " is of this row";
    const std::optional<double> value = metric.value(row_of(metric.phase));
    ASSERT_TRUE(value) << metric.name;
    EXPECT_DOUBLE_EQ(*value, expected.at(metric.name)) << metric.name;
  }
  EXPECT_EQ(metrics().size(), expected.size());
}

TEST(Metrics, ReadOnlyTheirPhase) {
  for (const Metric& metric : metrics()) {
    for (const Metric& other : metrics()) {
      EXPECT_EQ(metric.value(row_of(other.phase)).has_value(), metric.phase == other.phase) << metric.name;
    }
  }
}

TEST(Metrics, ReadOnlyRowsThatCount) {
  for (const Metric& metric : metrics()) {
    Row row = row_of(metric.phase);
    row["status"] = "false_negative";  // wrong, but measured
    EXPECT_TRUE(metric.value(row)) << metric.name;
    for (const char* status : {"unsupported", "error", "skipped", ""}) {
      row["status"] = status;
      EXPECT_FALSE(metric.value(row)) << metric.name << " " << status;
    }
  }
}

TEST(Metrics, CellThatIsEmptyOrNoNumberHasNoValue) {
  for (const Metric& metric : metrics()) {
    for (const char* text : {"", "many", "nan", "inf"}) {
      Row row;
      for (const std::string_view column : kColumns) row[column] = text;
      row["phase"] = metric.phase;
      row["status"] = "ok";
      EXPECT_FALSE(metric.value(row)) << metric.name << " " << text;
    }
  }
}

TEST(Metrics, NothingIsDividedByZero) {
  for (const std::string phase : {"search", "provenance"}) {
    Row row = row_of(phase);
    for (const char* column : {"ops", "ns_per_op", "matches", "false_positives"}) row[column] = std::to_string(0);
    for (const std::string name : {"throughput", "read_rate", "false_positive_rate", "messages"}) {
      EXPECT_FALSE(find_metric(name).value(row)) << name;
    }
  }
}

TEST(Metrics, NamesAreUniqueAndPhasesKnown) {
  const std::set<std::string> phases = {"build",      "search", "insert", "update", "erase",
                                        "provenance", "window", "worth",  "levels", "setting", "optimize"};
  std::set<std::string> names;
  for (const Metric& metric : metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_TRUE(phases.contains(metric.phase)) << metric.name;
    EXPECT_EQ(&find_metric(metric.name), &metric);
  }
}

// A number on an axis means nothing without what it counts: a unit in brackets, "a query", or a pure number, such as a
// rate, a share or one thing over another.
TEST(Metrics, LabelsSayTheUnitOrTheDimension) {
  const std::set<std::string> pure = {"nodes", "height", "false positive rate", "bits a key", "keys lost",
                                        "settings tried", "settings on the Pareto front"};
  for (const Metric& metric : metrics()) {
    const bool unit = has(metric.label, " (") && metric.label.ends_with(")");
    const bool dimension =
        std::ranges::any_of(std::initializer_list<std::string>{" a query", " a key", " keys a filter"},
                            [&](const std::string& end) { return metric.label.ends_with(end); });
    const bool ratio = has(metric.label, " over ") || has(metric.label, " / ") || metric.label.starts_with("share ") ||
                       metric.label.ends_with(" false positive rate") ||
                       metric.label.starts_with("false positive rate (");
    EXPECT_TRUE(unit || dimension || ratio || pure.contains(metric.label)) << metric.label;
  }
}

TEST(Metrics, UnknownNameSuggestsTheNearest) {
  try {
    find_metric("serch_time");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "unknown metric 'serch_time'; did you mean 'search_time'?");
  }
}

}  // namespace
}  // namespace bloomery
