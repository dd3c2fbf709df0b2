// One filter: filled by as many threads as asked for, then searched. For the papers about single filters.
#ifndef BLOOMERY_EXPERIMENTS_FILTER_H_
#define BLOOMERY_EXPERIMENTS_FILTER_H_

#include <memory>

#include "experiments/phases.h"

namespace bloomery {

std::unique_ptr<Scenario> start_filter(const Unit& unit, Inputs& inputs);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_FILTER_H_
