// A rolling window over a batch: what a key will need is asked of the memory long before the key's turn comes.
#ifndef BLOOMERY_STRUCTURES_ROLLING_H_
#define BLOOMERY_STRUCTURES_ROLLING_H_

#include <algorithm>
#include <cstddef>

namespace bloomery {

// Keys between the prefetch and the use: more than a core has misses in flight, few enough to stay in L1.
inline constexpr std::size_t kInFlight = 64;

// Both are inlined into their caller, whatever they cost: what the calls capture then stays in registers, where it would
// be loaded anew for every key.

// Calls ask(i), which prefetches and returns what is to be remembered, kAhead turns before use(i, remembered).
template <std::size_t kAhead = kInFlight, class Ask, class Use>
[[gnu::always_inline]] inline void roll(std::size_t count, Ask&& ask, Use&& use) {
  decltype(ask(std::size_t{0})) ring[kAhead];
  for (std::size_t i = 0; i < std::min(count, kAhead); ++i) ring[i] = ask(i);
  std::size_t i = 0;
  for (; i + kAhead < count; ++i) {
    const auto now = ring[i % kAhead];
    ring[i % kAhead] = ask(i + kAhead);
    use(i, now);
  }
  for (; i < count; ++i) use(i, ring[i % kAhead]);
}

// The same with a look in between, after which more can be fetched: ask(i) returns what is to be remembered, kAhead
// turns later look(i, remembered) may change it, and as many turns after that use(i, remembered) ends it.
template <std::size_t kAhead, class Ask, class Look, class Use>
[[gnu::always_inline]] inline void roll_twice(std::size_t count, Ask&& ask, Look&& look, Use&& use) {
  decltype(ask(std::size_t{0})) ring[2 * kAhead];
  for (std::size_t turn = 0; turn < count + 2 * kAhead; ++turn) {
    const std::size_t looked = turn - kAhead, used = turn - 2 * kAhead;  // wrap around, out of range, before their time
    if (used < count) use(used, ring[used % (2 * kAhead)]);
    if (looked < count) look(looked, ring[looked % (2 * kAhead)]);
    if (turn < count) ring[turn % (2 * kAhead)] = ask(turn);
  }
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_ROLLING_H_
