// What the gate asks of a build of structures/ that it has loaded as a shared object: plain C, so that two builds which
// lay out their classes differently can be in one process.
#ifndef BLOOMERY_EXPERIMENTS_GATE_MODULE_H_
#define BLOOMERY_EXPERIMENTS_GATE_MODULE_H_

#include <cstddef>
#include <cstdint>

namespace bloomery {

struct GateSets {
  const std::uint64_t* keys;  // those of set 0, then those of set 1, ...
  std::size_t sets;
  std::size_t keys_per_set;
};

struct GateModule {
  int version;
  // A structure that holds these sets; params are "key=value;key=value". Null if that cannot be, and `why` says so
  // (until the next call).
  void* (*make)(const char* kernel, const char* structure, const char* params, GateSets sets, const char** why);
  void (*free)(void* it);
  std::uint64_t (*query)(void* it, const std::uint64_t* keys, std::size_t count);   // in batches, untimed counters off
  void (*clear)(void* it);                                                          // nothing is in afterwards
  std::uint64_t (*insert)(void* it, const std::uint64_t* keys, std::size_t count);  // into set 0, in batches
  // Sets that come, from id `first` on, and go again; 0 if it cannot.
  int (*come_and_go)(void* it, std::uint32_t first, GateSets sets);
  // How many of these keys are not found in the set that holds them.
  std::uint64_t (*denied)(void* it, const std::uint64_t* keys, const std::uint32_t* sets, std::size_t count);
};

inline constexpr int kGateVersion = 1;
inline constexpr std::size_t kGateBatch = 64;
inline constexpr const char* kGateEntry = "bloomery_gate_module";  // a function without arguments: GateEntry

using GateEntry = const GateModule* (*)();

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_GATE_MODULE_H_
