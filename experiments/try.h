// `bloomery try DATA`: every structure over a user's own data, and which one to take.
#ifndef BLOOMERY_EXPERIMENTS_TRY_H_
#define BLOOMERY_EXPERIMENTS_TRY_H_

#include <string>
#include <vector>

#include "experiments/data_load.h"
#include "experiments/rows.h"

namespace bloomery {

// Of one structure, or of the index file: medians over repetitions.
struct Tried {
  std::string series;
  double bytes = 0, build_seconds = 0;
  double seconds = 0;          // a query, on one thread
  double seconds_threads = 0;  // and on all; 0 if there is one only
  double rate = 0;             // share of the pairs of a query and a set without it that were named, by the data
  double false_matches = 0;    // a query
};

// What can be compared: a structure that failed or gave a wrong answer is left out.
std::vector<Tried> tried(const std::vector<Row>& rows);

// The structure to take and why, in sentences. Time and memory count alike: the one whose product of both is smallest,
// among those that keep the rate asked for.
struct Advice {
  std::string series;
  std::string text;
};
Advice advise(const std::vector<Tried>& all, double rate);

// With N sets, so many false names an answer are what one puts up with.
double usual_rate(std::uint64_t sets);

// Of the registry, those that answer and can hold so many sets.
std::vector<std::string> structures_to_try(std::uint64_t sets);

// The experiment as a file that can be changed and run again. `max_threads` is the other end of the sweep from one.
std::string try_config(const std::string& id, const DataOptions& options, const LoadedData& data, double rate,
                       int max_threads, const std::vector<std::string>& structures);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_TRY_H_
