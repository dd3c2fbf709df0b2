// `bloomery compare A B`.
#ifndef BLOOMERY_EXPERIMENTS_COMPARE_COMMAND_H_
#define BLOOMERY_EXPERIMENTS_COMPARE_COMMAND_H_

#include <filesystem>

#include "experiments/compare.h"
#include "experiments/subcommand.h"

namespace bloomery {

struct CompareOptions {
  std::filesystem::path a, b;
  CompareRules rules;
  bool markdown = false;
  bool csv = false;
  bool changed = false;  // only what is faster or slower
};

void add_compare_command(CLI::App& app, Chosen& chosen);
int compare_command(const CompareOptions& options);  // kSlower if a point is

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_COMPARE_COMMAND_H_
