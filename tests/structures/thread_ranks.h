// Ranks that are threads of this process, so that the sharded structure can be tested without MPI and under sanitizers.
#ifndef BLOOMERY_TESTS_STRUCTURES_THREAD_RANKS_H_
#define BLOOMERY_TESTS_STRUCTURES_THREAD_RANKS_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "structures/ranks.h"

namespace bloomery::test {

class Queue {
 public:
  void push(Message message) {
    const std::scoped_lock lock(mutex_);
    messages_.push_back(std::move(message));
    changed_.notify_all();
  }
  // Nothing when none came in time.
  std::optional<Message> pop(std::chrono::seconds within) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, within, [&] { return !messages_.empty(); })) return std::nullopt;
    Message front = std::move(messages_.front());
    messages_.pop_front();
    return front;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> messages_;
};

// While it lives, sharded structures spread over so many ranks.
class ThreadRanks final : public Ranks {
 public:
  explicit ThreadRanks(int count) : parts_(static_cast<std::size_t>(count)) {
    for (std::size_t rank = 1; rank < parts_.size(); ++rank)
      parts_[rank].thread = std::thread([this, rank] { serve(rank); });
    set_ranks(this);
  }
  ~ThreadRanks() override {
    set_ranks(nullptr);
    for (std::size_t rank = 1; rank < parts_.size(); ++rank) {
      parts_[rank].commands.push({});
      parts_[rank].thread.join();
    }
  }

  int count() const override { return static_cast<int>(parts_.size()); }
  int hosts(int ranks) const override { return ranks; }
  std::string host_of(int rank) const override { return "host" + std::to_string(rank); }
  void broadcast(int ranks, Message message) override {
    for (int rank = 1; rank < ranks; ++rank) send(rank, message);
  }
  void send(int rank, Message message) override {
    parts_[static_cast<std::size_t>(rank)].commands.push(std::move(message));
  }
  Message receive(int rank, std::chrono::seconds within) override {
    std::optional<Message> answer = parts_[static_cast<std::size_t>(rank)].answers.pop(within);
    if (!answer) throw RankLost("rank " + std::to_string(rank) + " has not answered");
    return std::move(*answer);
  }
  // From now on it takes commands and says nothing.
  void silence(int rank) { parts_[static_cast<std::size_t>(rank)].silent = true; }

 private:
  struct Part {
    Queue commands, answers;
    std::atomic<bool> silent = false;
    std::thread thread;
  };

  void serve(std::size_t rank) {
    Part& part = parts_[rank];
    const auto answer = make_rank_server();
    for (;;) {
      const Message command = *part.commands.pop(std::chrono::hours(1));
      if (command.empty()) return;
      Message said = answer(command);
      if (!part.silent) part.answers.push(std::move(said));
    }
  }

  std::vector<Part> parts_;
};

}  // namespace bloomery::test

#endif  // BLOOMERY_TESTS_STRUCTURES_THREAD_RANKS_H_
