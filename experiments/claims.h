// The claims of experiments against their rows: what figures, report and claims.csv say of each.
#ifndef BLOOMERY_EXPERIMENTS_CLAIMS_H_
#define BLOOMERY_EXPERIMENTS_CLAIMS_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/config.h"
#include "experiments/rows.h"

namespace bloomery {

enum class ClaimVerdict {
  kHolds,
  kFails,        // "does not hold": a finding, not an error
  kUndecided,    // the noise is larger than the difference
  kNotTestable,  // not in this profile, or not here at all; `reason` says which
  kMissing,      // planned rows are not there: `reason` says which
};

struct EvaluatedClaim {
  std::string id;
  std::string experiment;
  std::string paper;
  std::string where;  // "section 7.2.1, Fig. 5a"
  std::string figure;
  std::string says;
  std::string check;  // with its settings: "search_time[Flat-Bloofi] < search_time[Bloofi] at N = 100"
  ClaimVerdict verdict = ClaimVerdict::kMissing;
  std::string measured;  // "0.118 < 1.17"
  std::string interval;  // 95 %, of what decides: "left - right [-1.1, -0.98]"
  std::size_t rows = 0;  // that the verdict rests on
  std::string published;
  std::string reason;  // for every verdict but kHolds and kFails
};

// holds, does not hold, undecided, not testable here, rows missing
const char* verdict_name(ClaimVerdict verdict);

// All claims of an experiment, in its order.
std::vector<EvaluatedClaim> evaluate_claims(const Experiment& experiment, const std::vector<Row>& rows);

// RFC 4180, one line a claim. Throws IoError.
void write_claims(const std::filesystem::path& file, const std::vector<EvaluatedClaim>& claims);

// "41 hold, 6 do not hold, ..."; verdicts that no claim has are left out.
std::string claim_counts(const std::vector<EvaluatedClaim>& claims);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CLAIMS_H_
