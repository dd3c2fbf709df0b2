#include "experiments/try.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "experiments/metrics.h"
#include "experiments/progress.h"
#include "experiments/stats.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

constexpr int kRepeats = 3;

double median_of(const std::vector<Row>& rows, const std::function<std::optional<double>(const Row&)>& value) {
  std::vector<double> values;
  for (const Row& row : rows) {
    if (const auto number = value(row)) values.push_back(*number);
  }
  return values.empty() ? 0 : summarize(std::move(values)).median;
}

auto cell(const std::string& phase, const std::string& column) {
  return
      [phase, column](const Row& row) { return row["phase"] == phase ? row.number(column) : std::optional<double>(); };
}

bool sound(const Row& row) { return row["status"] == "ok" && row.number("false_negatives").value_or(0) == 0; }

std::vector<Row> with_threads(const std::vector<Row>& rows, double threads) {
  std::vector<Row> kept;
  std::ranges::copy_if(rows, std::back_inserter(kept),
                       [&](const Row& row) { return row.number("threads") == threads; });
  return kept;
}

Tried medians(const std::string& series, const std::vector<Row>& rows) {
  double most = 1;
  for (const Row& row : rows) most = std::max(most, row.number("threads").value_or(1));
  const std::vector<Row> alone = with_threads(rows, 1);
  Tried result;
  result.series = series;
  result.bytes = median_of(alone, cell("search", "memory_bytes"));
  result.build_seconds = median_of(alone, cell("build", "seconds"));
  result.seconds = median_of(alone, cell("search", "ns_per_op")) / 1e9;
  if (most > 1) result.seconds_threads = median_of(with_threads(rows, most), cell("search", "ns_per_op")) / 1e9;
  result.rate = median_of(alone, find_metric("false_positive_rate").value);
  result.false_matches =
      median_of(alone, cell("search", "false_positives")) / std::max(1.0, median_of(alone, cell("search", "ops")));
  return result;
}

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.{}f} µs", seconds * 1e6, seconds < 1e-5 ? 2 : 1);
  return fmt::format("{:.1f} ms", seconds * 1e3);
}

template <class Less>
const Tried& least(const std::vector<Tried>& all, Less value) {
  return *std::ranges::min_element(all, {}, value);
}

std::string times(double ratio) { return fmt::format("{:.{}f} times", ratio, ratio < 10 ? 1 : 0); }

std::string beside(const std::string& what, const Tried& other, const Tried& best) {
  return fmt::format(" The {} is {}: {} a query in {}; {} takes {} the time and {} the memory.", what, other.series,
                     time_text(other.seconds), size_text(other.bytes), best.series, times(best.seconds / other.seconds),
                     times(best.bytes / other.bytes));
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

std::string workload_of(const DataOptions& options, const LoadedData& data) {
  std::vector<std::string> paths;
  for (const std::string& path : options.paths) paths.push_back(quoted(path));
  std::string text = fmt::format("{{kind: files, path: [{}], format: {}", fmt::join(paths, ", "), data.format);
  const bool written = data.keys.kind == KeyEncoding::kText || data.keys.kind == KeyEncoding::kInteger ||
                       data.keys.kind == KeyEncoding::kHex;
  if (written && data.format != "binary") text += fmt::format(", keys: {}", data.keys.text());
  if (data.keys.kind == KeyEncoding::kKmer) {
    text += fmt::format(", kmer: {}, canonical: {}", options.kmer, options.canonical);
  }
  if (!options.offsets.empty()) text += ", offsets: " + quoted(options.offsets);
  if (!options.queries.empty()) text += ", queries: " + quoted(options.queries);
  return text + "}";
}

// A list of filters asks each of them: fewer queries where there are many sets.
std::uint64_t queries_for(std::uint64_t sets) { return std::clamp<std::uint64_t>(50'000'000 / sets, 1000, 20'000); }

// Some structures must know how many sets there will be.
std::string series_of(const std::vector<std::string>& structures, std::uint64_t sets) {
  std::string text;
  for (const std::string& name : structures) {
    const std::vector<ParamSpec> specs = describe(find_structure(name));
    const bool counted = std::ranges::find(specs, "sets", &ParamSpec::name) != specs.end();
    text += fmt::format("  - {{name: {0}, structure: {0}{1}}}\n", name, counted ? fmt::format(", sets: {}", sets) : "");
  }
  return text;
}

}  // namespace

std::vector<std::string> structures_to_try(std::uint64_t sets) {
  std::vector<std::string> names;
  for (const RegistryEntry& entry : registry()) {
    if (entry.answers && (sets == 1 || entry.many_sets)) names.push_back(entry.name);
  }
  return names;
}

double usual_rate(std::uint64_t sets) { return std::clamp(0.1 / static_cast<double>(sets), 1e-9, 0.01); }

std::string try_config(const std::string& id, const DataOptions& options, const LoadedData& data, double rate,
                       int max_threads, const std::vector<std::string>& structures) {
  const std::uint64_t sets = data.sets.size();
  const std::string queries =
      options.queries.empty() ? fmt::format("{{queries: {}, hit_rate: 0.5}}", queries_for(sets)) : std::string("{}");
  return fmt::format(
      "experiment: {}\n"
      "about: Every structure over one user's data\n"
      "workload: {}\n"
      "defaults: {{rho: {:g}, hash: double, backend: tbb, batch: 1024}}\n"
      "sweep: {{threads: [{}]}}\n"
      "series:\n{}"
      "measure: {{search: {}, repeats: {}}}\n"
      "figures:\n"
      "  - {{id: search_and_memory, title: Search time and memory of each structure, x: memory, y: search_time, "
      "xscale: log, yscale: log, where: {{threads: 1}}}}\n",
      id, workload_of(options, data), rate, max_threads > 1 ? fmt::format("1, {}", max_threads) : "1",
      series_of(structures, sets), queries, kRepeats);
}

std::vector<Tried> tried(const std::vector<Row>& rows) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<Row>> by_series;
  for (const Row& row : rows) {
    if (!by_series.contains(row["series"])) order.push_back(row["series"]);
    by_series[row["series"]].push_back(row);
  }
  std::vector<Tried> result;
  for (const std::string& series : order) {
    const std::vector<Row>& own = by_series[series];
    if (!std::ranges::all_of(own, sound)) continue;
    Tried one = medians(series, own);
    if (one.seconds > 0 && one.bytes > 0) result.push_back(std::move(one));
  }
  return result;
}

Advice advise(const std::vector<Tried>& all, double rate) {
  std::vector<Tried> able;  // half as much again for the luck of the draw
  std::ranges::copy_if(all, std::back_inserter(able), [&](const Tried& one) { return one.rate <= 1.5 * rate; });
  if (able.empty()) return {"", fmt::format("No structure kept the false positive rate of {:g}.", rate)};
  const Tried& best = least(able, [](const Tried& one) { return one.seconds * one.bytes; });
  std::string text = fmt::format("Take {}: {} a query in {} of memory, {:.2g} false names an answer.", best.series,
                                 time_text(best.seconds), size_text(best.bytes), best.false_matches);
  const Tried& fastest = least(able, &Tried::seconds);
  const Tried& smallest = least(able, &Tried::bytes);
  if (fastest.series == best.series && smallest.series == best.series) {
    text += " None is faster and none is smaller.";
  } else if (fastest.series == smallest.series) {
    text += beside("fastest and smallest", fastest, best);
  } else {
    if (fastest.series != best.series) text += beside("fastest", fastest, best);
    if (smallest.series != best.series) text += beside("smallest", smallest, best);
  }
  if (best.series == "exact") {
    text += " Its entries, a key and a set each, are no dearer here than filters: these data need no filters.";
  }
  return {best.series, text};
}

}  // namespace bloomery
