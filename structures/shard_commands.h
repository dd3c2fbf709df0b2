// What rank 0 tells the others (sharded.cc) and how they answer (shard_server.cc).
#ifndef BLOOMERY_STRUCTURES_SHARD_COMMANDS_H_
#define BLOOMERY_STRUCTURES_SHARD_COMMANDS_H_

#include <cstdint>

namespace bloomery {

// Every command is this, the number of the shard and what is said here; every answer a ShardStatus and what is said
// here. Ids of sets are those inside of the shard.
enum class ShardCommand : std::uint8_t {
  kMake,          // structure, count, {name, value}...
  kDrop,          //
  kBuildPart,     // {first part of a set?, keys}... ; sets come in the order of their ids
  kBuild,         // backend, threads -> Cost
  kInsert,        // id, keys -> able?, Cost
  kInsertFilter,  // id, words -> able?, Cost
  kReplace,       // id, keys -> able?, Cost
  kErase,         // id -> able?, Cost
  kQuery,         // counting?, keys -> Cost, packed matches
  kFootprint,     // -> Footprint
  kValidate,      // -> text
};

enum class ShardStatus : std::uint8_t {
  kDone,
  kFailed,  // and why, as a text
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_SHARD_COMMANDS_H_
