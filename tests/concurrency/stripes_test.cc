// Every key is put exactly once, and no two threads are ever in one block at a time.
#include "structures/stripes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "tests/concurrency/storm.h"

namespace bloomery::test {
namespace {

constexpr std::size_t kThreads = 4, kRounds = 4;

std::uint64_t block_of(std::uint64_t key, std::uint64_t blocks) { return key * 0x9e3779b97f4a7c15U % blocks; }

// What the threads did to the blocks. The counts are plain: with two threads in a block some would be lost, and
// ThreadSanitizer would say so.
struct Blocks {
  explicit Blocks(std::uint64_t count) : puts(count), inside(count) {}
  void put(std::uint64_t block) {
    if (inside[block].exchange(true)) met = true;
    ++puts[block];
    inside[block] = false;
  }
  std::vector<std::uint64_t> puts;
  std::vector<std::atomic<bool>> inside;
  std::atomic<bool> met = false;
};

void expect_all_put_once(std::uint64_t blocks, std::size_t batch) {
  SCOPED_TRACE(testing::Message() << blocks << " blocks, batches of " << batch);
  Stripes stripes(blocks);
  Blocks seen(blocks);
  run_together(kThreads, [&](std::size_t thread) {
    for (std::size_t round = 0; round < kRounds; ++round) {
      const std::uint64_t first = (thread * kRounds + round) * batch;
      stripes.insert(
          batch, [&](std::size_t i) { return first + i; },
          [&](std::uint64_t key) { return block_of(key, blocks); },
          [&](std::uint64_t key) { seen.put(block_of(key, blocks)); });
    }
  });
  std::vector<std::uint64_t> expected(blocks);
  for (std::uint64_t key = 0; key < kThreads * kRounds * batch; ++key) ++expected[block_of(key, blocks)];
  EXPECT_EQ(seen.puts, expected);
  EXPECT_FALSE(seen.met);
}

TEST(Stripes, EveryKeyIsPutOnceAndAlone) {
  for (const std::uint64_t blocks : {1U, 7U, 8U, 9U, 64U, 1000U}) {
    for (const std::size_t batch : {0U, 1U, 127U, 128U, 129U, 5000U}) expect_all_put_once(blocks, batch);
  }
}

}  // namespace
}  // namespace bloomery::test
