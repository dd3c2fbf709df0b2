// A structure of any type behind one virtual call a batch.
#ifndef BLOOMERY_STRUCTURES_ANY_STRUCTURE_H_
#define BLOOMERY_STRUCTURES_ANY_STRUCTURE_H_

#include <memory>
#include <optional>
#include <string>

#include "structures/structure.h"
#include "structures/worth.h"

namespace bloomery {

// The calls of structure.h. Where a structure may lack the power, the result is optional and absent if it does.
class AnyStructure {
 public:
  virtual ~AnyStructure() = default;
  virtual Cost build(Sets sets, const Executor& executor) = 0;  // by repeated insert where there is no build
  virtual std::optional<Cost> insert(SetId id, Keys keys) = 0;
  virtual std::optional<Cost> insert_filter(SetId id, FilterBits bits) = 0;
  virtual std::optional<Cost> erase(SetId id) = 0;
  virtual std::optional<Cost> replace(SetId id, Keys keys) = 0;
  virtual Cost query(Keys keys, Matches& out) const = 0;    // counts
  virtual void query_timed(Keys keys, Matches& out) const = 0;  // the same, compiled without counting
  virtual Footprint footprint() const = 0;
  virtual std::string validate() const = 0;  // "" when every invariant holds, or when there is none to check
  virtual std::optional<BlockLoads> loads(Keys keys) const = 0;
  virtual std::optional<Traffic> traffic() const = 0;  // absent for what lives in one process
  virtual std::optional<Worth> worth(Keys sample) const = 0;   // the sample is of keys that are in no set
  virtual bool intersect_with(const AnyStructure& other) = 0;  // false if it cannot be, or not with such a one
  virtual bool concurrent_insert() const = 0;
  virtual bool concurrent_maintenance() const = 0;  // sets may come and go at the same time
};

template <Structure T>
class Erased final : public AnyStructure {
 public:
  explicit Erased(Params& params) : it_(params) {}

  Cost build(Sets sets, const Executor& executor) override {
    if constexpr (Builds<T>) {
      return it_.build(sets, executor);
    } else {
      Cost cost;
      for (SetId id = 0; id < sets.size(); ++id) cost += it_.insert(id, sets[id]);
      return cost;
    }
  }
  std::optional<Cost> insert(SetId id, Keys keys) override {
    if constexpr (Inserts<T>) return it_.insert(id, keys);
    return std::nullopt;
  }
  std::optional<Cost> insert_filter(SetId id, FilterBits bits) override {
    if constexpr (InsertsFilter<T>) return it_.insert_filter(id, bits);
    return std::nullopt;
  }
  std::optional<Cost> erase(SetId id) override {
    if constexpr (Erases<T>) return it_.erase(id);
    return std::nullopt;
  }
  std::optional<Cost> replace(SetId id, Keys keys) override {
    if constexpr (Replaces<T>) return it_.replace(id, keys);
    return std::nullopt;
  }
  Cost query(Keys keys, Matches& out) const override { return it_.template query<true>(keys, out); }
  void query_timed(Keys keys, Matches& out) const override { it_.template query<false>(keys, out); }
  Footprint footprint() const override { return it_.footprint(); }
  std::string validate() const override {
    if constexpr (Validates<T>) return it_.validate();
    return "";
  }
  std::optional<BlockLoads> loads([[maybe_unused]] Keys keys) const override {
    if constexpr (HasBlocks<T>) return it_.loads(keys);
    return std::nullopt;
  }
  std::optional<Traffic> traffic() const override {
    if constexpr (Travels<T>) return it_.traffic();
    return std::nullopt;
  }
  std::optional<Worth> worth([[maybe_unused]] Keys sample) const override {
    if constexpr (Weighs<T>) return it_.worth(sample);
    return std::nullopt;
  }
  bool intersect_with([[maybe_unused]] const AnyStructure& other) override {
    if constexpr (Intersects<T>) {
      const auto* same = dynamic_cast<const Erased*>(&other);
      if (same != nullptr) it_.intersect_with(same->it_);
      return same != nullptr;
    }
    return false;
  }
  bool concurrent_insert() const override { return T::kConcurrentInsert; }
  bool concurrent_maintenance() const override {
    if constexpr (MaintainsConcurrently<T>) return it_.concurrent_maintenance();
    return false;
  }

 private:
  T it_;
};

template <Structure T>
std::unique_ptr<AnyStructure> make(Params& params) {
  return std::make_unique<Erased<T>>(params);
}

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_ANY_STRUCTURE_H_
