#include "experiments/environment.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bloomery_source_hash.h"
#include "experiments/errors.h"

#ifndef BLOOMERY_FLAGS
#define BLOOMERY_FLAGS ""
#endif
#ifndef BLOOMERY_BUILD_TYPE
#define BLOOMERY_BUILD_TYPE ""
#endif
#ifndef BLOOMERY_SANITIZER
#define BLOOMERY_SANITIZER ""
#endif
#ifndef BLOOMERY_SOURCE_DIR
#define BLOOMERY_SOURCE_DIR "."
#endif

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string trimmed(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

// The first line of a file of /proc or /sys; "" where there is none.
std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return trimmed(line);
}

// What a command prints; "" where it fails or does not exist. Only for fixed commands.
std::string output_of(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), got);
  return ::pclose(pipe) == 0 ? trimmed(text) : "";
}

std::map<std::string, std::string> cpu_fields() {
  std::map<std::string, std::string> fields;
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    fields[trimmed(line.substr(0, colon))] = trimmed(line.substr(colon + 2));
  }
  return fields;
}

json caches() {
  json list = json::array();
  const fs::path base = "/sys/devices/system/cpu/cpu0/cache";
  for (int i = 0; fs::exists(base / fmt::format("index{}", i)); ++i) {
    const fs::path cache = base / fmt::format("index{}", i);
    list.push_back({{"level", first_line(cache / "level")},
                    {"type", first_line(cache / "type")},
                    {"size", first_line(cache / "size")},
                    {"shared_by", first_line(cache / "shared_cpu_list")}});
  }
  return list;
}

json cpu() {
  const std::map<std::string, std::string> fields = cpu_fields();
  const auto field = [&](const std::string& name) {
    const auto found = fields.find(name);
    return found == fields.end() ? "" : found->second;
  };
  return {{"model", field("model name")}, {"mhz", field("cpu MHz")},
          {"flags", field("flags")},      {"cores_online", std::thread::hardware_concurrency()},
          {"cores", available_cores()},   {"caches", caches()},
          {"governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")}};
}

json system_facts() {
  utsname name{};
  ::uname(&name);
  const std::string flags = cpu_fields()["flags"];
  const bool hypervisor = (" " + flags + " ").find(" hypervisor ") != std::string::npos;
  return {{"kernel", fmt::format("{} {} {}", name.sysname, name.release, name.machine)},
          {"distribution", output_of(". /etc/os-release && echo \"$PRETTY_NAME\"")},
          {"memory_bytes", physical_memory()},
          {"huge_pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled")},
          {"virtual_machine", hypervisor},
          {"vm_vendor", first_line("/sys/class/dmi/id/sys_vendor")}};
}

json packages() {
  json versions = json::object();
  for (const std::string name : {"libbenchmark-dev", "libtbb-dev", "libgomp1", "libeigen3-dev", "libyaml-cpp-dev",
                                 "libfmt-dev", "libxxhash-dev", "libcli11-dev", "nlohmann-json3-dev", "pybind11-dev",
                                 "python3-matplotlib", "g++"}) {
    const std::string version = output_of("dpkg-query -W -f='${Version}' " + name);
    if (!version.empty()) versions[name] = version;
  }
  return versions;
}

json build_facts() {
  const std::string git = "git -C '" BLOOMERY_SOURCE_DIR "' ";
  return {{"compiler", __VERSION__},
          {"flags", trimmed(BLOOMERY_FLAGS)},
          {"type", BLOOMERY_BUILD_TYPE},
          {"sanitizer", BLOOMERY_SANITIZER},
          {"release", is_release_build()},
          {"source_hash", source_hash()},
          {"commit", output_of(git + "rev-parse HEAD")},
          {"modified", !output_of(git + "status --porcelain --untracked-files=no").empty()}};
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::array<char, 32> text;
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text.data();
}

// A container's limit is what counts inside it; "max" and absence mean none.
std::uint64_t memory_limit(const fs::path& file) {
  const std::string text = first_line(file);
  std::uint64_t limit = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  return error == std::errc() && stop != text.data() ? limit : ~std::uint64_t{0};
}

}  // namespace

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string source_hash() { return BLOOMERY_SOURCE_HASH; }

bool is_release_build() {
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  return std::string(BLOOMERY_SANITIZER).empty();
#else
  return false;
#endif
}

std::uint64_t physical_memory() {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min({pages * page, memory_limit("/sys/fs/cgroup/memory.max"),
                   memory_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

void write_environment(const fs::path& file, const std::string& profile) {
  const json environment = {{"written", now()},         {"profile", profile},       {"cpu", cpu()},
                            {"system", system_facts()}, {"build", build_facts()}, {"packages", packages()}};
  fs::path fresh = file;
  fresh += ".new";
  std::ofstream out(fresh);
  out << environment.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
  out.close();
  std::error_code error;
  if (out) fs::rename(fresh, file, error);
  if (!out || error) throw IoError("cannot write " + file.string() + (error ? ": " + error.message() : ""));
}

}  // namespace bloomery
