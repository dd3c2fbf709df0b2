// Histories of concurrent operations, and what every query in them must, may and must not have answered.
//
// Each operation has a stamp taken before it was called and one taken after it returned, from one counter that all
// threads share: a.end < b.begin means that a returned before b was called. Sets have one writer each, so that the
// operations on a set are in order; a query runs at any time.
//
// Of a key and a set, a query
//   must name the set   if at all times from its call to its return the set held the key: so after the last write that
//                       had returned when it was called, and after every write that overlapped it;
//   must not name it    if the filter of none of these states, nor of what a replace passes through from one to the
//                       next, has all the key's bits: there is no false positive that the filters do not explain;
//   and names it no more often than there were lives of the set that it may have met: once, unless it went and came back.
#ifndef BLOOMERY_TESTS_CONCURRENCY_HISTORY_H_
#define BLOOMERY_TESTS_CONCURRENCY_HISTORY_H_

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/structures/support.h"

namespace bloomery::test {

using Stamp = std::uint64_t;

struct Write {
  Action action;
  SetId id;
  std::vector<Key> keys;
  Stamp begin = 0, end = 0;
};

struct Asked {
  std::vector<Key> keys;
  std::vector<Match> answer;  // sorted
  Stamp begin = 0, end = 0;
};

struct History {
  std::vector<std::vector<Write>> writes;  // by set, in the order of their writer
  std::vector<Asked> queries;
};

class Checker {
 public:
  Checker(const FilterShape& shape, const History& history) : shape_(shape), history_(history) {
    for (const auto& writes : history.writes) timelines_.push_back(timeline_of(writes));
  }

  // The first answer that is wrong, in words; "" if none is.
  std::string check() const {
    for (const Asked& query : history_.queries) {
      if (std::string problem = check(query); !problem.empty()) return problem;
    }
    return "";
  }

 private:
  // What a set holds after a write. While the write runs, the set may be seen with `passing`, too.
  struct State {
    bool exists = false;
    std::set<Key> keys;
    std::vector<Word> filter, passing;
    Stamp begin = 0, end = 0;  // of the write
  };

  std::vector<Word> joined(std::vector<Word> a, const std::vector<Word>& b) const {
    for (std::size_t w = 0; w < a.size(); ++w) a[w] |= b[w];
    return a;
  }

  std::vector<State> timeline_of(const std::vector<Write>& writes) const {
    const Model model(shape_);
    std::vector<State> states(1);
    states[0].filter = states[0].passing = std::vector<Word>(shape_.words());
    for (const Write& write : writes) {
      const State& old = states.back();
      State next = {.exists = write.action != Action::kErase, .keys = {}, .filter = {}, .passing = {}};
      if (write.action == Action::kInsert) next.keys = old.keys;
      next.keys.insert(write.keys.begin(), write.keys.end());
      next.filter = model.filter_of(std::vector<Key>(next.keys.begin(), next.keys.end()));
      next.passing = joined(old.filter, next.filter);
      next.begin = write.begin;
      next.end = write.end;
      states.push_back(std::move(next));
    }
    return states;
  }

  // The states that a query may have met: [first, last] of the timeline.
  static std::pair<std::size_t, std::size_t> met_by(const Asked& query, const std::vector<State>& states) {
    std::size_t first = 0, last = 0;
    for (std::size_t i = 1; i < states.size(); ++i) {
      if (states[i].end < query.begin) first = i;
      if (states[i].begin < query.end) last = i;
    }
    return {first, last};
  }

  bool passes(const std::vector<Word>& filter, Key key) const {
    std::uint64_t positions[kMostHashes];
    shape_.hasher.positions(&key, 1, positions);
    return leading_hits(filter.data(), positions, shape_.hasher.k()) == shape_.hasher.k();
  }

  bool may(const std::vector<State>& states, std::size_t first, std::size_t last, Key key) const {
    for (std::size_t i = first; i <= last; ++i) {
      if (states[i].exists && passes(states[i].filter, key)) return true;
      if (i > first && (states[i].exists || states[i - 1].exists) && passes(states[i].passing, key)) return true;
    }
    return false;
  }

  static bool must(const std::vector<State>& states, std::size_t first, std::size_t last, Key key) {
    for (std::size_t i = first; i <= last; ++i) {
      if (!states[i].keys.contains(key)) return false;
    }
    return true;
  }

  static std::size_t lives(const std::vector<State>& states, std::size_t first, std::size_t last) {
    std::size_t count = states[first].exists;
    for (std::size_t i = first + 1; i <= last; ++i) count += states[i].exists && !states[i - 1].exists;
    return std::max<std::size_t>(count, 1);  // what may be named at all is checked elsewhere
  }

  std::string check(const Asked& query) const {
    for (SetId id = 0; id < timelines_.size(); ++id) {
      const auto [first, last] = met_by(query, timelines_[id]);
      for (std::uint32_t i = 0; i < query.keys.size(); ++i) {
        const std::size_t times = std::ranges::equal_range(query.answer, Match{i, id}).size();
        const bool named = times > 0;
        if (times > lives(timelines_[id], first, last)) return said("named too often", query, id, first, last);
        const Key key = query.keys[i];
        if (!named && must(timelines_[id], first, last, key)) return said("missed", query, id, first, last);
        if (named && !may(timelines_[id], first, last, key)) return said("invented", query, id, first, last);
      }
    }
    for (const Match& match : query.answer) {
      if (match.set >= timelines_.size()) return fmt::format("set {} was never there", match.set);
    }
    return "";
  }

  static std::string said(const char* what, const Asked& query, SetId id, std::size_t first, std::size_t last) {
    return fmt::format("set {} was {} by a query from {} to {}, which met its states {} to {}", id, what, query.begin,
                       query.end, first, last);
  }

  const FilterShape shape_;
  const History& history_;
  std::vector<std::vector<State>> timelines_;
};

}  // namespace bloomery::test

#endif  // BLOOMERY_TESTS_CONCURRENCY_HISTORY_H_
