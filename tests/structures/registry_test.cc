// Structures that come from outside of the registry's own table.
#include <gtest/gtest.h>

#include "structures/keys.h"
#include "structures/null.h"
#include "tests/structures/support.h"

namespace bloomery::test {
namespace {

RegistryEntry named(const std::string& name) { return {name, "an entry of a test", true, false, make<Null>}; }

std::string refusal(const std::string& name) {
  try {
    register_structure(named(name));
  } catch (const ParamError& error) {
    EXPECT_EQ(error.name(), "structure");
    return error.what();
  }
  return "";
}

TEST(RegisterStructure, IsFoundMadeAndDescribedByItsName) {
  const RegistryEntry* const before = &find_structure("bloofi");
  register_structure(named("from_outside"));
  EXPECT_EQ(&find_structure("bloofi"), before) << "entries must not move";
  EXPECT_EQ(structure_names().back(), "from_outside");
  EXPECT_EQ(find_structure("from_outside").about, "an entry of a test");
  EXPECT_NE(make_structure("from_outside", Params()), nullptr);
  EXPECT_EQ(describe(find_structure("from_outside")).size(), describe(find_structure("null")).size());
  EXPECT_EQ(refusal("from_outside"), "structure 'from_outside' is there already; choose another name");
}

TEST(RegisterStructure, RefusesNamesThatAreTakenOrNoNames) {
  const std::size_t before = registry().size();
  EXPECT_EQ(refusal("bloofi"), "structure 'bloofi' is there already; choose another name");
  for (const std::string name : {"", "My Structure", "a/b", "a;b", "caf\xc3\xa9"}) {
    EXPECT_EQ(refusal(name), "'" + name + "' is no name of a structure; it must be of a-z, 0-9 and _");
  }
  EXPECT_EQ(registry().size(), before);
}

// The published test vectors of XXH3 with 64 bits and seed 0: keys must be the same on every machine.
TEST(KeyOf, IsXxh3) {
  EXPECT_EQ(key_of(""), 0x2d06800538d394c2U);
  EXPECT_NE(key_of("a"), key_of("b"));
  EXPECT_NE(key_of(std::string_view("a\0", 2)), key_of("a"));
}

}  // namespace
}  // namespace bloomery::test
