#include "experiments/tree_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "experiments/workload.h"
#include "structures/bloom_tree.h"
#include "structures/theory.h"

namespace bloomery {
namespace {

constexpr Range kFirstHashes{2, 8}, kFilterBits{2, 8}, kHashes{1, 4};  // the paper's C1 and C2
constexpr std::uint64_t kSampled = 5000;                               // queries of a geometric mean: the paper's N_b

// Distinct, and those of one purpose distinct from those of the other.
std::vector<Key> scrambled(std::uint64_t first, std::uint64_t count) {
  std::vector<Key> keys(count);
  for (std::uint64_t i = 0; i < count; ++i) keys[i] = mix(first + i);
  return keys;
}

}  // namespace

std::string TreeSetting::k_text() const { return fmt::format("{}", fmt::join(k, ",")); }

std::string TreeSetting::m_text() const { return fmt::format("{}", fmt::join(m, ",")); }

// --- the space -------------------------------------------------------------------------------------------------------

TreeSpace::TreeSpace(std::size_t levels) : levels_(levels) {
  if (levels < 2 || levels > kMostLevels) {
    throw ParamError("d", fmt::format("d is {}; a search is for trees of 2 to {} levels", levels, kMostLevels));
  }
  variables_.assign(levels - 1, kFilterBits);
  variables_.push_back(kFirstHashes);
  variables_.resize(2 * levels - 1, kHashes);
}

std::uint64_t TreeSpace::size() const {
  std::uint64_t all = 1;
  for (const Range& range : variables_) all *= range.size();
  return all;
}

TreeSetting TreeSpace::at(std::uint64_t number) const {
  std::vector<double> values(variables_.size());
  for (std::size_t i = values.size(); i-- > 0; number /= variables_[i].size()) {
    values[i] = static_cast<double>(variables_[i].low + number % variables_[i].size());
  }
  return from_variables(values);
}

std::uint64_t TreeSpace::number_of(const TreeSetting& setting) const {
  std::vector<std::uint64_t> values = setting.m;
  values.insert(values.end(), setting.k.begin(), setting.k.end());
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    number = number * variables_[i].size() + values[i] - variables_[i].low;
  return number;
}

TreeSetting TreeSpace::from_variables(const std::vector<double>& values) const {
  TreeSetting setting;
  for (std::size_t i = 0; i < values.size(); ++i) {
    (i + 1 < levels_ ? setting.m : setting.k).push_back(static_cast<std::uint64_t>(std::llround(values[i])));
  }
  return setting;
}

// --- what a setting is worth -----------------------------------------------------------------------------------------

double share_of_standard(double bits_a_key, double rate) { return bits_a_key / standard_bits_for_rate(rate); }

TreeTrials::TreeTrials(const TrialSpec& spec) : spec_(spec) {
  for (std::uint64_t i = 0; i < spec.instances; ++i) {
    const std::uint64_t first = Random(spec.seed, i, Random::kSets).next();
    instances_.push_back({scrambled(first, spec.n), scrambled(first + spec.n, spec.queries)});
  }
}

Trial TreeTrials::run(const TreeSetting& setting) const {
  Trial trial{.setting = setting};
  const auto instances = static_cast<double>(instances_.size()), n = static_cast<double>(spec_.n);
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    Params params({{"n_exp", std::to_string(spec_.n)},
                   {"rho_1", fmt::format("{}", spec_.rho_1)},
                   {"k", setting.k_text()},
                   {"m_levels", setting.m_text()},
                   {"hashing", spec_.hashing},
                   {"atomic", "false"},
                   {"seed", std::to_string(spec_.seed + i)}});
    BloomTree tree(params);
    tree.insert(0, instances_[i].keys);
    const Keys queries = instances_[i].queries,
               sampled = queries.first(std::min<std::size_t>(queries.size(), kSampled));
    const BloomTree::GeometricMean mean = tree.geometric_mean_rate(sampled);
    Matches found;
    tree.query<false>(queries, found);
    trial.queries += queries.size();
    trial.false_positives += found.size();
    trial.geometric_rate += mean.rate / instances;
    trial.zeros += static_cast<double>(mean.zeros) / static_cast<double>(sampled.size()) / instances;
    trial.bits_sent += static_cast<double>(tree.compressed_bits()) / n / instances;
    trial.bits_stored += static_cast<double>(tree.size_in_bits()) / n / instances;
  }
  return trial;
}

}  // namespace bloomery
