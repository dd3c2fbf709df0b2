// A build of structures for the gate that has none: each kernel is the same sum over its keys. Compiled with mistakes
// to see whether the gate finds them: FAKE_MORE does a tenth more, FAKE_DENIES denies a key, FAKE_EMPTY has no kernel,
// FAKE_VERSION is the version that it says it is of.
#include <cstdlib>

#include "experiments/gate/module.h"

#ifndef FAKE_VERSION
#define FAKE_VERSION kGateVersion
#endif

namespace bloomery {
namespace {

std::uint64_t sum(const std::uint64_t* keys, std::size_t count) {
  volatile std::uint64_t total = 0;
#ifdef FAKE_MORE
  count += count / 10;
#endif
  for (std::size_t i = 0; i < count; ++i) total = total + keys[i % kGateBatch];
  return total;
}

void* make(const char*, const char*, const char*, GateSets, const char** why) {
#ifdef FAKE_EMPTY
  *why = "nothing here";
  return nullptr;
#else
  *why = "";
  return std::malloc(1);
#endif
}

std::uint64_t query(void*, const std::uint64_t* keys, std::size_t count) { return sum(keys, count); }
std::uint64_t insert(void*, const std::uint64_t* keys, std::size_t count) { return sum(keys, count), count; }
void clear(void*) {}
int come_and_go(void*, std::uint32_t, GateSets sets) { return sum(sets.keys, sets.sets * sets.keys_per_set), 1; }

std::uint64_t denied(void*, const std::uint64_t*, const std::uint32_t*, std::size_t) {
#ifdef FAKE_DENIES
  return 1;
#else
  return 0;
#endif
}

constexpr GateModule kModule = {FAKE_VERSION, make, std::free, query, clear, insert, come_and_go, denied};

}  // namespace
}  // namespace bloomery

extern "C" const bloomery::GateModule* bloomery_gate_module() { return &bloomery::kModule; }
