// A figure on the page: its numbers, from which the page draws it so that it can be pointed at, and the static picture
// for print and for readers without scripts.
#ifndef BLOOMERY_EXPERIMENTS_REPORT_FIGURE_H_
#define BLOOMERY_EXPERIMENTS_REPORT_FIGURE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/config.h"
#include "experiments/rows.h"

namespace bloomery {

std::string figure_anchor(const FigureSpec& figure, const Experiment& experiment);

// JSON, as experiments/report/chart.js wants it; "" if rows are missing.
std::string chart_data(const FigureSpec& figure, const Experiment& experiment, const std::vector<Row>& rows);

// HTML. `beside` is HTML that stands beside the figure, or under it where there is no room.
std::string figure_part(const FigureSpec& figure, const Experiment& experiment, const std::vector<Row>& rows,
                        const std::filesystem::path& plots, const std::string& beside);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_REPORT_FIGURE_H_
