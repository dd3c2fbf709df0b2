// From YAML to the description of an experiment: shapes, keys and names. What values mean is config_check's business.
#ifndef BLOOMERY_EXPERIMENTS_CONFIG_READER_H_
#define BLOOMERY_EXPERIMENTS_CONFIG_READER_H_

#include <filesystem>
#include <string>

#include "experiments/config.h"

namespace bloomery {

// Throws MarkedError, or InputError when there is no file to read.
Experiment read_experiment(const std::filesystem::path& file, const std::string& profile);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CONFIG_READER_H_
