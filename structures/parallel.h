// Threads through OpenMP or oneTBB, behind one call, so that an experiment can compare the two.
#ifndef BLOOMERY_STRUCTURES_PARALLEL_H_
#define BLOOMERY_STRUCTURES_PARALLEL_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bloomery {

enum class Backend { kSerial, kOpenMp, kTbb };

const std::vector<std::string>& backend_names();  // serial, openmp, tbb
Backend parse_backend(const std::string& name);   // throws ParamError
std::string to_string(Backend backend);

// Runs chunks of an index range on a fixed number of workers. Copyable; cheap to pass by reference.
class Executor {
 public:
  Executor() : Executor(Backend::kSerial, 1) {}
  Executor(Backend backend, int threads);  // throws ParamError for threads < 1, or > 1 with the serial backend

  int threads() const { return threads_; }
  Backend backend() const { return backend_; }

  // Calls body(begin, end, worker) for disjoint chunks of at most `grain` indices that cover [0, count). Chunks with the
  // same worker number never run at the same time; 0 <= worker < threads().
  using Body = std::function<void(std::size_t begin, std::size_t end, int worker)>;
  void for_chunks(std::size_t count, std::size_t grain, const Body& body) const;

 private:
  struct Arena;  // a tbb::task_arena, kept out of this header
  Backend backend_;
  int threads_;
  std::shared_ptr<Arena> arena_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_PARALLEL_H_
