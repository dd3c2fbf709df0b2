// Second part of the regression gate: the instructions that each kernel takes, counted under callgrind.
//
// Counts are compared with those of the base built by the same compiler on the same machine, not with stored ones:
// another compiler, C library or CPU (which chooses memcpy) gives other counts without any change of ours.
#ifndef BLOOMERY_EXPERIMENTS_GATE_INSTRUCTIONS_H_
#define BLOOMERY_EXPERIMENTS_GATE_INSTRUCTIONS_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/gate_kernels.h"

namespace bloomery {

// By kernel; a kernel that the build does not have is left out.
using InstructionCounts = std::map<std::string, std::uint64_t>;

// Counts in a process of this program's own for each of the builds, at the same time. `folder` is for their files.
// Throws InputError where valgrind is missing or fails.
std::vector<InstructionCounts> count_instructions(const std::vector<std::filesystem::path>& modules,
                                                  const std::string& only, const std::filesystem::path& folder);

// What such a process does: runs the kernels whose names contain `only`, telling callgrind where each begins and ends.
int run_kernels_for_callgrind(const std::filesystem::path& module, const std::string& only);

// Adds the counts of one file that callgrind wrote.
void read_callgrind(const std::filesystem::path& file, InstructionCounts& counts);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_GATE_INSTRUCTIONS_H_
