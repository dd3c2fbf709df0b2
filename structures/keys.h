// From keys of other types to the 64 bits that structures take.
#ifndef BLOOMERY_STRUCTURES_KEYS_H_
#define BLOOMERY_STRUCTURES_KEYS_H_

#include <string_view>

#include "structures/structure.h"

namespace bloomery {

// XXH3 of the bytes: the same on every machine, so that sets built elsewhere can be asked for the same strings. Two of
// n strings collide with probability n^2 / 2^65, far below what any filter here lets through.
Key key_of(std::string_view bytes);

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_KEYS_H_
