#include "structures/maintenance.h"

namespace bloomery {

std::size_t lane_of_thread() {
  static std::atomic<std::size_t> threads = 0;
  thread_local const std::size_t lane = threads.fetch_add(1, std::memory_order_relaxed) % kLanes;
  return lane;
}

bool Epochs::seen_empty(unsigned phase) {
  for (; seen_ < kLanes; ++seen_) {
    Counter& inside = lanes_[seen_].inside[phase];
    // A look first leaves the line with its reader; the read-modify-write is what later queries read from.
    if (inside.load(std::memory_order_relaxed) != 0 || inside.fetch_add(0, std::memory_order_acq_rel) != 0) return false;
  }
  seen_ = 0;
  return true;
}

void Epochs::look() {
  if (looking_ == kIdle) {
    ++now_;  // what is unlinked from here on waits for the next round
    looking_ = kFirst;
  }
  const unsigned idle = 1 - phase_.load(std::memory_order_relaxed);
  if (looking_ == kFirst) {
    if (!seen_empty(idle)) return;
    phase_.store(idle, std::memory_order_relaxed);
    looking_ = kSecond;
  }
  if (!seen_empty(1 - phase_.load(std::memory_order_relaxed))) return;
  passed_ = now_;
  looking_ = kIdle;
}

Maintenance::Maintenance(Params& params, std::unique_ptr<Epochs> epochs) {
  const std::string mechanism = params.choice("maintenance", "exclusive", {"exclusive", "lock", "shards", "epochs"},
                                              "sets come and go alone, under one lock or many, or while queries go on");
  if (mechanism == "exclusive") return;
  shared_ = std::make_unique<Shards>(mechanism == "lock" ? 1 : kLanes);
  if (mechanism == "epochs") epochs_ = epochs ? std::move(epochs) : std::make_unique<Epochs>();
}

// Shards are always taken in the same order, so that two changes never hold what the other waits for.
Changing::Changing(Maintenance& maintenance) : maintenance_(maintenance) {
  if (!maintenance_.shared_) return;
  for (std::size_t i = 0; i < maintenance_.shared_->count; ++i) maintenance_.shared_->shards[i].lock.lock();
  if (maintenance_.epochs_) maintenance_.epochs_->look();
}

Changing::~Changing() {
  if (!maintenance_.shared_) return;
  for (std::size_t i = maintenance_.shared_->count; i-- > 0;) maintenance_.shared_->shards[i].lock.unlock();
}

}  // namespace bloomery
