#include "experiments/launched.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "experiments/errors.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

// Beside the program, as built, or where it is installed.
void* load_mpi() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  std::string why;
  for (const fs::path& file : {folder / "libbloomery_mpi.so", folder / "../lib/bloomery/libbloomery_mpi.so"}) {
    // Open MPI's own plug-ins look its symbols up in the program.
    if (void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    if (why.empty() || fs::exists(file)) why = ::dlerror();
  }
  throw InputError(
      fmt::format("mpirun started {} processes, but Open MPI cannot be used: {}; install openmpi-bin and build where "
                  "libopenmpi-dev "
                  "is, or start the program without mpirun",
                  launched_ranks(), why));
}

// When a rank dies, mpirun ends the others: say what that means for the results.
void say_ended(int) {
  constexpr std::string_view kText =
      "\nbloomery: ended by mpirun, because another rank or a host was lost; every completed row is in its rows.csv, "
      "and "
      "the same command goes on from there with any number of ranks\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(kNothingMeasured);
}

}  // namespace

int launched_ranks() {
  const char* text = std::getenv("OMPI_COMM_WORLD_SIZE");
  return text == nullptr ? 1 : std::atoi(text);
}

Launched::Launched() {
  if (launched_ranks() < 2) return;
  const auto connect = reinterpret_cast<Connect>(::dlsym(load_mpi(), kConnectName));
  if (connect == nullptr) throw InputError("libbloomery_mpi.so is of another version; build it anew");
  connection_.reset(connect());
  if (serves()) return;
  std::signal(SIGTERM, say_ended);
  set_ranks(&connection_->ranks());
}

Launched::~Launched() { set_ranks(nullptr); }

}  // namespace bloomery
