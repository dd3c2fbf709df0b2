// One filter that several threads fill and ask at the same time.
#include <structures/keys.h>
#include <structures/registry.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

// The words that one of the threads has seen.
std::vector<bloomery::Key> words_of(int thread) {
  std::vector<bloomery::Key> keys;
  for (int i = 0; i < 250'000; ++i) {
    keys.push_back(bloomery::key_of("word " + std::to_string(thread) + " " + std::to_string(i)));
  }
  return keys;
}

}  // namespace

int main() {
  // [shared_filter]
  // A million keys at a false positive rate of 1 %, in blocks of one cache line.
  const auto filter =
      bloomery::make_structure("blocked_bloom", bloomery::Params({{"n_exp", "1000000"}, {"rho", "0.01"}}));

  const auto fill_and_ask = [&filter](const std::vector<bloomery::Key>& keys) {
    filter->insert(0, keys);    // a plain filter is set 0; inserts and queries of any threads may meet
    bloomery::Matches matches;  // one a thread, reused from batch to batch
    filter->query_timed(keys, matches);
    return matches.size();  // all of them: what was inserted is always found
  };
  // [shared_filter]

  std::vector<std::size_t> found(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] { found[static_cast<std::size_t>(t)] = fill_and_ask(words_of(t)); });
  }
  for (std::thread& thread : threads) thread.join();

  bloomery::Matches matches;
  filter->query_timed(words_of(4), matches);  // words that nobody has seen
  std::printf("found %zu %zu %zu %zu of 250000 each, and %.2f %% of the words nobody inserted\n", found[0], found[1],
              found[2], found[3], static_cast<double>(matches.size()) / 2500);
  const bool all = found == std::vector<std::size_t>(4, 250'000);
  return all && matches.size() < 250'000 / 20 ? 0 : 1;
}
