// Any index of many sets, spread over the ranks of ranks.h: set i is on rank i mod R. A batch of queries is broadcast
// and every rank asks its own sets; inserts, replacements and deletions go to the rank that has the set. Answers are
// the same for any number of ranks, as long as those of the inner structure depend on each set alone (not so in
// yoon_tree, where they depend on the set's number, too).
//
// While the others work, rank 0 asks its own sets; a batch goes out in pieces, so that a rank works on one while the
// next is on its way and the answer to the one before goes back.
//
// Thread safety: every call waits for the one before, so that all of them may come from any thread. Threads do not make
// it faster; ranks do.
#ifndef BLOOMERY_STRUCTURES_SHARDED_H_
#define BLOOMERY_STRUCTURES_SHARDED_H_

#include <memory>
#include <string>

#include "structures/any_structure.h"

namespace bloomery {

struct RegistryEntry;

// Takes `ranks`, `piece` and `timeout` beside the parameters of the inner structure. No rank but this one hears of it
// before it is first used, so that it may be described and checked where there are no others.
std::unique_ptr<AnyStructure> make_sharded(const RegistryEntry& inner, Params& params);

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_SHARDED_H_
