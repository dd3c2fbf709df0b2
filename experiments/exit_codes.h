// Exit codes of the commands that judge; those of all commands are in errors.h.
#ifndef BLOOMERY_EXPERIMENTS_EXIT_CODES_H_
#define BLOOMERY_EXPERIMENTS_EXIT_CODES_H_

#include <algorithm>

#include "experiments/errors.h"

namespace bloomery {

inline constexpr ExitCode kRegressed{1};  // gate: not as before
inline constexpr ExitCode kTooNoisy{4};   // gate: the control did not come out equal
inline constexpr ExitCode kGotSlower{6};     // compare: at least one point got worse

// The worse of two results: a wrong answer outranks a missing one.
inline int worse(int a, int b) { return a == kOk ? b : b == kOk ? a : std::min(a, b); }

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_EXIT_CODES_H_
