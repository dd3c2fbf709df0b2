// Runs the units of a plan under Google Benchmark and hands back their rows.
#ifndef BLOOMERY_EXPERIMENTS_MEASURE_H_
#define BLOOMERY_EXPERIMENTS_MEASURE_H_

#include <functional>
#include <vector>

#include "experiments/plan.h"
#include "experiments/rows.h"

namespace bloomery {

// Measures each unit, in order, in this process. `done` gets the rows of a unit once all its phases are finished; a
// unit that fails yields rows with status error, unsupported or false_negative. Exceptions of `done` stop the run and
// are thrown on.
void measure(const std::vector<Unit>& units, const std::function<void(const Unit&, const std::vector<Row>&)>& done);

// Expected bytes of the largest unit, to refuse what cannot fit before anything runs.
double estimated_bytes(const Unit& unit);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_MEASURE_H_
