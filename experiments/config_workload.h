// The `workload` key of an experiment: data of a user's own.
#ifndef BLOOMERY_EXPERIMENTS_CONFIG_WORKLOAD_H_
#define BLOOMERY_EXPERIMENTS_CONFIG_WORKLOAD_H_

#include <string>

#include "experiments/data_options.h"
#include "experiments/yaml.h"

namespace bloomery {

// Throws MarkedError. Paths stay relative to the folder that the program is run in.
DataOptions read_workload(const YAML::Node& node, const std::string& scenario);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CONFIG_WORKLOAD_H_
