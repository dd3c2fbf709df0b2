// One filter that is filled, asked, weighed and compressed: for the paper about filters that are sent.
#ifndef BLOOMERY_EXPERIMENTS_TRANSFER_H_
#define BLOOMERY_EXPERIMENTS_TRANSFER_H_

#include <memory>

#include "experiments/phases.h"

namespace bloomery {

std::unique_ptr<Scenario> start_transfer(const Unit& unit, Inputs& inputs);

// ---- what it shares with the scenarios beside it ----

// Every query is of a key that is in no set: each that is found is wrong, once, whatever number of sets is named.
Judge judge_absent();

// What a structure is worth, into the row: rates, sizes, and where the point stands in the tree's parameters.
void add_worth(Row& row, const Unit& unit, const Worth& worth);

// Keys that are in no set of the workload, of which posteriors are computed.
std::vector<Key> absent_sample(const RunSettings& settings, Key first_miss);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_TRANSFER_H_
