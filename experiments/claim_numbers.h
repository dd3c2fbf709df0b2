// The numbers of a check: expressions made into functions of a draw of the repetitions.
#ifndef BLOOMERY_EXPERIMENTS_CLAIM_NUMBERS_H_
#define BLOOMERY_EXPERIMENTS_CLAIM_NUMBERS_H_

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "experiments/claim.h"
#include "experiments/claim_expression.h"
#include "experiments/claim_plan.h"
#include "experiments/claim_statistics.h"
#include "experiments/rows.h"

namespace bloomery {

std::string short_text(double value);  // 0.003142, 31.42, 31416

struct Number {
  std::function<double(const Draw&)> value;
  int repetitions = 0;  // the fewest of what it is made of that has noise; 0 if nothing has
};

int fewer(int a, int b);  // of two such counts

// A number along an axis.
struct Along {
  std::string axis;
  std::vector<std::string> places;  // at least two
  std::vector<std::function<double(const Draw&)>> values;
  int repetitions = 0;

  std::vector<double> at(const Draw& draw) const;
};

class ClaimNumbers {
 public:
  // Without rows every number is 1: only whether it is planned is found out.
  ClaimNumbers(const Claim& claim, const ClaimPlan& plan, const std::vector<Row>* rows);

  Number number(const Expression& e, const Point& point);
  Along along(const Expression& e, const std::string& axis, const Point& point);

  bool is_axis(const std::string& setting) const { return axes_.contains(setting); }  // some function goes along it
  // What `at` says of a setting, or all values that are run.
  std::vector<std::string> values_along(const std::string& setting, const Point& point, std::size_t offset) const;

  std::size_t rows_used() const { return used_.size(); }
  std::string missing() const;  // the first row that is not there, and how many more; "" if all are
  const std::string& unsupported() const { return unsupported_; }  // why there is no number; "" if there is
  bool complete() const { return missing_.empty() && unsupported_.empty(); }

 private:
  void collect(const Expression& e);  // axes and series
  Number metric(const Expression& e, const Point& point);
  Number name(const Expression& e, const Point& point);
  Number arithmetic(const Expression& e, const Point& point);
  Number function(const Expression& e, const Point& point);
  void add_missing(const std::string& what);
  void take(const Row* row, const Unit& unit, const Metric& metric, const Point& point,
            std::vector<Observation>& observations);

  const Claim& claim_;
  const ClaimPlan& plan_;
  const std::vector<Row>* rows_;
  std::set<std::string> axes_;
  std::set<std::string> series_;
  std::set<const Row*> used_;
  std::string missing_;
  std::set<std::string> absent_;
  std::string unsupported_;
};

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CLAIM_NUMBERS_H_
