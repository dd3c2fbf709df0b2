// What the values of an experiment mean: types, ranges, names and memory, each complaint at the place of the value.
#ifndef BLOOMERY_EXPERIMENTS_CONFIG_CHECK_H_
#define BLOOMERY_EXPERIMENTS_CONFIG_CHECK_H_

#include "experiments/config.h"

namespace bloomery {

// Builds the plan and asks each structure. Integers get one spelling, so that 1e4 and 10000 are the same run. Throws
// MarkedError.
void check_experiment(Experiment& experiment);

int checked_repeats(const Setting& setting);  // throws MarkedError

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CONFIG_CHECK_H_
