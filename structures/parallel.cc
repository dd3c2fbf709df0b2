#include "structures/parallel.h"

#include <fmt/format.h>
#include <omp.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <stdexcept>

#include "structures/params.h"

namespace bloomery {
namespace {

std::size_t chunks_of(std::size_t count, std::size_t grain) { return (count + grain - 1) / grain; }

// OpenMP must not let an exception leave a parallel region; the first one is carried out and thrown after it.
class FirstException {
 public:
  template <class F>
  void guard(F&& f) {
    try {
      f();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!first_) first_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

// OMP_THREAD_LIMIT and OMP_DYNAMIC may have the last word.
void expect_threads(int given, int wanted) {
  if (given != wanted) throw std::runtime_error(fmt::format("OpenMP gives {} of the {} threads asked for", given, wanted));
}

}  // namespace

struct Executor::Arena {
  explicit Arena(int threads) : arena(threads) { allow_more_threads_than_cores(); }

  // Otherwise oneTBB would run on as many threads as there are cores and say nothing.
  static void allow_more_threads_than_cores() {
    static const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, kMostThreads);
  }
  static constexpr std::size_t kMostThreads = 1024;
  tbb::task_arena arena;
};

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names = {"serial", "openmp", "tbb"};
  return names;
}

Backend parse_backend(const std::string& name) {
  const auto it = std::ranges::find(backend_names(), name);
  if (it == backend_names().end()) {
    throw ParamError("backend", fmt::format("unknown backend '{}'{}", name, suggestion(name, backend_names())));
  }
  return static_cast<Backend>(it - backend_names().begin());
}

std::string to_string(Backend backend) { return backend_names()[static_cast<std::size_t>(backend)]; }

Executor::Executor(Backend backend, int threads) : backend_(backend), threads_(threads) {
  if (threads < 1) throw ParamError("threads", fmt::format("threads is {}; it must be 1 or more", threads));
  if (backend == Backend::kSerial && threads > 1) {
    throw ParamError("threads", fmt::format("threads is {}, but the serial backend has 1; use openmp or tbb", threads));
  }
  if (backend == Backend::kTbb) arena_ = std::make_shared<Arena>(threads);
}

void Executor::for_chunks(std::size_t count, std::size_t grain, const Body& body) const {
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t chunks = chunks_of(count, grain);
  const auto run = [&](std::size_t chunk, int worker) {
    body(chunk * grain, std::min(count, (chunk + 1) * grain), worker);
  };
  if (backend_ == Backend::kSerial || threads_ == 1) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) run(chunk, 0);
  } else if (backend_ == Backend::kOpenMp) {
    FirstException first;
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 1)
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      first.guard([&] {
        expect_threads(omp_get_num_threads(), threads_);
        run(chunk, omp_get_thread_num());
      });
    }
    first.rethrow();
  } else {
    arena_->arena.execute([&] {
      tbb::parallel_for(
          std::size_t{0}, chunks,
          [&](std::size_t chunk) { run(chunk, tbb::this_task_arena::current_thread_index()); },
          tbb::simple_partitioner());
    });
  }
}

}  // namespace bloomery
