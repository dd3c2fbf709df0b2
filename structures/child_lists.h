// The ordered child lists of a tree, all in one array: no heap block a node.
#ifndef BLOOMERY_STRUCTURES_CHILD_LISTS_H_
#define BLOOMERY_STRUCTURES_CHILD_LISTS_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "structures/arena.h"

namespace bloomery {

// A list owns a run of 2^c entries; one that outgrows it moves to a run twice as long, and the old run waits for the
// next list of its size.
class ChildLists {
 public:
  using NodeId = std::uint32_t;

  void add_node(NodeId node) {
    if (node >= lists_.size()) lists_.resize(node + std::size_t{1});
  }
  std::span<const NodeId> of(NodeId node) const {
    return {entries_.data() + lists_[node].begin, lists_[node].count};
  }
  std::size_t count(NodeId node) const { return lists_[node].count; }

  void insert(NodeId node, std::size_t place, NodeId child) {
    List& list = lists_[node];
    if (list.count == list.capacity()) grow(list);
    NodeId* first = entries_.data() + list.begin;
    std::copy_backward(first + place, first + list.count, first + list.count + 1);
    first[place] = child;
    ++list.count;
  }
  void push_back(NodeId node, NodeId child) { insert(node, count(node), child); }

  void remove(NodeId node, std::size_t place) {
    List& list = lists_[node];
    NodeId* first = entries_.data() + list.begin;
    std::copy(first + place + 1, first + list.count, first + place);
    --list.count;
  }

  std::size_t place_of(NodeId node, NodeId child) const {
    const auto children = of(node);
    return static_cast<std::size_t>(std::ranges::find(children, child) - children.begin());
  }

  void clear(NodeId node) {
    List& list = lists_[node];
    if (list.size_class >= 0) free_[static_cast<std::size_t>(list.size_class)].push_back(list.begin);
    list = {};
  }

  std::uint64_t memory_bytes() const { return bytes_of(entries_) + bytes_of(lists_); }

 private:
  struct List {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
    int size_class = -1;
    std::uint32_t capacity() const { return size_class < 0 ? 0 : 1U << size_class; }
  };

  void grow(List& list) {
    const int wanted = list.size_class < 0 ? 2 : list.size_class + 1;
    auto& spare = free_[static_cast<std::size_t>(wanted)];
    std::uint32_t begin = static_cast<std::uint32_t>(entries_.size());
    if (spare.empty()) {
      entries_.resize(entries_.size() + (std::size_t{1} << wanted));
    } else {
      begin = spare.back();
      spare.pop_back();
    }
    std::copy_n(entries_.begin() + list.begin, list.count, entries_.begin() + begin);
    if (list.size_class >= 0) free_[static_cast<std::size_t>(list.size_class)].push_back(list.begin);
    list = {begin, list.count, wanted};
  }

  std::vector<NodeId> entries_;
  std::vector<List> lists_;
  std::array<std::vector<std::uint32_t>, 32> free_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_CHILD_LISTS_H_
