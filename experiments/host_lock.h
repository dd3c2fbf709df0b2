// Two measurements on one machine disturb each other: a run holds a lock of its host while it measures.
#ifndef BLOOMERY_EXPERIMENTS_HOST_LOCK_H_
#define BLOOMERY_EXPERIMENTS_HOST_LOCK_H_

#include <string>

namespace bloomery {

// Held by one process of the host at a time, of any user. Another one waits, and says so once, with the process it
// waits for. The lock ends with its process, however that ends.
class HostLock {
 public:
  // With `share`, or BLOOMERY_SHARE_HOST=1 in the environment, nothing is locked: times are then anyone's guess.
  explicit HostLock(bool share);
  ~HostLock();
  HostLock(const HostLock&) = delete;
  HostLock& operator=(const HostLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_HOST_LOCK_H_
