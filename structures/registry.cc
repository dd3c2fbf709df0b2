#include "structures/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "structures/blocked_bloom.h"
#include "structures/bloofi.h"
#include "structures/bloom.h"
#include "structures/counting_bloom.h"
#include "structures/bloom_tree.h"
#include "structures/compressed_bloom.h"
#include "structures/dynamic_blocked_bloom.h"
#include "structures/exact.h"
#include "structures/external_blocked_bloom.h"
#include "structures/flat_bloofi.h"
#include "structures/line_read.h"
#include "structures/naive.h"
#include "structures/null.h"
#include "structures/overflow_blocked_bloom.h"
#include "structures/partitioned_bloom_tree.h"
#include "structures/scalable_bloom.h"
#include "structures/sharded.h"
#include "structures/sliced_bloofi.h"
#include "structures/split_block_bloom.h"
#include "structures/stream.h"
#include "structures/yoon_tree.h"

namespace bloomery {
namespace {

constexpr bool kMany = true, kOne = false;

// name, what it is, how many sets, whether it answers, how it is made
const RegistryEntry kRegistry[] = {
    {"null", "hashes the keys and answers nothing: the floor", kMany, false, make<Null>},
    {"stream", "reads as many bytes as flat rows do, in sequence: the pace of the memory", kMany, false, make<Stream>},
    {"line_read", "reads one random cache line a key, many in flight: the pace of the memory", kOne, false, make<LineRead>},
    {"exact", "hash table from key to sets: the truth", kMany, true, make<Exact>},
    {"bloom", "standard Bloom filter of one set", kOne, true, make<Bloom>},
    {"counting_bloom", "counters of 4 bits instead of bits: keys can be removed", kOne, true, make<CountingBloom>},
    {"blocked_bloom", "blocks of a cache line, a page or any size; all bits of a key in one", kOne, true,
     make<BlockedBloom>},
    {"split_block_bloom", "one block of 32 or 64 bytes a key, one bit in each of its lanes", kOne, true,
     make<SplitBlockBloom>},
    {"scalable_bloom", "chain of ever tighter filters that grows with its set", kOne, true, make<ScalableBloom>},
    {"dynamic_blocked_bloom", "blocks that grow on their own when they are full", kOne, true, make<DynamicBlockedBloom>},
    {"external_blocked_bloom", "growing blocks in a file, a page each: one page a lookup", kOne, true,
     make<ExternalBlockedBloom>},
    {"overflow_blocked_bloom", "full blocks spill into a smaller, tighter filter of blocks", kOne, true,
     make<OverflowBlockedBloom>},
    {"compressed_bloom", "few hash functions and a large array that is small when sent", kOne, true,
     make<CompressedBloom>},
    {"bloom_tree", "tree of small filters, one below every bit of the filter above", kOne, true, make<BloomTree>},
    {"partitioned_bloom_tree", "a tree of small filters for each hash function of the first level", kOne, true,
     make<PartitionedBloomTree>},
    {"naive", "a list of Bloom filters, each asked in turn", kMany, true, make<Naive>},
    {"yoon_tree", "search tree whose nodes hash a key once for the child where it goes on", kMany, true,
     make<YoonTree>},
    {"bloofi", "tree of Bloom filters, each inner node the OR of its children", kMany, true, make<Bloofi>},
    {"flat_bloofi", "bit-sliced Bloom filters: one AND tests 64 sets or more", kMany, true, make<FlatBloofi>},
    {"sliced_bloofi", "bit-sliced tree: groups of sets above flat rows", kMany, true, make<SlicedBloofi>},
    {"sharded", "any index of many sets, spread over processes by Open MPI", kMany, true,
     [](Params& params) { return make_sharded(find_structure("flat_bloofi"), params); }},
};

Registry& entries() {
  static Registry all(std::begin(kRegistry), std::end(kRegistry));
  return all;
}

bool is_name(const std::string& text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && std::ranges::all_of(text, fits);
}

const RegistryEntry* find(const std::string& name) {
  const auto found = std::ranges::find(entries(), name, &RegistryEntry::name);
  return found == entries().end() ? nullptr : &*found;
}

// "sharded/bloofi": made when it is first asked for, and not listed.
const RegistryEntry* find_sharded(const std::string& name) {
  constexpr std::string_view kPrefix = "sharded/";
  if (!name.starts_with(kPrefix)) return nullptr;
  const RegistryEntry& inner = find_structure(name.substr(kPrefix.size()));
  if (!inner.many_sets || inner.name.starts_with("sharded")) {
    throw ParamError("inner", fmt::format("inner is '{}'; it must be an index of many sets in one process", inner.name));
  }
  static std::mutex mutex;
  static std::map<std::string, RegistryEntry> made;
  const std::scoped_lock lock(mutex);
  const auto make = [&inner](Params& params) { return make_sharded(inner, params); };
  const RegistryEntry entry{name, inner.name + ", spread over processes by Open MPI", true, inner.answers, make};
  return &made.try_emplace(name, entry).first->second;
}

}  // namespace

const Registry& registry() { return entries(); }

void register_structure(RegistryEntry entry) {
  if (!is_name(entry.name)) {
    throw ParamError("structure",
                     fmt::format("'{}' is no name of a structure; it must be of a-z, 0-9 and _", entry.name));
  }
  if (find(entry.name) != nullptr) {
    throw ParamError("structure", fmt::format("structure '{}' is there already; choose another name", entry.name));
  }
  entries().push_back(std::move(entry));
}

std::vector<std::string> structure_names() {
  std::vector<std::string> names;
  for (const auto& entry : entries()) names.push_back(entry.name);
  return names;
}

const RegistryEntry& find_structure(const std::string& name) {
  if (const RegistryEntry* entry = find(name)) return *entry;
  if (const RegistryEntry* entry = find_sharded(name)) return *entry;
  throw ParamError("structure", fmt::format("unknown structure '{}'{}", name, suggestion(name, structure_names())));
}

std::vector<ParamSpec> describe(const RegistryEntry& entry) {
  Params params;
  entry.make(params);
  return params.specs();
}

std::unique_ptr<AnyStructure> make_structure(const std::string& name, Params params) {
  auto structure = find_structure(name).make(params);
  params.expect_all_taken();
  return structure;
}

}  // namespace bloomery
