// Several processes started by mpirun: one runs the experiments, the others hold parts of its sharded structures.
//
// Open MPI is in a library of its own beside the program, libbloomery_mpi.so, which is loaded only then: the program
// runs where there is no MPI, and pays nothing for it.
#ifndef BLOOMERY_EXPERIMENTS_LAUNCHED_H_
#define BLOOMERY_EXPERIMENTS_LAUNCHED_H_

#include <functional>
#include <memory>
#include <string>

#include "structures/ranks.h"

namespace bloomery {

// What libbloomery_mpi.so gives.
class Connection {
 public:
  virtual ~Connection() = default;  // rank 0: sends the others home; all: leave together
  virtual int rank() const = 0;
  virtual Ranks& ranks() = 0;                                                 // of rank 0
  virtual void serve(const std::function<Message(MessageView)>& answer) = 0;  // of the others, until sent home
};
using Connect = Connection* (*)();
inline constexpr const char* kConnectName = "bloomery_connect";

// How many processes mpirun has started: 1 without it.
int launched_ranks();

// This process among them, for as long as it lives; without mpirun, nothing. Throws InputError where the library or MPI
// itself is missing.
class Launched {
 public:
  Launched();
  ~Launched();
  Launched(const Launched&) = delete;
  Launched& operator=(const Launched&) = delete;

  bool serves() const { return connection_ != nullptr && connection_->rank() > 0; }
  void serve() { connection_->serve(make_rank_server()); }

 private:
  std::unique_ptr<Connection> connection_;
};

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_LAUNCHED_H_
