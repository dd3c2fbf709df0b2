// `bloomery gate`: does this tree answer as before, for no more cost and in no more time than a base commit?
// docs/gate.md has what is judged and how.
#ifndef BLOOMERY_EXPERIMENTS_GATE_H_
#define BLOOMERY_EXPERIMENTS_GATE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/subcommand.h"

namespace bloomery {

struct GateOptions {
  std::vector<std::string> parts = {"counts", "instructions", "time"};
  std::string base;                                       // a commit; "" for the recorded one
  std::filesystem::path reference = "results/reference";  // gate.csv, commit and accepted.csv
  std::filesystem::path configs = "configs/gate";
  std::filesystem::path folder;         // of builds and logs
  std::string kernels;                  // only those with this in their names
  std::filesystem::path head, against;  // builds that are there already
  double limit = 1.05;
  double instruction_limit = 1.01;
  bool update = false;
  bool record_base = false;
};

int gate_command(const GateOptions& options);

// `gate`, and `gate-kernels`, which is what it runs under callgrind.
void add_gate_commands(CLI::App& app, Chosen& chosen);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_GATE_H_
