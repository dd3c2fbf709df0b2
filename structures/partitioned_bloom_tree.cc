#include "structures/partitioned_bloom_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace bloomery {
namespace {

constexpr std::size_t kKeysATask = 1024;  // a task takes far longer than it takes to start one

std::size_t tasks_for(Keys keys) { return (keys.size() + kKeysATask - 1) / kKeysATask; }

Keys keys_of(Keys keys, std::size_t task) {
  return keys.subspan(task * kKeysATask, std::min(kKeysATask, keys.size() - task * kKeysATask));
}

// What each task found, and what it cost.
struct Part {
  Matches found;
  Cost cost;
};

int usual_threads() { return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 64U)); }

}  // namespace

PartitionedBloomTree::PartitionedBloomTree(Params& params) : tree_(params, true) {
  const std::string name =
      params.choice("parallel", "none", {"none", "keys", "partitions"}, "what the threads share of a batch");
  const auto threads = static_cast<int>(params.integer("threads", static_cast<std::uint64_t>(usual_threads()), 1, 64,
                                                       "of a batch, unless parallel is none"));
  spread_ = name == "none" ? Spread::kNone : name == "keys" ? Spread::kKeys : Spread::kPartitions;
  if (spread_ == Spread::kNone) return;
  // Partitions that meet in a word are written by two threads.
  if (!tree_.atomic()) throw ParamError("atomic", fmt::format("atomic is false, but parallel is {}", name));
  executor_ = Executor(Backend::kTbb, threads);
}

Cost PartitionedBloomTree::insert(SetId id, Keys keys) {
  if (spread_ == Spread::kNone) return tree_.insert(id, keys);
  const bool by_keys = spread_ == Spread::kKeys;
  std::vector<Cost> costs(by_keys ? tasks_for(keys) : tree_.branches());
  executor_.for_chunks(costs.size(), 1, [&](std::size_t task, std::size_t, int) {
    costs[task] = by_keys ? tree_.insert(id, keys_of(keys, task)) : tree_.insert_branches(keys, {task, task + 1});
  });
  Cost sum;
  for (const Cost& cost : costs) sum += cost;
  return sum;
}

Cost PartitionedBloomTree::replace(SetId id, Keys keys) {
  tree_.replace(id, {});
  return insert(id, keys);
}

// A key is in if every partition says yes.
template <bool kCount>
Cost PartitionedBloomTree::query_partitions(Keys keys, Matches& out) const {
  std::vector<Part> parts(tree_.branches());
  executor_.for_chunks(parts.size(), 1, [&](std::size_t j, std::size_t, int) {
    parts[j].cost = tree_.query_branches<kCount>(keys, {j, j + 1}, parts[j].found);
  });
  std::vector<std::uint8_t> yes(keys.size());
  Cost sum;
  for (const Part& part : parts) {
    for (const Match& match : part.found.view()) ++yes[match.index];
    sum += part.cost;
  }
  out.ensure(keys.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) out.push(i, 0, yes[i] == parts.size());
  return sum;
}

template <bool kCount>
Cost PartitionedBloomTree::query_keys(Keys keys, Matches& out) const {
  std::vector<Part> parts(tasks_for(keys));
  executor_.for_chunks(parts.size(), 1, [&](std::size_t task, std::size_t, int) {
    parts[task].cost = tree_.query<kCount>(keys_of(keys, task), parts[task].found);
  });
  Cost sum;
  out.ensure(keys.size());
  for (std::size_t task = 0; task < parts.size(); ++task) {
    const auto begin = static_cast<std::uint32_t>(task * kKeysATask);
    for (const Match& match : parts[task].found.view()) out.push(begin + match.index, 0);
    sum += parts[task].cost;
  }
  return sum;
}

template <bool kCount>
Cost PartitionedBloomTree::query(Keys keys, Matches& out) const {
  switch (spread_) {
    case Spread::kKeys:
      return query_keys<kCount>(keys, out);
    case Spread::kPartitions:
      return query_partitions<kCount>(keys, out);
    case Spread::kNone:
      break;
  }
  return tree_.query<kCount>(keys, out);
}

template Cost PartitionedBloomTree::query<true>(Keys, Matches&) const;
template Cost PartitionedBloomTree::query<false>(Keys, Matches&) const;

}  // namespace bloomery
