#include "experiments/levels.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "experiments/transfer.h"
#include "structures/bloom_tree.h"

namespace bloomery {
namespace {

std::vector<double> evenly(double first, double step, int count) {
  std::vector<double> places(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) places[static_cast<std::size_t>(i)] = first + step * i;
  return places;
}

// Where the distribution is told: the same for every repetition, level and tree.
std::vector<double> places_of(const std::string& of) {
  if (of == "keys") return evenly(0, 1, 16);
  if (of == "fill") return evenly(0, 0.125, 9);
  if (of == "error") return evenly(0, 0.05, 21);
  if (of != "rate") return {0};
  std::vector<double> places = evenly(-12, 0.5, 25);
  for (double& place : places) place = std::pow(10, place);
  return places;
}

// What a figure calls the axis of those places.
std::string axis_of(const std::string& of) {
  if (of == "keys") return "filter_keys";
  if (of == "fill") return "filter_fill";
  return of == "error" ? "fill_error" : "posterior";
}

const std::string& of_setting(const Unit& unit) { return unit.settings.at("of"); }

double share_above(const std::vector<double>& sorted, double place) {
  const auto above = sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), place);
  return static_cast<double>(above) / static_cast<double>(sorted.size());
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Standard deviation over geometric mean, as the paper has it: of the values that are not zero.
double variation(const std::vector<double>& values) {
  std::vector<double> some;
  std::ranges::copy_if(values, std::back_inserter(some), [](double value) { return value > 0; });
  if (some.empty()) return 0;
  const double mean = mean_of(some);
  double squares = 0, logarithms = 0;
  for (const double value : some) {
    squares += (value - mean) * (value - mean);
    logarithms += std::log(value);
  }
  const auto count = static_cast<double>(some.size());
  return std::sqrt(squares / count) / std::exp(logarithms / count);
}

class LevelsScenario final : public Scenario {
 public:
  LevelsScenario(const Unit& unit, Inputs& inputs)
      : unit_(unit), settings_(settings_of(unit)), data_(inputs.workload(settings_.data)), places_(places_of(of())) {
    if (unit.structure != "bloom_tree") return;
    Params params(unit.structure_params);
    tree_.emplace(params);
    tree_->insert(0, keys());
    level_ = std::stoull(unit.settings.at("level"));
    if (level_ == 0 || level_ > tree_->depth())
      throw std::runtime_error("level is " + unit.settings.at("level") + ", but the tree has fewer levels");
    if (of() != "coding") sorted_ = values();
    if (of() == "rate") variation_ = variation(sorted_);
    std::ranges::sort(sorted_);
  }

  Row run(std::size_t step, const Timed&) override {
    Row row = row_of(unit_, "levels");
    if (!tree_) return unsupported(std::move(row));
    set_number(row, "hit_rate", 0);
    if (of() == "coding") return code(std::move(row));
    add_param(row, axis_of(of()), places_.at(step));
    add_param(row, "share_above", share_above(sorted_, places_[step]));
    if (of() == "rate") add_param(row, "level_variation", variation_);
    if (of() == "keys") add_param(row, "level_mean", mean_of(sorted_));
    if (of() == "keys") add_poisson(row, places_[step]);
    return row;
  }

 private:
  const std::string& of() const { return of_setting(unit_); }
  Keys keys() const { return data_->sets[0]; }

  std::vector<double> values() const {
    const std::size_t level = level_ - 1;
    if (of() == "fill") return tree_->fills(level);
    if (of() == "error") return fill_errors();
    if (of() == "rate") return tree_->posterior_rates(absent_sample(settings_, data_->first_miss), level);
    const std::vector<std::uint32_t> counts = tree_->keys_a_filter(level, keys());
    return {counts.begin(), counts.end()};
  }

  // Of the fill that Eq. 1 expects of as many keys as a filter got, against the fill that it has. Filters without keys
  // are right by definition and left out.
  std::vector<double> fill_errors() const {
    const std::size_t level = level_ - 1;
    const std::vector<double> fills = tree_->fills(level);
    const std::vector<std::uint32_t> counts = tree_->keys_a_filter(level, keys());
    const TreeLevel& shape = tree_->level(level);
    std::vector<double> errors;
    for (std::size_t filter = 0; filter < fills.size(); ++filter) {
      if (counts[filter] == 0) continue;
      const double draws = static_cast<double>(counts[filter]) * static_cast<double>(shape.k);
      const double expected = 1 - std::pow(1 - 1 / static_cast<double>(shape.m), draws);
      errors.push_back(std::abs(expected - fills[filter]) / fills[filter]);
    }
    return errors;
  }

  // Appendix B: keys of a filter as if they came independently, a mean of n k_1 / m_1 below a bit of level 1 and of
  // k_i / m_i times that for every level more.
  void add_poisson(Row& row, double place) const {
    double mean = static_cast<double>(keys().size());
    for (std::size_t level = 0; level + 1 < level_; ++level) {
      mean *= static_cast<double>(tree_->level(level).k) / static_cast<double>(tree_->level(level).m);
    }
    double term = std::exp(-mean), at_most = 0;
    for (double keys = 0; keys <= place; term *= mean / ++keys) at_most += term;
    add_param(row, "poisson_mean", mean);
    add_param(row, "poisson_above", std::max(0.0, 1 - at_most));
  }

  Row code(Row row) const {
    double coded = 0, without = 0;
    for (std::size_t level = 0; level < tree_->depth(); ++level) {
      const FilterwiseCode filterwise = tree_->code_filterwise(level);
      coded += static_cast<double>(filterwise.bytes.size()) * 8;
      without += static_cast<double>(filterwise.bytes.size()) * 8 - static_cast<double>(filterwise.count_bits);
    }
    const auto all = static_cast<double>(tree_->size_in_bits());
    add_param(row, "by_level", static_cast<double>(tree_->compressed_bits()) / all);
    add_param(row, "by_filter", coded / all);
    add_param(row, "by_filter_without_delimiters", without / all);
    return row;
  }

  const Unit& unit_;
  const RunSettings settings_;
  const std::shared_ptr<const Workload> data_;
  const std::vector<double> places_;
  std::optional<BloomTree> tree_;
  std::size_t level_ = 0;       // from 1, as papers count
  std::vector<double> sorted_;  // one a filter, or one a query
  double variation_ = 0;
};

}  // namespace

std::vector<std::string> levels_steps(const Unit& unit) {
  return std::vector<std::string>(places_of(of_setting(unit)).size(), "levels");
}

std::unique_ptr<Scenario> start_levels(const Unit& unit, Inputs& inputs) {
  return std::make_unique<LevelsScenario>(unit, inputs);
}

}  // namespace bloomery
