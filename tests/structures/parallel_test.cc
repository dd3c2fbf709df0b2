// The executors: every index once, workers apart, exceptions carried out.
#include "structures/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "structures/team.h"
#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

std::vector<Executor> executors() {
  std::vector<Executor> all = parallel_executors(3);
  for (Backend backend : {Backend::kSerial, Backend::kOpenMp, Backend::kTbb}) all.emplace_back(backend, 1);
  return all;
}

TEST(Executor, CoversEveryIndexOnceInChunksOfTheGrain) {
  for (const Executor& executor : executors()) {
    for (std::size_t count : {0, 1, 2, 15, 16, 17, 1000}) {
      for (std::size_t grain : {0, 1, 3, 16, 5000}) {
        std::vector<std::atomic<int>> visits(count);
        std::atomic<bool> sane = true;
        executor.for_chunks(count, grain, [&](std::size_t begin, std::size_t end, int worker) {
          if (begin >= end || end - begin > std::max<std::size_t>(grain, 1)) sane = false;
          if (worker < 0 || worker >= executor.threads()) sane = false;
          for (std::size_t i = begin; i < end; ++i) ++visits[i];
        });
        EXPECT_TRUE(sane);
        for (const auto& visit : visits) ASSERT_EQ(visit, 1) << to_string(executor.backend()) << " " << count;
      }
    }
  }
}

TEST(Executor, OneWorkerNumberIsNeverInTwoChunksAtOnce) {
  for (const Executor& executor : executors()) {
    std::vector<std::atomic<int>> busy(static_cast<std::size_t>(executor.threads()));
    std::atomic<bool> clash = false;
    executor.for_chunks(2000, 1, [&](std::size_t, std::size_t, int worker) {
      auto& mine = busy[static_cast<std::size_t>(worker)];
      if (mine.fetch_add(1) != 0) clash = true;
      mine.fetch_sub(1);
    });
    EXPECT_FALSE(clash) << to_string(executor.backend());
  }
}

TEST(Executor, CarriesAnExceptionOut) {
  for (const Executor& executor : executors()) {
    const auto fail = [](std::size_t begin, std::size_t, int) {
      if (begin == 7) throw std::runtime_error("seven");
    };
    EXPECT_THROW(executor.for_chunks(100, 1, fail), std::runtime_error) << to_string(executor.backend());
    executor.for_chunks(100, 1, [](std::size_t, std::size_t, int) {});  // and is none the worse for it
  }
}

TEST(Executor, RefusesNonsense) {
  EXPECT_THROW(Executor(Backend::kTbb, 0), ParamError);
  EXPECT_THROW(Executor(Backend::kOpenMp, -1), ParamError);
  EXPECT_THROW(Executor(Backend::kSerial, 2), ParamError);
  EXPECT_THROW(parse_backend("openmpi"), ParamError);
  for (const std::string& name : backend_names()) EXPECT_EQ(to_string(parse_backend(name)), name);
}

// More threads than cores, too: asked for eight, a backend gives eight or says that it cannot.
TEST(Team, RunsOnAsManyThreadsAsAskedForAllAtOnce) {
  std::vector<Executor> all = executors();
  for (const Executor& more : parallel_executors(8)) all.push_back(more);
  for (const Executor& executor : all) {
    for (int round = 0; round < 3; ++round) {
      std::atomic<int> inside = 0;
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(executor.threads()));
      run_together(executor, [&](int worker) {
        ++calls[static_cast<std::size_t>(worker)];
        ++inside;
        while (inside < executor.threads()) std::this_thread::yield();  // nobody leaves before all are in
      });
      for (const auto& call : calls) EXPECT_EQ(call, 1) << to_string(executor.backend());
      EXPECT_EQ(inside, executor.threads()) << to_string(executor.backend());
    }
  }
}

TEST(Team, CarriesAnExceptionOut) {
  for (const Executor& executor : executors()) {
    EXPECT_THROW(run_together(executor,
                              [](int worker) {
                                if (worker == 0) throw std::runtime_error("zero");
                              }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace bloomery::test
