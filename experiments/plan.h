// The runs an experiment asks for: a pure function of its description.
#ifndef BLOOMERY_EXPERIMENTS_PLAN_H_
#define BLOOMERY_EXPERIMENTS_PLAN_H_

#include <map>
#include <string>
#include <vector>

#include "experiments/config.h"

namespace bloomery {

// One structure, built once from one seed and measured in every phase. The unit of resuming.
struct Unit {
  std::string run_id;  // hash of everything below and of the program's sources
  std::string experiment;
  std::string scenario;
  std::string series;
  std::string structure;
  std::vector<std::string> phases;
  int repeat = 0;
  std::map<std::string, std::string> settings;          // every setting, defaults filled in
  std::map<std::string, std::string> structure_params;  // those that the structure takes
  DataOptions data = {};                                // a user's own
};

// Points outermost, then repetitions, then series: what is compared is interleaved.
std::vector<Unit> make_plan(const Experiment& experiment);

// A setting that the harness itself takes (N, n, queries, threads, ...), with its type, range, default and meaning.
// The same table serves checking, `list` and the docs.
struct HarnessSetting {
  std::string name;
  std::string type;  // integer, real, flag, choice or text
  double min = 0, max = 0;
  std::vector<std::string> options;
  std::string default_value;
  std::string about;
};
const std::vector<HarnessSetting>& harness_settings();
const HarnessSetting* find_harness_setting(const std::string& name);  // nullptr if there is none

// The settings of the harness and of these structures, each once.
std::vector<std::string> setting_names(const std::vector<std::string>& structures);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_PLAN_H_
