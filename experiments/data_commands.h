// The subcommands for a user's own data: try, build, query and index.
#ifndef BLOOMERY_EXPERIMENTS_DATA_COMMANDS_H_
#define BLOOMERY_EXPERIMENTS_DATA_COMMANDS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/data_options.h"
#include "experiments/subcommand.h"

namespace bloomery {

struct DataCommandOptions {
  DataOptions data;
  double rate = 0;                 // false positive rate of a set; 0: by the number of sets
  std::filesystem::path index;     // an index file
  std::string action;              // index: what to do with it
  std::vector<std::string> words;  // query: keys; index: names of sets, or data
  bool verify = false;             // all checksums of an index, however large it is
  std::filesystem::path results = "results", plots = "plots";
  bool force = false;
};

int try_command(const DataCommandOptions& options);    // try.h
int build_command(const DataCommandOptions& options);  // data into an index file
int query_command(const DataCommandOptions& options);  // keys into names of sets
int index_command(const DataCommandOptions& options);  // the sets of an index file

void add_data_commands(CLI::App& app, Chosen& chosen);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_DATA_COMMANDS_H_
