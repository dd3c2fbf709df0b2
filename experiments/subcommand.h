// What a subcommand that brings options of its own adds to the program.
#ifndef BLOOMERY_EXPERIMENTS_SUBCOMMAND_H_
#define BLOOMERY_EXPERIMENTS_SUBCOMMAND_H_

#include <functional>

namespace CLI {
class App;
}

namespace bloomery {

// What is run in the end, set by the subcommand that was given. Returns an exit code.
using Chosen = std::function<int()>;

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_SUBCOMMAND_H_
