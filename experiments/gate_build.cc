#include "experiments/gate_build.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "experiments/environment.h"
#include "experiments/errors.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using Command = std::vector<std::string>;

const fs::path kSource = BLOOMERY_SOURCE_DIR;
const fs::path kBinary = BLOOMERY_BINARY_DIR;
const fs::path kTargets = kBinary / "gate";  // of cmake/gate.cmake

// The exit code; -1 where the program does not exist or was killed.
int run(const Command& command, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, arguments[0], &files, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  int status = 0;
  if (error != 0) return -1;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string last_lines(const std::string& text) {
  constexpr std::size_t kMost = 2000;
  return text.size() <= kMost ? text : "..." + text.substr(text.size() - kMost);
}

std::string first_word(const std::string& text) { return text.substr(0, text.find_first_of(" \t\r\n")); }

// What git prints; nothing where it fails.
std::optional<std::string> git(Command arguments) {
  std::string name = (fs::temp_directory_path() / "bloomery-git-XXXXXX").string();
  const int fd = ::mkstemp(name.data());
  if (fd < 0) throw IoError("cannot write in " + fs::temp_directory_path().string());
  ::close(fd);
  arguments.insert(arguments.begin(), {"git", "-C", kSource.string()});
  const int code = run(arguments, name);
  std::string text = text_of(name);
  fs::remove(name);
  return code == 0 ? std::optional(std::move(text)) : std::nullopt;
}

std::string short_name(const std::string& commit) { return commit.substr(0, 12); }

std::map<std::string, std::string> texts_below(const fs::path& folder) {
  std::map<std::string, std::string> texts;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) texts[fs::relative(entry.path(), folder).string()] = text_of(entry.path());
  }
  return texts;
}

// structures/ of a commit, below `folder`. One that is there already stays, and so does what was built of it.
void unpack(const std::string& commit, const fs::path& folder) {
  if (text_of(folder / "commit") == commit) return;
  fs::remove_all(folder);
  fs::create_directories(folder);
  const fs::path tar = folder / "structures.tar";
  run_tool({"git", "-C", kSource.string(), "archive", "--output", fs::absolute(tar).string(), commit, "structures"},
           folder / "log", "reading structures/ of " + commit);
  // Not the times of the commit: what was built of another one would look newer.
  run_tool({"tar", "-xmf", tar.string(), "-C", folder.string()}, folder / "log", "unpacking structures/ of " + commit);
  std::ofstream(folder / "commit") << commit;
}

// A target of cmake/gate.cmake, in the build of this program: with its compiler and its flags.
fs::path build(const std::string& target, const fs::path& folder) {
  run_tool({BLOOMERY_CMAKE, "--build", kBinary.string(), "--parallel", std::to_string(available_cores()), "--target",
            target},
           folder / "log", "building " + target);
  return kTargets / (target + ".so");
}

fs::path copied(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::remove(to);  // a mapping of an older one must not change under its process
  fs::copy_file(from, to);
  return to;
}

void compare_with_itself(BuildPair& builds, const fs::path& folder, const std::string& name, const std::string& note) {
  builds.base = copied(builds.head, folder / "base.so");
  builds.base_name = name;
  if (!note.empty()) builds.notes.push_back(note);
}

void make_base(BuildPair& builds, const std::string& commit, const fs::path& folder) {
  const fs::path unpacked = kTargets / "base-tree";
  unpack(commit, unpacked);
  if (texts_below(unpacked / "structures") == texts_below(kSource / "structures")) {
    return compare_with_itself(builds, folder, short_name(commit), "structures/ is as in " + short_name(commit));
  }
  builds.base_name = short_name(commit);
  try {
    run_tool({BLOOMERY_CMAKE, kBinary.string()}, folder / "log", "configuring the base");
    builds.base = copied(build("gate_base", folder), folder / "base.so");
  } catch (const InputError& e) {
    compare_with_itself(builds, folder, "itself",
                        fmt::format("{} has not the interface of today, so HEAD is compared with itself: {}",
                                    short_name(commit), e.what()));
  }
}

}  // namespace

void run_tool(const Command& command, const fs::path& log, const std::string& what) {
  const int code = run(command, log);
  if (code == 0) return;
  const std::string said = last_lines(text_of(log));
  throw InputError(fmt::format("{} failed: {} {}\n{}", what, command.front(),
                               code < 0 ? "cannot be run; is it installed?" : fmt::format("ended with {}", code),
                               said));
}

std::optional<std::string> find_commit(const std::string& name) {
  const auto found = git({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  return found ? std::optional(first_word(*found)) : std::nullopt;
}

std::string recorded_base(const fs::path& recorded) { return first_word(text_of(recorded)); }

BuildPair make_builds(const std::string& base, const fs::path& recorded, const fs::path& folder) {
  BuildPair builds;
  const std::string wanted = base.empty() ? recorded_base(recorded) : base;
  const auto commit = wanted.empty() ? std::nullopt : find_commit(wanted);
  if (!base.empty() && !commit) throw InputError(fmt::format("--base {}: no such commit in this repository", base));
  builds.head = copied(build("gate_head", folder), folder / "head.so");
  if (commit) {
    make_base(builds, *commit, folder);
  } else {
    compare_with_itself(
        builds, folder, "itself",
        wanted.empty() ? fmt::format("{} names no base, so HEAD is compared with itself", recorded.string())
                       : fmt::format("{} of {} is not in this clone (is it shallow?), so HEAD is compared with itself",
                                     short_name(wanted), recorded.string()));
  }
  builds.control = copied(builds.base, folder / "control.so");
  return builds;
}

BuildPair given_builds(const fs::path& head, const fs::path& base, const fs::path& folder) {
  for (const fs::path& file : {head, base}) {
    if (!fs::is_regular_file(file)) throw InputError(file.string() + ": no such file");
  }
  // The same file loaded twice would be one object.
  return {head, copied(base, folder / "base.so"), copied(base, folder / "control.so"), base.string(), {}};
}

std::string record_base(const fs::path& recorded) {
  const auto changed = git({"status", "--porcelain", "--", "structures"});
  const auto commit = find_commit("HEAD");
  if (!changed || !commit) throw InputError("not in a git repository: there is no commit to record");
  if (!changed->empty()) throw InputError("structures/ has changes that are not committed: commit them first");
  std::ofstream out(recorded, std::ios::binary);
  out << *commit << "\n";
  out.close();
  if (!out) throw IoError("cannot write " + recorded.string());
  return *commit;
}

}  // namespace bloomery
