// A check against rows: from an expression to what it says of them.
#ifndef BLOOMERY_EXPERIMENTS_CLAIM_EVALUATOR_H_
#define BLOOMERY_EXPERIMENTS_CLAIM_EVALUATOR_H_

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/claim.h"
#include "experiments/claims.h"
#include "experiments/config.h"
#include "experiments/rows.h"

namespace bloomery {

struct Finding {
  ClaimVerdict verdict = ClaimVerdict::kHolds;
  std::string measured;
  std::string interval;
  std::string reason;
  std::size_t rows = 0;
};

// Does the plan of this experiment hold what the check names? Throws ExpressionError, or UnplannedError (claim_plan.h)
// if another profile's plan may.
void expect_planned(const Claim& claim, const Experiment& experiment);

Finding evaluate(const Claim& claim, const Experiment& experiment, const std::vector<Row>& rows);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CLAIM_EVALUATOR_H_
