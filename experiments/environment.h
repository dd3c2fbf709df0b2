// The machine and the build that produced a set of rows.
#ifndef BLOOMERY_EXPERIMENTS_ENVIRONMENT_H_
#define BLOOMERY_EXPERIMENTS_ENVIRONMENT_H_

#include <filesystem>
#include <cstdint>
#include <string>

namespace bloomery {

int available_cores();           // what this process may run on
std::string source_hash();       // of the sources that decide a measurement
bool is_release_build();
std::uint64_t physical_memory();  // bytes

// CPU, caches, kernel, compiler and flags, commit, package versions, huge pages, governor, VM, and the profile that was
// run. Throws IoError.
void write_environment(const std::filesystem::path& file, const std::string& profile);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_ENVIRONMENT_H_
