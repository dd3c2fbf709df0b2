// A user's data in memory, for experiments, which check every answer against them.
#ifndef BLOOMERY_EXPERIMENTS_DATA_LOAD_H_
#define BLOOMERY_EXPERIMENTS_DATA_LOAD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "experiments/data.h"
#include "experiments/workload.h"

namespace bloomery {

struct LoadedData {
  std::vector<std::string> names;
  KeySets sets;  // each key once
  KeyEncoding keys;
  std::vector<Key> queries;  // of a file of their own
  std::string format;
  std::string fingerprint;                          // of names and keys, whatever the files
  std::uint64_t bytes = 0, files = 0, repeats = 0;  // of keys in their sets
  double seconds = 0;

  std::uint64_t largest(std::uint64_t first_sets) const;  // keys of the largest of these sets
  double mean(std::uint64_t first_sets) const;
};

// Read once and kept until other data are asked for. Throws InputError and IoError.
std::shared_ptr<const LoadedData> load_data(const DataOptions& options);

// Sets and queries of an experiment over data; the sets for its maintenance are drawn like those of the data.
Workload data_workload(const WorkloadSpec& spec);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_DATA_LOAD_H_
