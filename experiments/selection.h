// The experiments that the options of a command name.
#ifndef BLOOMERY_EXPERIMENTS_SELECTION_H_
#define BLOOMERY_EXPERIMENTS_SELECTION_H_

#include <string>
#include <vector>

#include "experiments/commands.h"
#include "experiments/config.h"

namespace bloomery {

Overrides overrides_of(const Options& options);  // --set; throws InputError

// All of the paths, also with --only: one bad config stops everything before anything runs.
std::vector<Experiment> load_all(const Options& options, const std::string& profile);

// Of these, the ones that --only asks for.
std::vector<Experiment> load_selected(const Options& options);

bool has_figure(const Experiment& experiment, const std::string& id);

std::filesystem::path rows_file(const Options& options, const Experiment& experiment);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_SELECTION_H_
