// `bloomery optimize`: the scenario of that name for a user's own parameters, without a file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "experiments/commands.h"
#include "experiments/environment.h"
#include "experiments/errors.h"
#include "experiments/figures.h"
#include "experiments/measure.h"
#include "experiments/metrics.h"
#include "experiments/rows.h"
#include "experiments/selection.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using RowPointers = std::vector<const Row*>;

constexpr std::size_t kShown = 20;

FigureSpec figure(const std::string& id, const std::string& title, const std::string& x, const std::string& front) {
  FigureSpec figure;
  figure.id = id;
  figure.title = title;
  figure.x = x;
  figure.y = {"tree_bits", front};
  figure.kind = "points";
  figure.xscale = "log";
  figure.curves = {"least_bits", "standard_bits"};
  return figure;
}

Experiment own_experiment(const Overrides& overrides) {
  Experiment experiment;
  experiment.id = "optimize";
  experiment.about = "Which settings of a BloomTree are worth sending";
  experiment.scenario = "optimize";
  experiment.phases = {"setting", "optimize"};
  experiment.series = {{"BloomTree", "bloom_tree", {}, {}}};
  const std::string cores = std::to_string(available_cores());
  for (const auto& [name, value] : Overrides{{"n", "10000"},
                                             {"d", "2"},
                                             {"queries", "20000"},
                                             {"goal", "measured"},
                                             {"backend", "tbb"},
                                             {"threads", cores}}) {
    experiment.defaults[name] = {value, {}};
  }
  experiment.figures = {
      figure("optimize_measured", "Bits sent and measured rate", "tree_measured_rate", "measured_front_bits"),
      figure("optimize_paper", "Bits sent and geometric mean rate", "tree_rate", "paper_front_bits")};
  experiment.file = "bloomery optimize";
  finish_experiment(experiment, overrides);
  return experiment;
}

std::vector<Row> search(const Experiment& experiment, const fs::path& file) {
  RowWriter writer(file);
  writer.keep_only({});
  write_environment(file.parent_path() / "environment.json", "default");
  measure(make_plan(experiment), [&](const Unit&, const std::vector<Row>& rows) { writer.append(rows); });
  return read_rows(file).rows;
}

RowPointers front_of(const std::vector<Row>& rows) {
  RowPointers front;
  for (const Row& row : rows) {
    const std::string flag = row.get("goal") == "measured" ? "measured_front" : "paper_front";
    if (row["phase"] == "setting" && row.get(flag) == "true") front.push_back(&row);
  }
  std::ranges::sort(front, {}, [](const Row* row) { return row->number("bits_sent").value_or(0); });
  return front;
}

std::string value_of(const Row& row, const std::string& metric, const std::string& format) {
  const std::optional<double> value = find_metric(metric).value(row);
  return value ? fmt::format(fmt::runtime(format), *value) : "";
}

void write_front(const RowPointers& front, const fs::path& file) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << "d,k,m_levels,bits_sent_a_key,bits_stored_a_key,geometric_rate,measured_rate,measured_low,measured_high,"
         "share_of_standard_geometric,share_of_standard_measured\n";
  for (const Row* row : front) {
    const double stored = row->number("storage_bytes").value_or(0) * 8 / row->number("n").value_or(1);
    out << fmt::format("{},\"{}\",\"{}\",{},{},{},{},{},{},{},{}\n", row->get("d"), row->get("k"), row->get("m_levels"),
                       row->get("bits_sent"), stored, row->get("geometric_rate"),
                       value_of(*row, "tree_measured_rate", "{}"), row->get("measured_low"), row->get("measured_high"),
                       value_of(*row, "tree_share", "{}"), value_of(*row, "tree_measured_share", "{}"));
  }
  if (!out.flush()) throw IoError("cannot write " + file.string());
}

void print_front(const RowPointers& front) {
  fmt::print("{:<12} {:<12} {:>10} {:>12} {:>10} {:>24} {:>12}\n", "k", "m_levels", "bits a key", "geometric",
             "measured", "95 % interval", "W_BT/W_SBF");
  for (std::size_t i = 0; i < std::min(front.size(), kShown); ++i) {
    const Row& row = *front[i];
    const std::string interval = fmt::format("{:.4g} to {:.4g}", row.number("measured_low").value_or(0),
                                             row.number("measured_high").value_or(1));
    fmt::print("{:<12} {:<12} {:>10} {:>12} {:>10} {:>24} {:>12}\n", row.get("k"), row.get("m_levels"),
               value_of(row, "tree_bits", "{:.3f}"), value_of(row, "tree_rate", "{:.4g}"),
               value_of(row, "tree_measured_rate", "{:.4g}"), interval, value_of(row, "tree_measured_share", "{:.3f}"));
  }
  if (front.size() > kShown) fmt::print("... {} more with more bits\n", front.size() - kShown);
}

void print_smallest(const Row& row) {
  if (row.number("max_rate").value_or(1) >= 1) {
    fmt::print("With --set max_rate=0.01, say, it is the smallest tree of at most that rate that is looked for.\n");
    return;
  }
  fmt::print(
      "The smallest: k={} and m_levels={}. With other keys it takes {:.3f} bits a key at a measured rate of {:.4g} "
      "({:.4g} to {:.4g}), a geometric mean of {:.4g}.\n",
      row.get("smallest_k"), row.get("smallest_m_levels"), row.number("smallest_bits_sent").value_or(0),
      row.number("smallest_rate").value_or(0), row.number("smallest_low").value_or(0),
      row.number("smallest_high").value_or(1), row.number("smallest_geometric_rate").value_or(0));
}

int tell(const Experiment& experiment, const std::vector<Row>& rows, const fs::path& results, const fs::path& plots) {
  const auto found = std::ranges::find(rows, "optimize", [](const Row& row) { return row["phase"]; });
  if (found == rows.end() || (*found)["status"] != "ok") {
    fmt::print(stderr, "bloomery: the search failed: {}\n", found == rows.end() ? "no rows" : found->get("error"));
    return kNothingMeasured;
  }
  const RowPointers front = front_of(rows);
  fmt::print("{} of {} settings tried in {} s, {} on the Pareto front\n", found->get("ops"), found->get("settings"),
             value_of(*found, "search_seconds", "{:.1f}"), front.size());
  if (front.empty()) {
    fmt::print(stderr,
               "bloomery: no setting keeps max_rate {} and max_bits {}; allow more of one, or ask more queries\n",
               found->get("max_rate"), found->get("max_bits"));
    return kNothingMeasured;
  }
  print_front(front);
  print_smallest(*found);
  write_front(front, results / "front.csv");
  fmt::print("{}\n", (results / "front.csv").string());
  for (const fs::path& drawn : draw_figures(experiment, rows, plots / experiment.id, "")) {
    fmt::print("{}\n", drawn.string());
  }
  return kOk;
}

}  // namespace

int optimize_command(const Options& options) {
  const Experiment experiment = own_experiment(overrides_of(options));
  if (make_plan(experiment).size() != 1) throw InputError("one search at a time: give every setting one value");
  const fs::path file = rows_file(options, experiment);
  return tell(experiment, search(experiment, file), file.parent_path(), options.plots);
}

}  // namespace bloomery
