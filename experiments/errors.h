// Errors that end the program with one message and an exit code of their own.
#ifndef BLOOMERY_EXPERIMENTS_ERRORS_H_
#define BLOOMERY_EXPERIMENTS_ERRORS_H_

#include <stdexcept>

namespace bloomery {

enum ExitCode : int {
  kOk = 0,
  kWrongAnswer = 1,      // a false negative, or an invariant that does not hold
  kBadInput = 2,         // usage, or a config that is not valid
  kNothingMeasured = 3,  // no rows where rows were expected
  kIoError = 5,          // a file that cannot be read or written
};

struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct IoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_ERRORS_H_
