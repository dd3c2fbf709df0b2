// The papers' claims on the page: all of them in one list, and each again beside the figure that it is about.
#ifndef BLOOMERY_EXPERIMENTS_REPORT_CLAIMS_H_
#define BLOOMERY_EXPERIMENTS_REPORT_CLAIMS_H_

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "experiments/claims.h"

namespace bloomery {

// In the order in which a reader wants them.
inline constexpr std::array kVerdicts = {ClaimVerdict::kHolds, ClaimVerdict::kFails, ClaimVerdict::kUndecided,
                                         ClaimVerdict::kNotTestable, ClaimVerdict::kMissing};

std::size_t count_claims(const std::vector<EvaluatedClaim>& claims, ClaimVerdict verdict);

// HTML; "" without claims.
std::string claim_list(const std::vector<const EvaluatedClaim*>& claims);  // with what was measured
std::string claims_section(const std::vector<EvaluatedClaim>& claims);     // of all, each with a link to its place

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_REPORT_CLAIMS_H_
