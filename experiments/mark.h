// Where in a file a value was written.
#ifndef BLOOMERY_EXPERIMENTS_MARK_H_
#define BLOOMERY_EXPERIMENTS_MARK_H_

#include <stdexcept>
#include <string>

namespace bloomery {

struct Mark {
  int line = 0;  // counted from 1; 0 when the value did not come from a file
  int column = 0;
};

// "What is wrong; what would be right" at a place. load_experiment, which knows the file, makes an InputError of it.
struct MarkedError : std::runtime_error {
  MarkedError(Mark place, const std::string& what) : std::runtime_error(what), mark(place) {}
  Mark mark;
};

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_MARK_H_
