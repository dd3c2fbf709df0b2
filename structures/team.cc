#include "structures/team.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace bloomery {
namespace {

// Where the members of a team wait for each other: a backend that has fewer threads never brings the last of them.
class Gathering {
 public:
  explicit Gathering(int members) : members_(members) {}

  // Yields, because there may be fewer cores than members. False if somebody is missing; then it is for all.
  bool wait() {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    for (++here_; here_ < members_ && !given_up_;) {
      std::this_thread::yield();
      if (std::chrono::steady_clock::now() > end) given_up_ = true;
    }
    return !given_up_;
  }

 private:
  static constexpr std::chrono::seconds kPatience{10};
  const int members_;
  std::atomic<int> here_ = 0;
  std::atomic<bool> given_up_ = false;
};

}  // namespace

void run_together(const Executor& executor, const std::function<void(int worker)>& body) {
  const int members = executor.threads();
  Gathering gathering(members);
  // A member that waits keeps its thread, so that the next index goes to another one.
  executor.for_chunks(static_cast<std::size_t>(members), 1, [&](std::size_t member, std::size_t, int) {
    if (!gathering.wait()) {
      throw std::runtime_error(fmt::format("backend {} has fewer threads to give than the {} asked for; see its limits",
                                           to_string(executor.backend()), members));
    }
    body(static_cast<int>(member));
  });
}

}  // namespace bloomery
