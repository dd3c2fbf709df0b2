// Where the numbers of a check come from: the planned runs at a point, and their rows.
#ifndef BLOOMERY_EXPERIMENTS_CLAIM_PLAN_H_
#define BLOOMERY_EXPERIMENTS_CLAIM_PLAN_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "experiments/claim_expression.h"
#include "experiments/config.h"
#include "experiments/metrics.h"
#include "experiments/plan.h"
#include "experiments/rows.h"

namespace bloomery {

using Point = std::map<std::string, std::string>;  // settings and values; `day` is one too in scenario window

std::string text_of(const Point& point);  // "N = 100, d = 2"

// The check is well formed, but this plan runs nothing of what it names; another profile may.
struct UnplannedError : ExpressionError {
  using ExpressionError::ExpressionError;
};

class ClaimPlan {
 public:
  explicit ClaimPlan(const Experiment& experiment);

  // The repetitions of one series at a point. A setting that the series does not have does not tell its runs apart.
  // Throws ExpressionError if the point leaves several settings open, UnplannedError if nothing is run there.
  std::vector<const Unit*> units(const Expression& metric, const Point& point) const;

  // What a setting takes where all of these series are run, smallest first. Throws UnplannedError if nothing.
  std::vector<std::string> values(const std::string& setting, const std::set<std::string>& series, const Point& point,
                                  std::size_t offset) const;

  // A setting's value at a point. Throws ExpressionError if it has none, or several, or no number.
  double number(const Expression& name, const Point& point, const std::set<std::string>& series) const;

 private:
  std::set<std::string> values_of(const std::string& setting, const std::string& series, const Point& point) const;
  [[noreturn]] void fail_unplanned(const Expression& metric, const Point& point) const;
  [[noreturn]] void fail_open(const Expression& metric, const std::vector<const Unit*>& units) const;

  const Experiment& experiment_;
  std::vector<Unit> units_;
};

// The row of a unit's phase (on a day, in scenario window). A row of the same settings by an older program counts where
// there is none of this one, as in the figures. nullptr if it is missing.
const Row* find_row(const std::vector<Row>& rows, const Unit& unit, const Metric& metric, const Point& point);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CLAIM_PLAN_H_
