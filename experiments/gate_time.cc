#include "experiments/gate_time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <ranges>
#include <utility>

#include "experiments/ratios.h"
#include "experiments/workload.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;

Summary as_ratios(const Summary& logs) {
  return {std::exp(logs.median), std::exp(logs.low), std::exp(logs.high), logs.count};
}

std::size_t whole_batches(std::size_t count, std::size_t most) {
  const std::size_t rounded = count < kGateBatch ? count : count / kGateBatch * kGateBatch;
  return std::clamp<std::size_t>(rounded, 1, most);
}

// A run of the kernel that begins with warm caches, as long as the others have just had them.
double epoch(Kernel& kernel, std::size_t begin, std::size_t count) {
  kernel.prepare();
  kernel.run(begin, std::max<std::size_t>(1, count / 8));
  kernel.prepare();
  const auto start = Clock::now();
  kernel.run(begin, count);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The keys or sets that take as long as an epoch should.
std::size_t fitting_count(Kernel& kernel, double seconds) {
  const std::size_t most = kernel.most();
  std::size_t count = std::min<std::size_t>(most, 1);
  double took = epoch(kernel, 0, count);
  while (count < most && took < seconds / 2) {
    count = std::min(most, count * 2);
    took = std::min(epoch(kernel, 0, count), epoch(kernel, 0, count));
  }
  return whole_batches(static_cast<std::size_t>(static_cast<double>(count) * std::min(1.0, seconds / took)), most);
}

// One placement: a structure of each build, made in random order.
class Placement {
 public:
  Placement(const Arms& arms, const KernelSpec& spec, Random& random) : random_(random) {
    std::vector<std::size_t> order = {kHead, kBase, kControl};
    shuffle(order, random);
    const std::array<const Module*, 3> modules = {&arms.head, &arms.base, &arms.control};
    for (const std::size_t arm : order) kernels_[arm] = std::make_unique<Kernel>(*modules[arm], spec);
  }

  Kernel& base() { return *kernels_[kBase]; }

  // One ratio of each kind: all arms in random order and back again, so that what drifts cancels out. All have the same
  // keys as often, or the predictor of branches would know them better in the one that had them more.
  void add_block(std::size_t count, std::vector<double>& head, std::vector<double>& control) {
    const std::size_t places = base().most() - count + 1;
    const std::size_t begin = whole_batches(random_.below(places) + 1, places) - 1;
    std::vector<std::size_t> order = {kHead, kBase, kControl};
    shuffle(order, random_);
    std::array<double, 3> logs = {};
    for (const std::size_t arm : order) logs[arm] += log_time(arm, begin, count);
    for (const std::size_t arm : order | std::views::reverse) logs[arm] += log_time(arm, begin, count);
    head.push_back((logs[kHead] - logs[kBase]) / 2);
    control.push_back((logs[kControl] - logs[kBase]) / 2);
  }

 private:
  enum Arm : std::size_t { kHead, kBase, kControl };

  double log_time(std::size_t arm, std::size_t begin, std::size_t count) {
    return std::log(std::max(epoch(*kernels_[arm], begin, count), 1e-9));
  }

  Random& random_;
  std::array<std::unique_ptr<Kernel>, 3> kernels_;
};

class Sampler {
 public:
  Sampler(const Arms& arms, const KernelSpec& spec, const TimeRules& rules)
      : arms_(arms), spec_(spec), rules_(rules), random_(1, 0, Random::kMaintenance) {}

  void look(TimeSamples& samples) {
    for (int i = 0; i < rules_.placements; ++i) {
      Placement placement(arms_, spec_, random_);
      if (count_ == 0) count_ = fitting_count(placement.base(), rules_.epoch_seconds);
      std::vector<double> head, control;
      for (int block = 0; block < rules_.blocks; ++block) placement.add_block(count_, head, control);
      samples.head.push_back(std::move(head));
      samples.control.push_back(std::move(control));
    }
  }

 private:
  const Arms& arms_;
  const KernelSpec& spec_;
  const TimeRules& rules_;
  Random random_;
  std::size_t count_ = 0;
};

bool is_open(TimeVerdict verdict) { return verdict == TimeVerdict::kUnclear || verdict == TimeVerdict::kNoisy; }

}  // namespace

TimeResult judge_times(const TimeSamples& samples, double limit, double control_limit) {
  TimeResult result;
  result.head = as_ratios(summarize_groups(samples.head));
  result.control = as_ratios(summarize_groups(samples.control));
  if (result.control.high > control_limit || result.control.low < 1 / control_limit) {
    result.verdict = TimeVerdict::kNoisy;
  } else if (result.head.low > limit) {
    result.verdict = TimeVerdict::kSlower;
  } else if (result.head.high > limit) {
    result.verdict = TimeVerdict::kUnclear;
  } else {
    result.verdict = result.head.high < 1 / limit ? TimeVerdict::kFaster : TimeVerdict::kEqual;
  }
  return result;
}

TimeResult time_kernel(const Arms& arms, const KernelSpec& spec, const TimeRules& rules, double limit) {
  Sampler sampler(arms, spec, rules);
  TimeSamples samples;
  TimeResult result;
  bool confirming = false;
  for (int look = 0; look < rules.looks; ++look) {
    sampler.look(samples);
    result = judge_times(samples, limit, rules.control_limit);
    if (result.verdict == TimeVerdict::kSlower && !confirming) {
      confirming = true;
      samples = {};
      sampler.look(samples);
      result = judge_times(samples, limit, rules.control_limit);
    }
    if (!is_open(result.verdict)) break;
  }
  return result;
}

}  // namespace bloomery
