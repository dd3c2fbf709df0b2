// The two builds of structures/ that the gate compares: of the tree this program was built from, and of a base commit.
#ifndef BLOOMERY_EXPERIMENTS_GATE_BUILD_H_
#define BLOOMERY_EXPERIMENTS_GATE_BUILD_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bloomery {

// Runs a command without a shell, its output into a file. Throws InputError "what ... failed" with the end of the
// output.
void run_tool(const std::vector<std::string>& command, const std::filesystem::path& log, const std::string& what);

// The full name of a commit of the repository this program was built from; nothing where it does not have it.
std::optional<std::string> find_commit(const std::string& name);

struct BuildPair {
  std::filesystem::path head, base, control;  // shared objects; the control is a copy of the base
  std::string base_name;                      // what HEAD is compared with, in words
  std::vector<std::string> notes;             // why it is not what was asked for
};

// `base` is a commit, "" for the one recorded in `recorded`. What is built already and up to date is not built again.
// Throws InputError where HEAD cannot be built or a base that was asked for by name does not exist.
BuildPair make_builds(const std::string& base, const std::filesystem::path& recorded, const std::filesystem::path& folder);

// Ready-made ones.
BuildPair given_builds(const std::filesystem::path& head, const std::filesystem::path& base,
                    const std::filesystem::path& folder);

// Writes HEAD's name. Throws InputError where structures/ has changes that are not committed.
std::string record_base(const std::filesystem::path& recorded);

// The commit in the file; "" where there is no file.
std::string recorded_base(const std::filesystem::path& recorded);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_GATE_BUILD_H_
