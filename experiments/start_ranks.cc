#include "experiments/start_ranks.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "experiments/environment.h"
#include "experiments/errors.h"
#include "experiments/launched.h"
#include "experiments/numbers.h"

namespace bloomery {
namespace {

using Words = std::vector<std::string>;

Words command_line(const Options& options, const std::string& experiment, int ranks) {
  Words words = {"mpirun", "-n", std::to_string(ranks), "--bind-to", "none"};
  if (ranks > available_cores()) words.push_back("--oversubscribe");
  if (::geteuid() == 0) words.push_back("--allow-run-as-root");
  words.insert(words.end(), {std::filesystem::read_symlink("/proc/self/exe").string(), "run"});
  for (const auto& path : options.paths) words.push_back(path.string());
  words.insert(words.end(),
               {"--profile", options.profile, "--only", experiment, "--results", options.results.string()});
  for (const std::string& set : options.set) words.insert(words.end(), {"--set", set});
  if (!options.shard.empty()) words.insert(words.end(), {"--shard", options.shard});
  if (options.force) words.push_back("--force");
  if (options.share_host) words.push_back("--share-host");
  return words;
}

// The exit code of a command that was started, or minus an errno.
int run_program(Words& words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(stdout);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (error != 0) return -error;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -errno;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int ranks_to_start(const std::vector<Unit>& units) {
  std::uint64_t most = 1;
  for (const Unit& unit : units) {
    const auto ranks = unit.settings.find("ranks");
    if (unit.structure.starts_with("sharded") && ranks != unit.settings.end()) {
      most = std::max(most, parse_integer(ranks->second).value_or(1));
    }
  }
  return launched_ranks() > 1 ? 1 : static_cast<int>(most);
}

int run_with_ranks(const Options& options, const std::string& experiment, int ranks) {
  fmt::print("{}: starting {} processes with mpirun\n", experiment, ranks);
  Words words = command_line(options, experiment, ranks);
  const int code = run_program(words);
  if (code >= 0) return code;
  fmt::print(
      stderr,
      "bloomery: experiment '{}' asks for {} ranks, but mpirun cannot be started: {}; install openmpi-bin, or take "
      "--set ranks=1\n",
      experiment, ranks, std::strerror(-code));
  return kBadInput;
}

}  // namespace bloomery
