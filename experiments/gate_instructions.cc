#include "experiments/gate_instructions.h"

#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>

#include "experiments/errors.h"
#include "experiments/gate_build.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWarm = 64;
constexpr std::size_t kCounted = 2048;  // keys, or as many as there are
constexpr std::size_t kCountedSets = 16;

void run_counted(Kernel& kernel, const KernelSpec& spec) {
  const std::size_t wanted = spec.path == HotPath::kComeAndGo ? kCountedSets : kCounted;
  const std::size_t count = std::min(wanted, kernel.most());
  kernel.prepare();
  kernel.run(0, std::min(kWarm, count));  // what is only done once, is not counted
  kernel.prepare();
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  kernel.run(0, count);
  CALLGRIND_DUMP_STATS_AT(spec.name.c_str());
  CALLGRIND_STOP_INSTRUMENTATION;
}

InstructionCounts counted(const fs::path& module, const std::string& only, const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::vector<std::string> command = {"valgrind",
                                            "--tool=callgrind",
                                            "--instr-atstart=no",
                                            "--callgrind-out-file=" + (folder / "counts").string(),
                                            fs::read_symlink("/proc/self/exe").string(),
                                            "gate-kernels",
                                            module.string(),
                                            "--kernels",
                                            only};
  run_tool(command, folder / "log", "counting instructions under valgrind");
  InstructionCounts counts;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("counts")) read_callgrind(entry.path(), counts);
  }
  return counts;
}

}  // namespace

void read_callgrind(const fs::path& file, InstructionCounts& counts) {
  constexpr std::string_view kTrigger = "desc: Trigger: Client Request: ", kSummary = "summary: ";
  std::ifstream in(file);
  std::string name;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kTrigger)) name = line.substr(kTrigger.size());
    if (!line.starts_with(kSummary) || name.empty()) continue;
    std::uint64_t count = 0;
    std::from_chars(line.data() + kSummary.size(), line.data() + line.size(), count);
    if (count > 0) counts[name] = count;
  }
}

std::vector<InstructionCounts> count_instructions(const std::vector<fs::path>& modules, const std::string& only,
                                                  const fs::path& folder) {
  std::vector<InstructionCounts> all(modules.size());
  std::vector<std::exception_ptr> errors(modules.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < modules.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          all[i] = counted(modules[i], only, folder / fmt::format("callgrind-{}", i));
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return all;
}

int run_kernels_for_callgrind(const fs::path& file, const std::string& only) {
  const Module module(file);
  for (const KernelSpec& spec : gate_kernels()) {
    if (spec.name.find(only) == std::string::npos) continue;
    Kernel kernel(module, spec);
    if (kernel.missing().empty()) {
      run_counted(kernel, spec);
    } else {
      fmt::print(stderr, "{}: {}\n", spec.name, kernel.missing());
    }
  }
  return kOk;
}

}  // namespace bloomery
