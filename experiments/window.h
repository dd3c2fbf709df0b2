// The moving window of the Bloofi paper's section 9: a filter a day, of which the last N are kept and searched.
#ifndef BLOOMERY_EXPERIMENTS_WINDOW_H_
#define BLOOMERY_EXPERIMENTS_WINDOW_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "experiments/phases.h"

namespace bloomery {

// The days on which a unit is measured: the one of the build (0), the sampled ones and the last.
std::vector<std::uint64_t> window_days(const Unit& unit);

// One step a sampled day, the day of the build (0) and the last one included; the row's params say day=.
std::vector<std::string> window_steps(const Unit& unit);

// Each day the oldest set is erased and a new one inserted. With `rebuild`, the structure is built anew from the same
// sets before each measurement: what a tree loses by moving along is the difference of the two series.
std::unique_ptr<Scenario> start_window(const Unit& unit, Inputs& inputs);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_WINDOW_H_
