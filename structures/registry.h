// Every structure by name. Adding one is a line in registry.cc, or, from outside of this repository, a call of
// register_structure.
#ifndef BLOOMERY_STRUCTURES_REGISTRY_H_
#define BLOOMERY_STRUCTURES_REGISTRY_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "structures/any_structure.h"

namespace bloomery {

struct RegistryEntry {
  std::string name;
  std::string about;  // one line
  bool many_sets;     // false for a plain filter, which only knows set 0
  bool answers;       // false for the floor that answers nothing and so is exempt from verification
  std::function<std::unique_ptr<AnyStructure>(Params&)> make;
};

using Registry = std::deque<RegistryEntry>;  // entries stay where they are while others are added
const Registry& registry();

// Adds a structure: {"mine", "what it is", true, true, make<Mine>}. Throws ParamError for a name that is not lower-case
// letters, digits and underscores, or that another structure has. Call it from main or later, not from
// the initialiser of a global, and before threads that use the registry start.
void register_structure(RegistryEntry entry);

// Throws ParamError with the nearest name. "sharded/bloofi" is sharded with bloofi inside.
const RegistryEntry& find_structure(const std::string& name);
std::vector<std::string> structure_names();

// The parameters a structure takes, asked of the structure itself.
std::vector<ParamSpec> describe(const RegistryEntry& entry);

// Constructs, and throws ParamError on a value that is unknown, ill-typed or out of range.
std::unique_ptr<AnyStructure> make_structure(const std::string& name, Params params);

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_REGISTRY_H_
