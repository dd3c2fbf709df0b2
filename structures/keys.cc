#include "structures/keys.h"

#include <xxhash.h>

namespace bloomery {

Key key_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace bloomery
