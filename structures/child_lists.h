// The ordered child lists of a tree, all in one array: no heap block a node.
#ifndef BLOOMERY_STRUCTURES_CHILD_LISTS_H_
#define BLOOMERY_STRUCTURES_CHILD_LISTS_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "structures/bits.h"
#include "structures/maintenance.h"
#include "structures/stable_array.h"

namespace bloomery {

// A list is a run of 2^c entries, and one word that says where it is and how long. It changes by being written anew
// elsewhere: a query that has read the word goes on with the list as it was. Old runs wait in limbo, then for the next
// list of their size.
class ChildLists {
 public:
  using NodeId = std::uint32_t;

  void add_node(NodeId node) {
    if (node >= lists_.size()) lists_.resize(node + std::size_t{1});
  }
  std::span<const NodeId> of(NodeId node) const {
    const auto [begin, count] = std::bit_cast<List>(load_acquire(&lists_[node]));
    return {entries_.data() + begin, count};
  }
  std::size_t count(NodeId node) const { return of(node).size(); }

  // The node's children are now these, for queries at once and all together.
  void assign(NodeId node, std::span<const NodeId> children, const Maintenance& maintenance) {
    const List old = std::bit_cast<List>(lists_[node]);
    List list = {0, static_cast<std::uint32_t>(children.size())};
    if (!children.empty()) {
      list.begin = new_run(size_class(children.size()));
      std::copy(children.begin(), children.end(), entries_.data() + list.begin);
    }
    store_release(&lists_[node], std::bit_cast<Word>(list));
    if (old.count > 0) old_runs_.add(old, maintenance);
  }
  void recycle(const Maintenance& maintenance) {
    old_runs_.release(maintenance, [this](List old) { free_[size_class(old.count)].push_back(old.begin); });
  }

  std::size_t place_of(NodeId node, NodeId child) const {
    const auto children = of(node);
    return static_cast<std::size_t>(std::ranges::find(children, child) - children.begin());
  }

  std::uint64_t memory_bytes() const { return entries_.memory_bytes() + lists_.memory_bytes(); }

 private:
  struct List {
    std::uint32_t begin;
    std::uint32_t count;
  };
  static_assert(sizeof(List) == sizeof(Word));

  static std::size_t size_class(std::size_t count) {
    return static_cast<std::size_t>(std::bit_width(std::max<std::size_t>(count, 4) - 1));
  }

  std::uint32_t new_run(std::size_t size_class) {
    auto& spare = free_[size_class];
    if (!spare.empty()) {
      const std::uint32_t begin = spare.back();
      spare.pop_back();
      return begin;
    }
    const std::size_t begin = entries_.size();
    entries_.resize(begin + (std::size_t{1} << size_class));
    return static_cast<std::uint32_t>(begin);
  }

  StableArray<NodeId> entries_;
  StableArray<Word> lists_;  // a List each
  std::array<std::vector<std::uint32_t>, 33> free_;
  Limbo<List> old_runs_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_CHILD_LISTS_H_
