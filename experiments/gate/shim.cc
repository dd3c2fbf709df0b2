// The C face of a build of structures/. Compiled with the headers of either tree, so it uses the one interface alone.
//
// A mistake can be planted to see whether the gate finds it; nobody's structures contain any of it:
//   BLOOMERY_GATE_SLOW="bloom hit"    a tenth of this kernel's work is done twice; "*" for all kernels
//   BLOOMERY_GATE_WRONG="bloom hit"   this kernel's structure denies one key that it holds
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/gate/module.h"
#include "structures/registry.h"

#ifndef BLOOMERY_GATE_SLOW
#define BLOOMERY_GATE_SLOW ""
#endif
#ifndef BLOOMERY_GATE_WRONG
#define BLOOMERY_GATE_WRONG ""
#endif

namespace bloomery {
namespace {

constexpr std::string_view kSlow = BLOOMERY_GATE_SLOW, kWrong = BLOOMERY_GATE_WRONG;

struct Kernel {
  std::string name;
  std::map<std::string, std::string> params;
  std::unique_ptr<AnyStructure> structure;
  Matches matches;
  bool slow = false;
  bool wrong = false;
  std::size_t batches = 0;

  // Every tenth batch of a kernel that is slow on purpose.
  bool twice() { return slow && ++batches % 10 == 0; }
};

std::map<std::string, std::string> parsed(std::string_view params) {
  std::map<std::string, std::string> values;
  while (!params.empty()) {
    const std::string_view item = params.substr(0, params.find(';'));
    params.remove_prefix(std::min(params.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    values[std::string(item.substr(0, equals))] = std::string(item.substr(equals + 1));
  }
  return values;
}

std::vector<Keys> views(GateSets sets) {
  std::vector<Keys> result;
  for (std::size_t i = 0; i < sets.sets; ++i) result.emplace_back(sets.keys + i * sets.keys_per_set, sets.keys_per_set);
  return result;
}

Kernel& kernel(void* it) { return *static_cast<Kernel*>(it); }

void* make(const char* name, const char* structure, const char* params, GateSets sets, const char** why) {
  static std::string message;
  try {
    auto made = std::make_unique<Kernel>();
    made->name = structure;
    made->params = parsed(params);
    made->structure = make_structure(made->name, Params(made->params));
    made->structure->build(views(sets), Executor());
    made->slow = kSlow == "*" || kSlow == name;
    made->wrong = kWrong == name;
    return made.release();
  } catch (const std::exception& e) {
    message = e.what();
    *why = message.c_str();
    return nullptr;
  }
}

void free_kernel(void* it) { delete &kernel(it); }

template <class Body>
void in_batches(const std::uint64_t* keys, std::size_t count, Body body) {
  for (std::size_t begin = 0; begin < count; begin += kGateBatch) {
    body(Keys(keys + begin, std::min(kGateBatch, count - begin)));
  }
}

std::uint64_t query(void* it, const std::uint64_t* keys, std::size_t count) {
  Kernel& k = kernel(it);
  std::uint64_t matches = 0;
  const auto ask = [&](Keys batch) {
    k.matches.clear();
    k.structure->query_timed(batch, k.matches);
    matches += k.matches.size();
  };
  in_batches(keys, count, [&](Keys batch) {
    ask(batch);
    if (k.twice()) ask(batch);
  });
  return matches;
}

// What cannot be emptied is made anew.
void clear(void* it) {
  Kernel& k = kernel(it);
  if (!k.structure->replace(0, {})) k.structure = make_structure(k.name, Params(k.params));
}

std::uint64_t insert(void* it, const std::uint64_t* keys, std::size_t count) {
  Kernel& k = kernel(it);
  std::uint64_t inserted = 0;
  in_batches(keys, count, [&](Keys batch) {
    if (k.structure->insert(0, batch)) inserted += batch.size();
    if (k.twice()) k.structure->insert(0, batch);
  });
  return inserted;
}

int come_and_go(void* it, std::uint32_t first, GateSets sets) {
  Kernel& k = kernel(it);
  const std::vector<Keys> all = views(sets);
  const auto once = [&](std::size_t i) {
    const auto id = static_cast<SetId>(first + i);
    return k.structure->insert(id, all[i]).has_value() && k.structure->erase(id).has_value();
  };
  bool able = true;
  for (std::size_t i = 0; i < all.size() && able; ++i) {
    able = once(i);
    if (k.twice()) once(i);
  }
  return able;
}

std::uint64_t denied(void* it, const std::uint64_t* keys, const std::uint32_t* sets, std::size_t count) {
  Kernel& k = kernel(it);
  std::uint64_t found = 0;
  for (std::size_t begin = 0; begin < count; begin += kGateBatch) {
    const std::size_t size = std::min(kGateBatch, count - begin);
    k.matches.clear();
    k.structure->query_timed(Keys(keys + begin, size), k.matches);
    for (const Match& match : k.matches.view()) found += match.set == sets[begin + match.index];
  }
  return count - found + (k.wrong ? 1 : 0);
}

constexpr GateModule kModule = {kGateVersion, make, free_kernel, query, clear, insert, come_and_go, denied};

}  // namespace
}  // namespace bloomery

// Structures reserve addresses for as much as the machine has memory; under callgrind there are not that many. The
// linker puts this in place of sysconf (cmake/gate.cmake).
extern "C" long __real_sysconf(int name);
extern "C" long __wrap_sysconf(int name) {
  constexpr long kMostPages = 1 << 18;  // 1 GiB
  const long value = __real_sysconf(name);
  return name == _SC_PHYS_PAGES ? std::min(value, kMostPages) : value;
}

extern "C" __attribute__((visibility("default"))) const bloomery::GateModule* bloomery_gate_module() {
  return &bloomery::kModule;
}
