#include "experiments/host_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "experiments/errors.h"

namespace bloomery {
namespace {

// Everybody may lock it, also when another user made it: the kernel refuses to create a file that is there already in a
// folder that all share.
int open_lock(const std::string& file) {
  int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0 || errno != ENOENT) return fd;
  fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd >= 0) ::fchmod(fd, 0666);  // whatever the umask says
  return fd;
}

std::string holder(int fd) {
  std::array<char, 32> text{};
  const auto got = ::pread(fd, text.data(), text.size() - 1, 0);
  return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : "?";
}

bool lock(int fd, int how) {
  while (::flock(fd, how) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

}  // namespace

HostLock::HostLock(bool share) {
  const char* allowed = std::getenv("BLOOMERY_SHARE_HOST");
  if (share || (allowed != nullptr && std::string_view(allowed) == "1")) return;
  const char* elsewhere = std::getenv("BLOOMERY_HOST_LOCK");
  const std::string file = elsewhere != nullptr ? elsewhere : "/tmp/bloomery-host.lock";
  fd_ = open_lock(file);
  if (fd_ < 0) throw IoError(fmt::format("cannot lock this host with {}: {}", file, std::strerror(errno)));
  if (!lock(fd_, LOCK_EX | LOCK_NB)) {
    fmt::print(stderr, "bloomery: process {} measures on this host; waiting for it (--share-host measures beside it)\n",
               holder(fd_));
    if (!lock(fd_, LOCK_EX))
      throw IoError(fmt::format("cannot lock this host with {}: {}", file, std::strerror(errno)));
  }
  const std::string self = std::to_string(::getpid());
  [[maybe_unused]] const bool told = ::ftruncate(fd_, 0) == 0 && ::pwrite(fd_, self.data(), self.size(), 0) > 0;
}

HostLock::~HostLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace bloomery
