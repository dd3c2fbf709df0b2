// Scenario optimize: looks for the settings of a BloomTree that are worth sending (section 6 of its paper).
#ifndef BLOOMERY_EXPERIMENTS_OPTIMIZE_H_
#define BLOOMERY_EXPERIMENTS_OPTIMIZE_H_

#include <memory>
#include <string>
#include <vector>

#include "experiments/phases.h"

namespace bloomery {

// One step, the search. Besides its row, with how many settings were tried, there is a row of phase `setting` for each
// of them: its k and m_levels; ops, false_positives: queries and those answered wrongly; geometric_rate, bits_sent,
// measured_low, measured_high; and paper_front, measured_front: whether it is Pareto-optimal among those tried.
std::vector<std::string> optimize_steps(const Unit& unit);
std::unique_ptr<Scenario> start_optimize(const Unit& unit, Inputs& inputs);

// Throws a ParamError that names the setting which makes the search impossible.
void check_optimize(const Unit& unit);

double optimize_bytes(const Unit& unit);  // of the largest trees at once, and their keys

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_OPTIMIZE_H_
