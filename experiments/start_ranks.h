// Experiments that ask for ranks when nobody has started any: mpirun is called for them, on this host.
#ifndef BLOOMERY_EXPERIMENTS_START_RANKS_H_
#define BLOOMERY_EXPERIMENTS_START_RANKS_H_

#include <string>
#include <vector>

#include "experiments/commands.h"
#include "experiments/plan.h"

namespace bloomery {

// How many processes have to be started for these; 1 where they are there already or none are asked for.
int ranks_to_start(const std::vector<Unit>& units);

// `run` of this experiment alone, in so many processes. Its exit code, or kBadInput and a message without mpirun.
int run_with_ranks(const Options& options, const std::string& experiment, int ranks);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_START_RANKS_H_
