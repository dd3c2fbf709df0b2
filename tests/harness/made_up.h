// An experiment that was never run, with rows whose numbers are easy to follow.
#ifndef BLOOMERY_TESTS_HARNESS_MADE_UP_H_
#define BLOOMERY_TESTS_HARNESS_MADE_UP_H_

#include <string>
#include <vector>

#include "experiments/config.h"
#include "experiments/rows.h"

namespace bloomery {

inline Row made_up_row(const std::string& series, const std::string& phase, int sets, double cost, int repeat = 0) {
  Row row;
  row["schema"] = std::string(kSchema);
  row["run_id"] = series + std::to_string(sets) + "-" + std::to_string(repeat);
  row["experiment"] = "made_up";
  row["series"] = series;
  row["structure"] = "bloofi";
  row["N"] = std::to_string(sets);
  row["d"] = "2";
  row["repeat"] = std::to_string(repeat);
  row["phase"] = phase;
  row["status"] = "ok";
  row["ops"] = "100";
  row["ns_per_op"] = std::to_string(cost * 1000);
  row["bf_cost"] = std::to_string(cost);
  return row;
}

// Search costs sets + repeat in Naive and 20 + sets / 100 + repeat in Bloofi; so medians are those of the middle one.
inline std::vector<Row> made_up_rows(int repeats = 5) {
  std::vector<Row> rows;
  for (const int sets : {1000, 100, 10000}) {  // not in order: the axis must be
    for (int repeat = 0; repeat < repeats; ++repeat) {
      rows.push_back(made_up_row("Naive", "search", sets, sets + repeat, repeat));
      rows.push_back(made_up_row("Bloofi", "search", sets, 20 + sets / 100.0 + repeat, repeat));
      rows.push_back(made_up_row("Bloofi", "insert", sets, 7, repeat));
      rows.push_back(made_up_row("Bloofi", "update", sets, 3, repeat));
    }
  }
  return rows;
}

inline FigureSpec made_up_figure(const std::string& id, const std::vector<std::string>& y) {
  FigureSpec figure;
  figure.id = id;
  figure.title = "Title of " + id;
  figure.x = "N";
  figure.y = y;
  figure.xscale = "log";
  return figure;
}

inline Experiment made_up_experiment() {
  Experiment experiment;
  experiment.id = "made_up";
  experiment.about = "Search & <i>maintenance</i>";
  experiment.source = {"bloofi", "7.2.1", {"5a"}};
  experiment.defaults = {{"rho", {"0.01", {}}}};
  experiment.series = {{"Naive", "naive", {}, {}}, {"Bloofi", "bloofi", {}, {}}};
  experiment.sweep = {{"N", {{"100", {}}, {"1000", {}}, {"10000", {}}}}};
  experiment.phases = {"build", "search", "insert", "update"};
  experiment.figures = {made_up_figure("5a", {"search_time"}), made_up_figure("5b", {"search_bf_cost"})};
  experiment.file = "configs/made_up.yaml";
  return experiment;
}

}  // namespace bloomery

#endif  // BLOOMERY_TESTS_HARNESS_MADE_UP_H_
