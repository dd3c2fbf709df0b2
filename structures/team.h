// Threads that all run at the same time: where an executor hands out work to whoever is free, a team is that many threads.
#ifndef BLOOMERY_STRUCTURES_TEAM_H_
#define BLOOMERY_STRUCTURES_TEAM_H_

#include <functional>

#include "structures/parallel.h"

namespace bloomery {

// Calls body(worker) once for each worker of [0, threads()), each on a thread of its own; none begins before all are
// there. Throws if the backend gives fewer threads than it was asked for, rather than running on fewer.
void run_together(const Executor& executor, const std::function<void(int worker)>& body);

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_TEAM_H_
