// An experiment as its YAML file describes it. See docs/experiments.md for the format.
#ifndef BLOOMERY_EXPERIMENTS_CONFIG_H_
#define BLOOMERY_EXPERIMENTS_CONFIG_H_

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/claim.h"
#include "experiments/data_options.h"
#include "experiments/mark.h"

namespace bloomery {

struct Setting {
  std::string text;  // as written; typed where it is used
  Mark mark;
};
using Settings = std::map<std::string, Setting>;

struct Axis {  // a parameter and the values it takes
  std::string name;
  std::vector<Setting> values;
};

struct Series {  // a curve: a structure with settings of its own on top of the experiment's
  std::string name;
  std::string structure;
  Settings settings;
  Mark mark;
};

struct FigureSpec {
  std::string id;
  std::string title;
  std::string x;                  // a column, a key of `params` or a metric
  std::vector<std::string> y;     // metrics (metrics.h); several give a curve a series and metric
  std::string xscale = "linear";  // linear or log
  std::string yscale = "linear";
  std::string kind = "line";                 // line, bar or points
  std::vector<std::string> series;           // the ones drawn; empty means all
  std::vector<std::string> curves;           // theory, by name (theory_curves.h)
  std::string base;                          // not empty: y is relative to this series, in the same repetition
  bool speedup = false;                      // how many times less than the base's, instead of how many times more
  std::map<std::string, std::string> where;  // only rows with these column values
};

// A number that a paper or the authors' program reports, to stand beside ours.
struct Published {
  std::string series;
  std::string metric;
  std::map<std::string, std::string> at;  // column values
  double value = 0;
  std::string source;  // "paper" or "authors' program, ..."
};

struct Source {
  std::string paper;
  std::string section;
  std::vector<std::string> figures;
};

struct Experiment {
  std::string id;
  std::string about;
  std::string notes;               // shown in the report: what differs from the paper, and why
  std::string scenario = "index";  // index, filter, provenance, window or optimize
  DataOptions data;                // given: the workload is in files
  Source source;
  Settings defaults;
  std::vector<Axis> sweep;  // crossed
  std::vector<Series> series;
  std::vector<std::string> phases;  // build, search, insert, update, erase: in this order
  int repeats = 1;
  std::vector<FigureSpec> figures;
  std::vector<Published> published;
  std::vector<Claim> claims;
  std::filesystem::path file;
};

const Axis* find_axis(const Experiment& experiment, const std::string& name);  // nullptr if it is not swept
void set_axis(Experiment& experiment, const std::string& name, std::vector<Setting> values);  // replaces or adds
std::vector<std::string> structures_of(const Experiment& experiment);                         // of its series

const std::vector<std::string>& profile_names();  // quick, default, paper; "default" is the file as written

using Overrides = std::vector<std::pair<std::string, std::string>>;  // --set key=value

// Reads one file and applies a profile and the overrides. Throws InputError "file:line:column: what is wrong; what
// would be right". Every value is checked here, by building the plan and asking each structure, so that nothing runs if
// anything is wrong.
Experiment load_experiment(const std::filesystem::path& file, const std::string& profile, const Overrides& overrides);

// The same for an experiment that no file describes, but for the reading. Its `file` says where it comes from.
void finish_experiment(Experiment& experiment, const Overrides& overrides);

// Every *.yaml below a folder, sorted, or the file itself.
std::vector<std::filesystem::path> find_configs(const std::filesystem::path& path);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CONFIG_H_
