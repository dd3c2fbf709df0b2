// The processes that a sharded structure is spread over, and how they talk. Rank 0 is where the structure is used;
// every other rank serves its own part of the sets and answers each command with one message.
//
// Here is only what is said to whom. How it travels is the business of an implementation: Open MPI in the program
// (experiments/mpi_ranks.cc), threads in the tests.
#ifndef BLOOMERY_STRUCTURES_RANKS_H_
#define BLOOMERY_STRUCTURES_RANKS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace bloomery {

using Message = std::vector<std::uint8_t>;
using MessageView = std::span<const std::uint8_t>;

// A rank that does not answer any more, or an answer that cannot be read. Nothing more can be asked after it.
struct RankLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// As rank 0 sees it. One thread at a time.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int count() const = 0;           // all ranks, 0 included
  virtual int hosts(int ranks) const = 0;  // on which the first so many are
  virtual std::string host_of(int rank) const = 0;
  virtual void broadcast(int ranks, Message message) = 0;  // to the ranks from 1 to below `ranks`; returns at once
  virtual void send(int rank, Message message) = 0;        // returns at once
  // The next answer of a rank. Throws RankLost when there is none within the time.
  virtual Message receive(int rank, std::chrono::seconds within) = 0;
};

// Who is there: nullptr, and so a single rank, unless the program has connected to others.
Ranks* ranks_here();
void set_ranks(Ranks* ranks);

// What a rank other than 0 does with a command: gives the answer. Its shards live as long as it does.
std::function<Message(MessageView)> make_rank_server();

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_RANKS_H_
