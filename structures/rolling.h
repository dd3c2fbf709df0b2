// A rolling window over a batch: what a key will need is asked of the memory long before the key's turn comes.
#ifndef BLOOMERY_STRUCTURES_ROLLING_H_
#define BLOOMERY_STRUCTURES_ROLLING_H_

#include <algorithm>
#include <cstddef>

namespace bloomery {

// Keys between the prefetch and the use: more than a core has misses in flight, few enough to stay in L1.
inline constexpr std::size_t kInFlight = 64;

// Calls ask(i), which prefetches and returns what is to be remembered, kInFlight turns before use(i, remembered).
template <class Ask, class Use>
void roll(std::size_t count, Ask&& ask, Use&& use) {
  decltype(ask(std::size_t{0})) ring[kInFlight];
  for (std::size_t i = 0; i < std::min(count, kInFlight); ++i) ring[i] = ask(i);
  std::size_t i = 0;
  for (; i + kInFlight < count; ++i) {
    const auto now = ring[i % kInFlight];
    ring[i % kInFlight] = ask(i + kInFlight);
    use(i, now);
  }
  for (; i < count; ++i) use(i, ring[i % kInFlight]);
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_ROLLING_H_
