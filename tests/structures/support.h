// What the structure tests share: sets to index, answers to compare, and a model that says what the answers must be.
#ifndef BLOOMERY_TESTS_STRUCTURES_SUPPORT_H_
#define BLOOMERY_TESTS_STRUCTURES_SUPPORT_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <ostream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "structures/filter_shape.h"
#include "structures/registry.h"

namespace bloomery::test {

using KeyLists = std::vector<std::vector<Key>>;
using ParamMap = std::map<std::string, std::string>;

// --- structures ------------------------------------------------------------------------------------------------------

struct Variant {
  std::string structure;
  ParamMap params;
};

// Letters, digits and underscores only, as the names of tests must be.
inline std::string name_of(const Variant& variant) {
  std::string name = variant.structure;
  for (const auto& [key, value] : variant.params) name += "_" + key + "_" + value;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

inline std::ostream& operator<<(std::ostream& out, const Variant& variant) { return out << name_of(variant); }

// For INSTANTIATE_TEST_SUITE_P.
inline std::string name_of_param(const ::testing::TestParamInfo<Variant>& info) { return name_of(info.param); }

inline const ParamSpec* find_spec(const std::string& structure, const std::string& name) {
  static std::map<std::string, std::vector<ParamSpec>> specs_of;
  auto [it, fresh] = specs_of.try_emplace(structure);
  if (fresh) it->second = describe(find_structure(structure));
  const auto spec = std::ranges::find(it->second, name, &ParamSpec::name);
  return spec == it->second.end() ? nullptr : &*spec;
}

// What can be chosen instead of the default, for every flag and choice of a structure: name and value.
inline std::vector<std::pair<std::string, std::string>> alternatives(const std::string& structure) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const ParamSpec& spec : describe(find_structure(structure))) {
    if (spec.type != "flag" && spec.type != "choice") continue;
    std::istringstream options(spec.range);  // "hamming, jaccard, cosine"
    for (std::string option; std::getline(options >> std::ws, option, ',');) {
      if (option != spec.default_value) result.emplace_back(spec.name, option);
    }
  }
  return result;
}

// The variant with those of `wanted` that the structure takes and that it does not set itself.
inline Variant with(Variant variant, const ParamMap& wanted) {
  for (const auto& [name, value] : wanted) {
    if (find_spec(variant.structure, name) != nullptr) variant.params.try_emplace(name, value);
  }
  return variant;
}

inline std::unique_ptr<AnyStructure> make_variant(const Variant& variant) {
  return make_structure(variant.structure, Params(variant.params));
}

// The shape of the variant's filters; structures differ in the hash they use unless told.
inline FilterShape shape_of(const Variant& variant) {
  Params params(variant.params);
  const ParamSpec* hash = find_spec(variant.structure, "hash");
  return FilterShape(params, hash == nullptr ? "multiplicative" : hash->default_value);
}

// libgomp and libtbb are not instrumented: ThreadSanitizer does not see them hand work over and reports races that are
// none. Under it there are no parallel executors.
inline std::vector<Executor> parallel_executors([[maybe_unused]] int threads) {
#ifdef __SANITIZE_THREAD__
  return {};
#else
  return {Executor(Backend::kOpenMp, threads), Executor(Backend::kTbb, threads)};
#endif
}

// --- sets and answers ------------------------------------------------------------------------------------------------

inline std::vector<Key> random_keys(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Key> keys(count);
  for (Key& key : keys) key = random();
  return keys;
}

// Sets of 1 to 12 keys out of 4 keys a set, so that many keys are in several sets.
inline KeyLists make_sets(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<Key> pool = random_keys(count * 4 + 8, seed + 1);
  KeyLists sets(count);
  for (auto& keys : sets) {
    for (std::size_t left = random() % 12 + 1; left > 0; --left) keys.push_back(pool[random() % pool.size()]);
  }
  return sets;
}

// Every key of the sets, in the order of the sets, and as many that are (all but certainly) in none.
inline std::vector<Key> probes_for(const KeyLists& sets) {
  std::vector<Key> keys;
  for (const auto& set : sets) keys.insert(keys.end(), set.begin(), set.end());
  const std::vector<Key> absent = random_keys(keys.size() + 10, 0xab5e);
  keys.insert(keys.end(), absent.begin(), absent.end());
  return keys;
}

inline Cost build(AnyStructure& structure, const KeyLists& sets, const Executor& executor = Executor()) {
  const std::vector<Keys> spans(sets.begin(), sets.end());
  return structure.build(spans, executor);
}

inline std::vector<Match> sorted(const Matches& matches) {
  std::vector<Match> result(matches.view().begin(), matches.view().end());
  std::ranges::sort(result);
  return result;
}

inline std::vector<Match> query(const AnyStructure& structure, Keys keys) {
  Matches out;
  structure.query(keys, out);
  return sorted(out);
}

inline std::vector<Match> query_timed(const AnyStructure& structure, Keys keys) {
  Matches out;
  structure.query_timed(keys, out);
  return sorted(out);
}

// Which sets really hold the keys, sorted.
inline std::vector<Match> truth(const KeyLists& sets, Keys keys) {
  std::map<Key, std::set<SetId>> holders;
  for (SetId id = 0; id < sets.size(); ++id) {
    for (Key key : sets[id]) holders[key].insert(id);
  }
  std::vector<Match> result;
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    for (SetId id : holders[keys[i]]) result.push_back({i, id});
  }
  return result;
}

inline bool contains_all(const std::vector<Match>& answer, const std::vector<Match>& wanted) {
  return std::ranges::includes(answer, wanted);
}

// --- the model -------------------------------------------------------------------------------------------------------

// Keys and filter of each set, kept as plainly as can be: what exact and approximate structures must answer.
class Model {
 public:
  explicit Model(const FilterShape& shape) : shape_(shape) {}

  std::vector<Word> filter_of(Keys keys) const {
    std::vector<Word> filter(shape_.words());
    std::vector<std::uint64_t> positions(keys.size() * shape_.hasher.k());
    shape_.hasher.positions(keys.data(), keys.size(), positions.data());
    for (std::uint64_t p : positions) filter[p / 64] |= Word{1} << (p % 64);
    return filter;
  }
  void insert(SetId id, Keys keys) {
    Entry& entry = entries_[id];
    entry.keys.insert(keys.begin(), keys.end());
    entry.filter.resize(shape_.words());
    const std::vector<Word> added = filter_of(keys);
    for (std::size_t w = 0; w < added.size(); ++w) entry.filter[w] |= added[w];
  }
  void erase(SetId id) { entries_.erase(id); }
  std::vector<SetId> ids() const {
    std::vector<SetId> ids;
    for (const auto& [id, entry] : entries_) ids.push_back(id);
    return ids;
  }

  std::vector<Match> exact_matches(Keys keys) const {
    return matches(keys, [](const Entry& entry, Key key) { return entry.keys.contains(key); });
  }
  std::vector<Match> filter_matches(Keys keys) const {
    std::vector<std::uint64_t> positions(shape_.hasher.k());
    return matches(keys, [&](const Entry& entry, Key key) {
      shape_.hasher.positions(&key, 1, positions.data());
      return std::ranges::all_of(positions, [&](std::uint64_t p) { return entry.filter[p / 64] >> (p % 64) & 1; });
    });
  }

 private:
  struct Entry {
    std::set<Key> keys;
    std::vector<Word> filter;
  };
  template <class Holds>
  std::vector<Match> matches(Keys keys, const Holds& holds) const {
    std::vector<Match> result;
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
      for (const auto& [id, entry] : entries_) {
        if (holds(entry, keys[i])) result.push_back({i, id});
      }
    }
    return result;
  }

  FilterShape shape_;
  std::map<SetId, Entry> entries_;
};

// --- histories -------------------------------------------------------------------------------------------------------

enum class Action { kInsert, kInsertFilter, kReplace, kErase };

struct Operation {
  Action action;
  SetId id;
  std::vector<Key> keys;
};

// Applies the operation to a structure and to the model. Without ready-made filters the keys are inserted.
inline void apply(const Operation& operation, AnyStructure& structure, Model& model) {
  const auto& [action, id, keys] = operation;
  if (action == Action::kErase || action == Action::kReplace) model.erase(id);
  if (action != Action::kErase) model.insert(id, keys);
  bool done = false;
  if (action == Action::kErase) done = structure.erase(id).has_value();
  if (action == Action::kReplace) done = structure.replace(id, keys).has_value();
  if (action == Action::kInsertFilter) done = structure.insert_filter(id, model.filter_of(keys)).has_value();
  if (action == Action::kInsert || (action == Action::kInsertFilter && !done)) {
    done = structure.insert(id, keys).has_value();
  }
  ASSERT_TRUE(done) << "the structure lacks an operation of the history";
}

// Rounds of growing, of churning and of erasing whatever is left in random order; it ends grown.
class HistoryMaker {
 public:
  HistoryMaker(std::uint64_t seed, SetId ids, std::vector<Key> universe)
      : random_(seed), ids_(ids), universe_(std::move(universe)) {}

  std::vector<Operation> make(int rounds, std::size_t steps) {
    for (int round = 0; round < rounds; ++round) {
      add(steps, {6, 2, 1, 1});
      add(steps, {2, 1, 1, 5});
      erase_everything();
      add(steps / 2, {6, 2, 1, 1});
    }
    return std::move(history_);
  }

 private:
  // Weights in the order of Action.
  void add(std::size_t steps, const std::vector<double>& weights) {
    std::discrete_distribution<int> pick(weights.begin(), weights.end());
    for (; steps > 0; --steps) {
      const auto action = static_cast<Action>(pick(random_));
      const auto id = static_cast<SetId>(random_() % ids_);
      std::vector<Key> keys;
      // Now and then no keys, or enough to fill the filter.
      const std::size_t count = random_() % 16 == 0 ? universe_.size() : random_() % 6;
      while (action != Action::kErase && keys.size() < count) keys.push_back(universe_[random_() % universe_.size()]);
      history_.push_back({action, id, std::move(keys)});
    }
  }
  void erase_everything() {
    std::vector<SetId> ids(ids_);
    for (SetId id = 0; id < ids_; ++id) ids[id] = id;
    std::ranges::shuffle(ids, random_);
    for (SetId id : ids) history_.push_back({Action::kErase, id, {}});
  }

  std::mt19937_64 random_;
  SetId ids_;
  std::vector<Key> universe_;
  std::vector<Operation> history_;
};

}  // namespace bloomery::test

#endif  // BLOOMERY_TESTS_STRUCTURES_SUPPORT_H_
