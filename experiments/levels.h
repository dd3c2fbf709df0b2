// What is inside a BloomTree, level by level: how keys, fills and posteriors are distributed over its filters, and how
// either way of coding compresses it. A step is a point of a distribution, so that every point is a row.
#ifndef BLOOMERY_EXPERIMENTS_LEVELS_H_
#define BLOOMERY_EXPERIMENTS_LEVELS_H_

#include <memory>
#include <string>
#include <vector>

#include "experiments/phases.h"

namespace bloomery {

// `of` decides the places where the share above them is told: numbers of keys, fills, powers of ten of a posterior,
// relative errors; or `coding`, which has one step.
std::vector<std::string> levels_steps(const Unit& unit);

std::unique_ptr<Scenario> start_levels(const Unit& unit, Inputs& inputs);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_LEVELS_H_
