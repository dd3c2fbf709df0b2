// A sweep in parts, on several machines or days: `run --shard i/n`, `merge`, and the script that gives them to Slurm.
#ifndef BLOOMERY_EXPERIMENTS_SHARDS_H_
#define BLOOMERY_EXPERIMENTS_SHARDS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/plan.h"

namespace CLI {
class App;
}

namespace bloomery {

struct Options;

struct Shard {
  std::size_t number = 1;  // from 1
  std::size_t count = 1;
};
Shard parse_shard(const std::string& text);  // "2/8"; "" is all of it. Throws InputError

// Where a part keeps its rows until `merge` joins them: <results>/shards/2-of-8.
std::filesystem::path shard_folder(const std::filesystem::path& results, const Shard& shard);

// The points of plans, counted on from one plan to the next. All series of a repetition at a point are one: they are
// compared, and so belong on one machine. The order is that of the plan, which does not depend on what is measured yet.
class PointCounter {
 public:
  // The part of the plan that is this shard's.
  std::vector<Unit> take(const Experiment& experiment, const std::vector<Unit>& plan, const Shard& shard);
  std::size_t points() const { return points_; }

 private:
  std::size_t points_ = 0;
};

int merge_command(const Options& options);
int slurm_command(const Options& options);
void add_merge_options(CLI::App& command, Options& options);
void add_slurm_options(CLI::App& command, Options& options);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_SHARDS_H_
