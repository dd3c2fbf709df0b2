// A structure from outside of Bloomery: a plain class, then one call, and it is made by name like all the others.
#include <structures/registry.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

// [own_structure]
// Every set as a sorted list: no false positives, at 8 bytes a key.
class SortedSets {
 public:
  static constexpr bool kConcurrentInsert = false;

  explicit SortedSets(bloomery::Params& params)
      : spare_(params.integer("spare", 0, 0, 1'000'000, "keys a set has room for beyond its first ones")) {}

  bloomery::Cost insert(bloomery::SetId id, bloomery::Keys keys) {
    if (id >= sets_.size()) sets_.resize(id + 1);
    std::vector<bloomery::Key>& set = sets_[id];
    if (set.empty()) set.reserve(keys.size() + spare_);
    set.insert(set.end(), keys.begin(), keys.end());
    std::sort(set.begin(), set.end());
    return {};
  }

  template <bool kCount>  // query<false> is what is timed
  bloomery::Cost query(bloomery::Keys keys, bloomery::Matches& out) const {
    bloomery::Cost cost;
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
      out.ensure(sets_.size());
      for (bloomery::SetId id = 0; id < sets_.size(); ++id) {
        out.push(i, id, std::binary_search(sets_[id].begin(), sets_[id].end(), keys[i]));
      }
      if constexpr (kCount) cost.bf_checks += sets_.size();
    }
    return cost;
  }

  bloomery::Footprint footprint() const {
    bloomery::Footprint footprint{.nodes = sets_.size()};
    for (const auto& set : sets_) footprint.memory_bytes += set.capacity() * sizeof(bloomery::Key);
    footprint.storage_bytes = footprint.memory_bytes;
    return footprint;
  }

 private:
  std::size_t spare_;
  std::vector<std::vector<bloomery::Key>> sets_;
};

void add_sorted_sets() {
  bloomery::register_structure(
      {"sorted_sets", "every set as a sorted list", /*many_sets=*/true, /*answers=*/true, bloomery::make<SortedSets>});
}
// [own_structure]

int main() {
  add_sorted_sets();
  const auto mine = bloomery::make_structure("sorted_sets", bloomery::Params({{"spare", "8"}}));
  const auto theirs = bloomery::make_structure("exact", bloomery::Params());
  const std::vector<bloomery::Key> odd = {1, 3, 5, 7}, prime = {2, 3, 5, 7};
  for (const auto& structure : {mine.get(), theirs.get()}) {
    structure->insert(0, odd);
    structure->insert(1, prime);
  }
  const std::vector<bloomery::Key> asked = {1, 2, 3, 4};
  bloomery::Matches own, right;
  mine->query_timed(asked, own);
  theirs->query_timed(asked, right);
  std::printf("%zu matches, %zu in truth\n", own.size(), right.size());
  const bool same = std::ranges::is_permutation(own.view(), right.view());

  try {  // its parameters are checked and described like those of any other
    bloomery::make_structure("sorted_sets", bloomery::Params({{"spar", "8"}}));
  } catch (const bloomery::ParamError& error) {
    std::printf("%s\n", error.what());
    return same && std::string(error.what()) == "unknown parameter 'spar'; did you mean 'spare'?" ? 0 : 1;
  }
  return 1;
}
