#include "experiments/verify.h"

#include <algorithm>

#include "structures/registry.h"

namespace bloomery {
namespace {

constexpr std::size_t kBatch = 1024;

// Calls use(begin, matches) for every batch of keys.
template <class Use>
void query_all(const AnyStructure& structure, Keys keys, Use use) {
  Matches matches;
  for (std::size_t begin = 0; begin < keys.size(); begin += kBatch) {
    matches.clear();
    structure.query_timed(keys.subspan(begin, std::min(kBatch, keys.size() - begin)), matches);
    use(begin, matches);
  }
}

std::vector<Match> sorted_pairs(const Matches& matches, std::size_t first_query, SetId first_id) {
  std::vector<Match> pairs(matches.view().begin(), matches.view().end());
  for (Match& pair : pairs) {
    pair.index += static_cast<std::uint32_t>(first_query);
    pair.set += first_id;
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

Answers::Answers(Sets sets, Keys queries, SetId first_id) : offsets_(queries.size() + 1) {
  const auto exact = make_structure("exact", Params());
  exact->build(sets, Executor());
  query_all(*exact, queries, [&](std::size_t begin, const Matches& matches) {
    const std::vector<Match> pairs = sorted_pairs(matches, begin, first_id);
    pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
  });
  for (const Match& pair : pairs_) ++offsets_[pair.index + 1];
  for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
}

std::span<const Match> Answers::expected(std::size_t begin, std::size_t count) const {
  return std::span(pairs_).subspan(offsets_[begin], offsets_[begin + count] - offsets_[begin]);
}

Verdict Answers::judge(std::size_t begin, std::size_t count, const Matches& matches) const {
  const std::vector<Match> found = sorted_pairs(matches, begin, 0);
  const std::span<const Match> wanted = expected(begin, count);
  std::uint64_t common = 0;
  auto want = wanted.begin();
  for (const Match& pair : found) {
    while (want != wanted.end() && *want < pair) ++want;
    if (want != wanted.end() && *want == pair) {
      ++common;
      ++want;
    }
  }
  return {found.size(), found.size() - common, wanted.size() - common};
}

std::uint64_t count_denied(const AnyStructure& structure, std::span<const Member> members) {
  std::vector<Key> keys;
  for (const Member& member : members) keys.push_back(member.key);
  std::vector<char> confirmed(members.size());
  query_all(structure, keys, [&](std::size_t begin, const Matches& matches) {
    for (const Match& match : matches.view()) {
      const std::size_t i = begin + match.index;
      if (members[i].set == match.set) confirmed[i] = 1;
    }
  });
  return static_cast<std::uint64_t>(std::count(confirmed.begin(), confirmed.end(), 0));
}

std::shared_ptr<const Workload> Inputs::workload(const WorkloadSpec& spec) {
  if (spec_ != spec) {
    // Let go of the old data before the new is made: only one is ever in memory.
    spec_.reset();
    answers_.reset();
    workload_.reset();
    workload_ = std::make_shared<const Workload>(make_workload(spec));
    spec_ = spec;
  }
  return workload_;
}

std::shared_ptr<const Answers> Inputs::answers(const WorkloadSpec& spec) {
  const auto data = workload(spec);
  if (!answers_) answers_ = std::make_shared<const Answers>(data->sets.view(), data->queries);
  return answers_;
}

}  // namespace bloomery
