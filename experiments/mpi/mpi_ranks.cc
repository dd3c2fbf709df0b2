// Ranks over Open MPI.
//
// Commands that all ranks get travel down a binomial tree: a rank passes one on before it obeys it. Answers go straight
// to rank 0. Nothing here blocks inside MPI, so that a rank that does not answer can be told from one that is slow, and
// so that a rank with nothing to do can sleep instead of spinning.
#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <list>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "experiments/launched.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAnswerTag = 0;
constexpr int kDirectTag = 0;  // a command for one rank; one for all has the number of ranks as its tag

// Spins while answers and commands follow each other closely, then sleeps ever longer: ranks that wait for rank 0 to
// prepare and check data must not take its processor time.
class Patience {
 public:
  void wait() {
    if (Clock::now() - since_ < std::chrono::milliseconds(2)) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(nap_);
      nap_ = std::min(nap_ * 2, std::chrono::microseconds(1000));
    }
  }
  Clock::duration waited() const { return Clock::now() - since_; }

 private:
  const Clock::time_point since_ = Clock::now();
  std::chrono::microseconds nap_{50};
};

// Messages on their way, kept until MPI has taken them.
class Outbox {
 public:
  void send(const std::shared_ptr<const Message>& message, int rank, int tag, MPI_Comm where) {
    if (message->size() > INT_MAX) throw std::runtime_error("a message between ranks is over 2 GiB");
    tidy();
    letters_.push_back({message, MPI_REQUEST_NULL});
    MPI_Isend(message->data(), static_cast<int>(message->size()), MPI_BYTE, rank, tag, where, &letters_.back().request);
  }
  void tidy() {
    std::erase_if(letters_, [](Letter& letter) {
      int done = 0;
      MPI_Test(&letter.request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
  }
  bool empty() const { return letters_.empty(); }

 private:
  struct Letter {
    std::shared_ptr<const Message> message;
    MPI_Request request;
  };
  std::list<Letter> letters_;  // a request stays where it is
};

// Fills `message` with what waits from this rank, if anything does.
bool take(int source, MPI_Comm where, Message& message, int& tag) {
  int there = 0;
  MPI_Message handle;
  MPI_Status status;
  MPI_Improbe(source, MPI_ANY_TAG, where, &there, &handle, &status);
  if (there == 0) return false;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  message.resize(static_cast<std::size_t>(size));
  MPI_Mrecv(message.data(), size, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
  tag = status.MPI_TAG;
  return true;
}

class MpiConnection final : public Connection, public Ranks {
 public:
  MpiConnection() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) throw std::runtime_error("this Open MPI is built without threads");
    MPI_Comm_dup(MPI_COMM_WORLD, &commands_);
    MPI_Comm_dup(MPI_COMM_WORLD, &answers_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    MPI_Get_processor_name(name, &length);
    hosts_.resize(static_cast<std::size_t>(count_) * sizeof name);
    MPI_Allgather(name, sizeof name, MPI_CHAR, hosts_.data(), sizeof name, MPI_CHAR, MPI_COMM_WORLD);
  }

  ~MpiConnection() override {
    if (lost_) MPI_Abort(MPI_COMM_WORLD, 3);  // to leave together is no longer possible
    if (rank_ == 0) broadcast(count_, {});
    drain();
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  Ranks& ranks() override { return *this; }
  int count() const override { return count_; }
  std::string host_of(int rank) const override {
    return hosts_.data() + static_cast<std::size_t>(rank) * MPI_MAX_PROCESSOR_NAME;
  }
  int hosts(int ranks) const override {
    std::set<std::string> names;
    for (int rank = 0; rank < ranks; ++rank) names.insert(host_of(rank));
    return static_cast<int>(names.size());
  }

  void broadcast(int ranks, Message message) override {
    pass_on(std::make_shared<const Message>(std::move(message)), ranks);
  }
  void send(int rank, Message message) override {
    outbox_.send(std::make_shared<const Message>(std::move(message)), rank, kDirectTag, commands_);
  }

  Message receive(int rank, std::chrono::seconds within) override {
    Message message;
    int tag = kAnswerTag;
    for (Patience patience; !take(rank, answers_, message, tag); patience.wait()) {
      outbox_.tidy();
      if (patience.waited() < within) continue;
      lost_ = true;
      throw RankLost(
          fmt::format("rank {} on {} has not answered for {} s; it or its host is lost, or the work of one "
                      "call takes longer: then raise `timeout`",
                      rank, host_of(rank), within.count()));
    }
    return message;
  }

  void serve(const std::function<Message(MessageView)>& answer) override {
    for (;;) {
      auto command = std::make_shared<Message>();
      int tag = kDirectTag;
      for (Patience patience; !take(MPI_ANY_SOURCE, commands_, *command, tag); patience.wait()) outbox_.tidy();
      if (tag != kDirectTag) pass_on(command, tag);
      if (command->empty()) return;
      outbox_.send(std::make_shared<const Message>(answer(*command)), 0, kAnswerTag, answers_);
    }
  }

 private:
  // Rank r has its parent where its lowest bit is cleared, and one child for each power of two below that bit.
  void pass_on(const std::shared_ptr<const Message>& message, int ranks) {
    for (int step = 1; step < ranks && (rank_ & step) == 0; step *= 2) {
      if (rank_ + step < ranks) outbox_.send(message, rank_ + step, ranks, commands_);
    }
  }

  void drain() {
    for (Patience patience; !outbox_.empty(); outbox_.tidy()) patience.wait();
  }

  int rank_ = 0, count_ = 1;
  MPI_Comm commands_ = MPI_COMM_NULL, answers_ = MPI_COMM_NULL;
  std::vector<char> hosts_;  // names, each in as many letters as MPI allows
  Outbox outbox_;
  bool lost_ = false;
};

}  // namespace
}  // namespace bloomery

extern "C" bloomery::Connection* bloomery_connect() { return new bloomery::MpiConnection; }
