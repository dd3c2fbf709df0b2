// The hot paths that the regression gate watches, and the builds of structures/ that it runs them in.
#ifndef BLOOMERY_EXPERIMENTS_GATE_KERNELS_H_
#define BLOOMERY_EXPERIMENTS_GATE_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "experiments/gate/module.h"

namespace bloomery {

enum class HotPath {
  kHit,        // batches of keys that are in
  kMiss,       // batches of keys that are not
  kInsert,     // batches of keys into set 0, emptied before
  kComeAndGo,  // sets that are inserted and erased
};

struct KernelSpec {
  std::string name;  // "bloom hit"
  std::string structure;
  std::string params;  // "key=value;key=value"
  HotPath path = HotPath::kHit;
  std::size_t sets = 1;
  std::size_t keys_per_set = 1;
};

const std::vector<KernelSpec>& gate_kernels();

// A build of structures/ as a shared object, loaded apart from all others. Never unloaded.
class Module {
 public:
  explicit Module(const std::filesystem::path& file);  // throws InputError for what is no such object
  const GateModule& operator*() const { return *module_; }
  const GateModule* operator->() const { return module_; }

 private:
  const GateModule* module_;
};

// Keys for every kernel: distinct below 2^31, which is all that the multiplicative hash looks at.
std::uint64_t gate_key(std::uint64_t i);

// A kernel of one build, ready to run.
class Kernel {
 public:
  Kernel(const Module& module, const KernelSpec& spec);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  const std::string& missing() const { return missing_; }  // why this build does not have it; "" if it has
  std::size_t most() const;                                // keys, or sets, that one run may take

  void prepare();                                  // before each run, untimed
  void run(std::size_t begin, std::size_t count);  // [begin, begin + count) of what there is

  // Keys that are in and not found; asked for with everything in.
  std::uint64_t denied();

 private:
  bool try_out();

  const GateModule& module_;
  const KernelSpec& spec_;
  std::shared_ptr<const std::vector<std::uint64_t>> held_;   // the keys of all sets
  std::shared_ptr<const std::vector<std::uint64_t>> asked_;  // what is asked for or inserted
  void* it_ = nullptr;
  std::string missing_;
};

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_GATE_KERNELS_H_
