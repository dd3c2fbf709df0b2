#include "experiments/gate_kernels.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "experiments/errors.h"
#include "experiments/workload.h"

namespace bloomery {
namespace {

using KeyList = std::shared_ptr<const std::vector<std::uint64_t>>;

constexpr std::size_t kPool = 1 << 16;        // keys asked for in turn: more than a branch predictor learns by heart
constexpr std::size_t kComing = 64;           // sets that come and go
constexpr std::uint64_t kFilterKeys = 16384;  // a filter of some 20 KB: the hot path and not the memory is judged

void add_filter(std::vector<KernelSpec>& kernels, const std::string& name, const std::string& structure,
                const std::string& params) {
  kernels.push_back({name + " hit", structure, params, HotPath::kHit, 1, kFilterKeys});
  kernels.push_back({name + " miss", structure, params, HotPath::kMiss, 1, kFilterKeys});
  kernels.push_back({name + " insert", structure, params, HotPath::kInsert, 1, kFilterKeys});
}

void add_index(std::vector<KernelSpec>& kernels, const std::string& name, const std::string& structure,
               const std::string& params, std::size_t sets) {
  kernels.push_back({name + " hit", structure, params, HotPath::kHit, sets, 50});
  kernels.push_back({name + " miss", structure, params, HotPath::kMiss, sets, 50});
  kernels.push_back({name + " come and go", structure, params, HotPath::kComeAndGo, sets, 50});
}

std::vector<KernelSpec> make_kernels() {
  std::vector<KernelSpec> kernels;
  const std::string sized = "n_exp=16384";
  add_filter(kernels, "bloom", "bloom", sized);
  add_filter(kernels, "counting", "counting_bloom", sized);
  add_filter(kernels, "blocked", "blocked_bloom", sized + ";block_bytes=64");
  add_filter(kernels, "split block", "split_block_bloom", sized);
  add_filter(kernels, "scalable", "scalable_bloom", "start=2048");
  add_filter(kernels, "dynamic blocked", "dynamic_blocked_bloom", sized);
  add_filter(kernels, "bloom tree", "bloom_tree", sized);
  const std::string filters = "n_exp=100;rho=0.01";
  add_index(kernels, "exact", "exact", "", 256);
  add_index(kernels, "naive", "naive", filters, 64);
  add_index(kernels, "bloofi", "bloofi", filters, 256);
  add_index(kernels, "flat words", "flat_bloofi", filters + ";layout=words", 512);
  add_index(kernels, "flat rows", "flat_bloofi", filters + ";layout=rows", 512);
  add_index(kernels, "sliced", "sliced_bloofi", filters + ";upper=always", 2048);
  return kernels;
}

KeyList keys_of(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t i = 0; i < count; ++i) keys[i] = gate_key(first + i);
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(keys));
}

// Drawn with replacement.
KeyList drawn_from(const std::vector<std::uint64_t>& keys) {
  Random random(1, 0, Random::kQueries);
  std::vector<std::uint64_t> drawn(kPool);
  for (std::uint64_t& key : drawn) key = keys[random.below(keys.size())];
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(drawn));
}

KeyList asked_of(const KernelSpec& spec, const KeyList& held) {
  switch (spec.path) {
    case HotPath::kHit:
      return drawn_from(*held);
    case HotPath::kInsert:
      return held;
    case HotPath::kMiss:
      return keys_of(held->size(), kPool);
    case HotPath::kComeAndGo:
      break;
  }
  return keys_of(held->size(), kComing * spec.keys_per_set);
}

}  // namespace

const std::vector<KernelSpec>& gate_kernels() {
  static const std::vector<KernelSpec> kernels = make_kernels();
  return kernels;
}

std::uint64_t gate_key(std::uint64_t i) { return (i * 0x9e3779b1U + 12345) & 0x7fffffffU; }

Module::Module(const std::filesystem::path& file) {
  // Local: the symbols of two builds have the same names.
  void* handle = ::dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw InputError(fmt::format("cannot load {}", ::dlerror()));
  const auto entry = reinterpret_cast<GateEntry>(::dlsym(handle, kGateEntry));
  if (entry == nullptr) throw InputError(fmt::format("{} is no build of structures for the gate", file.string()));
  module_ = entry();
  if (module_->version != kGateVersion) {
    throw InputError(fmt::format("{} is of version {} of the gate's interface; this is version {}: build it again",
                                 file.string(), module_->version, kGateVersion));
  }
}

Kernel::Kernel(const Module& module, const KernelSpec& spec)
    : module_(*module), spec_(spec), held_(keys_of(0, spec.sets * spec.keys_per_set)), asked_(asked_of(spec, held_)) {
  const char* why = "";
  const GateSets sets{held_->data(), spec.sets, spec.keys_per_set};
  it_ = module_.make(spec.name.c_str(), spec.structure.c_str(), spec.params.c_str(), sets, &why);
  if (it_ == nullptr) {
    missing_ = why;
  } else if (!try_out()) {
    missing_ = "the structure cannot do this";
  }
}

Kernel::~Kernel() {
  if (it_ != nullptr) module_.free(it_);
}

std::size_t Kernel::most() const {
  return spec_.path == HotPath::kComeAndGo ? asked_->size() / spec_.keys_per_set : asked_->size();
}

bool Kernel::try_out() {
  if (spec_.path == HotPath::kInsert) return module_.insert(it_, held_->data(), 1) > 0;
  if (spec_.path != HotPath::kComeAndGo) return true;
  return module_.come_and_go(it_, static_cast<std::uint32_t>(spec_.sets), {asked_->data(), 1, spec_.keys_per_set});
}

void Kernel::prepare() {
  if (spec_.path == HotPath::kInsert) module_.clear(it_);
}

void Kernel::run(std::size_t begin, std::size_t count) {
  if (spec_.path == HotPath::kInsert) {
    module_.insert(it_, asked_->data() + begin, count);
  } else if (spec_.path == HotPath::kComeAndGo) {
    const GateSets coming{asked_->data() + begin * spec_.keys_per_set, count, spec_.keys_per_set};
    module_.come_and_go(it_, static_cast<std::uint32_t>(spec_.sets), coming);
  } else {
    module_.query(it_, asked_->data() + begin, count);
  }
}

std::uint64_t Kernel::denied() {
  if (spec_.path == HotPath::kInsert) {
    module_.clear(it_);
    module_.insert(it_, held_->data(), held_->size());
  }
  std::vector<std::uint32_t> owners(held_->size());
  for (std::size_t i = 0; i < owners.size(); ++i) owners[i] = static_cast<std::uint32_t>(i / spec_.keys_per_set);
  return module_.denied(it_, held_->data(), owners.data(), owners.size());
}

}  // namespace bloomery
