// A statement of a paper that measured numbers can decide, as a config gives it. See docs/claims.md.
#ifndef BLOOMERY_EXPERIMENTS_CLAIM_H_
#define BLOOMERY_EXPERIMENTS_CLAIM_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/mark.h"

namespace bloomery {

struct Expression;  // claim_expression.h

// What holds for a setting in the whole check: one value, or several at each of which the check must hold. No values
// stands for all that are run.
struct ClaimAt {
  std::string name;
  std::vector<std::string> values;
};

struct Claim {
  std::string id;
  std::string says;  // what the paper says, in our words
  std::string paper;
  std::string section;
  std::string figure;
  std::string published;  // the paper's number; the name `published` in the check
  std::string check;
  std::shared_ptr<const Expression> expression;  // of the check; none where `untestable` says why
  std::vector<ClaimAt> at;
  std::string needs;       // the smallest profile whose sizes can decide it; "" if any can
  std::string untestable;  // why no number of ours can decide it; "" if one can
  std::string elsewhere;   // why this profile does not run what it names; "" if it does
  Mark mark;
};

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CLAIM_H_
