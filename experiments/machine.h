// What environment.json says of the machine and the build, for a reader.
#ifndef BLOOMERY_EXPERIMENTS_MACHINE_H_
#define BLOOMERY_EXPERIMENTS_MACHINE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/config.h"

namespace bloomery {

// HTML: one description a machine, build and profile; the experiments are named only if there are several.
std::string machines_section(const std::vector<Experiment>& experiments, const std::filesystem::path& results);

// The same, a line each.
std::vector<std::string> machine_lines(const std::vector<Experiment>& experiments,
                                       const std::filesystem::path& results);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_MACHINE_H_
