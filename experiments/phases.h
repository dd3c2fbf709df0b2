// What happens to a structure between its construction and its end, step by step; each step is one row.
#ifndef BLOOMERY_EXPERIMENTS_PHASES_H_
#define BLOOMERY_EXPERIMENTS_PHASES_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/plan.h"
#include "experiments/rows.h"
#include "experiments/verify.h"
#include "experiments/workload.h"
#include "structures/registry.h"

namespace bloomery {

// Runs the body once under the timing engine. A step calls it at most once; what it does before and after is free.
using Timed = std::function<void(const std::function<void()>& body)>;

// One unit, from its first step to its last.
class Scenario {
 public:
  virtual ~Scenario() = default;
  // The row of a step but for its time, which the caller knows.
  virtual Row run(std::size_t step, const Timed& timed) = 0;
  // What the step just run has to tell besides: rows of other phases, as many as there turned out to be. They come
  // before the step's own row, which a file that was cut short therefore lacks.
  virtual std::vector<Row> more_rows() { return {}; }
};

// The phase of every step of a unit: known before anything runs.
std::vector<std::string> steps_of(const Unit& unit);

// Constructs the unit's structure. `inputs` must outlive the scenario.
std::unique_ptr<Scenario> start(const Unit& unit, Inputs& inputs);

// ---- what the scenarios share ----

// A structure with hash functions of its own for each repetition.
std::unique_ptr<AnyStructure> make_structure_of(const Unit& unit);

Row row_of(const Unit& unit, const std::string& phase);  // status ok
Row unsupported(Row row);                                // empty numbers

void set_number(Row& row, std::string_view column, double value);
void add_param(Row& row, const std::string& name, const std::string& value);
void add_param(Row& row, const std::string& name, double value);
void add_footprint(Row& row, const AnyStructure& structure);
// Of a structure spread over processes: how many, on how many hosts, and what they sent from `before` on.
void add_traffic(Row& row, const std::optional<Traffic>& before, const std::optional<Traffic>& now);
void add_verdict(Row& row, const Verdict& verdict);         // status false_negative if there is one
void add_maintenance(Row& row, const Cost& cost, double ops);  // costs an operation

// Asks a structure in batches over an executor, with scratch memory a worker.
class Searcher {
 public:
  Searcher(Executor executor, std::size_t batch);

  void warm_up(const AnyStructure& structure, Keys queries);  // a tenth of the queries
  void search(const AnyStructure& structure, Keys queries);   // compiled without counting

 private:
  struct Lane;
  Executor executor_;
  std::size_t batch_;
  std::vector<std::shared_ptr<Lane>> lanes_;
};

struct Counted {
  Cost cost;
  Verdict verdict;  // without a judge, only the matches are counted
};

// Tells right answers from wrong ones: those of the `count` queries from number `begin` on. Called by many threads.
using Judge = std::function<Verdict(std::size_t begin, std::size_t count, const Matches& matches)>;
Judge judge_by(std::shared_ptr<const Answers> answers);  // empty if there are none

// All queries once more, counted and judged, on all cores: nothing here is timed.
Counted count_search(const AnyStructure& structure, Keys queries, const Judge& judge);

// A timed search with its counts: ops, bf_cost, words, lines and the verdict.
void measure_search(Row& row, const AnyStructure& structure, Keys queries, const Judge& judge, Searcher& searcher,
                    const Timed& timed);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_PHASES_H_
