// Which of many sets may hold a key?
#include <structures/keys.h>
#include <structures/registry.h>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  // Ten thousand shops, each with a hundred articles of its own.
  std::vector<std::vector<bloomery::Key>> shops(10'000);
  for (std::size_t shop = 0; shop < shops.size(); ++shop) {
    for (int i = 0; i < 100; ++i) {
      shops[shop].push_back(bloomery::key_of("article " + std::to_string(shop) + "/" + std::to_string(i)));
    }
  }

  // [index_of_sets]
  const auto index = bloomery::make_structure(
      "flat_bloofi", bloomery::Params({{"n_exp", "100"}, {"rho", "0.001"}, {"hash", "double"}, {"layout", "rows"}}));
  const std::vector<bloomery::Keys> sets(shops.begin(), shops.end());
  index->build(sets, bloomery::Executor(bloomery::Backend::kTbb, 2));  // shops[i] is set i

  const std::vector<bloomery::Key> wanted = {bloomery::key_of("article 17/3"), bloomery::key_of("article 4711/99")};
  bloomery::Matches matches;
  index->query_timed(wanted, matches);
  for (const bloomery::Match& match : matches.view()) {
    std::printf("article %u: perhaps in shop %u\n", match.index, match.set);
  }

  index->erase(17);                // a shop closes,
  index->insert(10'000, wanted);   // another opens,
  index->replace(4711, shops[0]);  // and one changes what it sells
  // [index_of_sets]

  const auto holds = [&](bloomery::Match match) {
    for (const bloomery::Match& found : matches.view()) {
      if (found == match) return true;
    }
    return false;
  };
  const bool before = holds({0, 17}) && holds({1, 4711});
  matches.clear();
  index->query_timed(wanted, matches);
  return before && holds({0, 10'000}) && holds({1, 10'000}) && !holds({0, 17}) ? 0 : 1;
}
