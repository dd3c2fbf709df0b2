#include "structures/similarity_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "structures/hash.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};
constexpr std::size_t kParts = 4;         // each looks among filters of its own; fixed, so that threads decide nothing
constexpr std::size_t kSampledBits = 96;  // of an average filter
constexpr std::size_t kLook = 80;         // filters looked at for each sampled bit and part
constexpr std::size_t kCompared = 4;      // filters compared in full

// Which bit positions are counted: enough of them to find kSampledBits in an average filter.
class Sample {
 public:
  Sample(std::size_t words, double mean_ones) : number_of_(words * 64, kNone) {
    const double share = mean_ones > kSampledBits ? kSampledBits / mean_ones : 1;
    for (std::size_t bit = 0; bit < number_of_.size(); ++bit) {
      if (static_cast<double>(mix64(bit + 1)) * 0x1p-64 < share) number_of_[bit] = size_++;
    }
  }
  std::uint32_t size() const { return size_; }

  // Calls body(number) for the sampled bits of a filter.
  template <class Body>
  void for_bits_of(const Word* filter, const Body& body) const {
    for (std::size_t w = 0; w < number_of_.size() / 64; ++w) {
      for (Word rest = filter[w]; rest != 0; rest &= rest - 1) {
        const std::uint32_t number = number_of_[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
        if (number != kNone) body(number);
      }
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> number_of_;
  std::uint32_t size_ = 0;
};

struct Candidate {
  double distance = std::numeric_limits<double>::infinity();
  std::uint32_t filter = kNobody;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.filter < b.filter);
  }
};

struct Problem {
  const std::vector<const Word*>& filters;
  const std::size_t words;
  const Similarity metric;
  std::vector<std::uint64_t> ones;
};

// The filters [begin, end), by the sampled bits that they have.
class Part {
 public:
  Part(const Problem& problem, const Sample& sample, std::size_t begin, std::size_t end)
      : problem_(problem), begin_(begin), left_(end - begin), start_(sample.size() + 1), taken_(left_), common_(left_) {
    const auto for_all = [&](const auto& body) {
      for (std::size_t f = begin; f < end; ++f) {
        sample.for_bits_of(problem.filters[f],
                           [&](std::uint32_t bit) { body(static_cast<std::uint32_t>(f - begin), bit); });
      }
    };
    for_all([&](std::uint32_t, std::uint32_t bit) { ++start_[bit + 1]; });
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    members_.resize(start_.back());
    end_.assign(start_.begin(), start_.end() - 1);
    for_all([&](std::uint32_t f, std::uint32_t bit) { members_[end_[bit]++] = f; });
    compact_at_ = left_ - left_ / 4;
  }

  bool has(std::uint32_t filter) const { return filter >= begin_ && filter - begin_ < taken_.size(); }
  void take(std::uint32_t filter) {
    taken_[filter - begin_] = 1;
    if (--left_ <= compact_at_) compact();
  }

  Candidate nearest(std::uint32_t filter, const std::vector<std::uint32_t>& bits) {
    if (left_ == 0) return {};
    for (const std::uint32_t bit : bits) count(bit);
    const double scale =
        bits.empty() ? 0 : static_cast<double>(problem_.ones[filter]) / static_cast<double>(bits.size());
    std::array<Candidate, kCompared> best;
    for (const std::uint32_t f : touched_) {
      const auto id = static_cast<std::uint32_t>(begin_ + f);
      const auto common = static_cast<std::uint64_t>(scale * std::exchange(common_[f], 0U));
      const std::uint64_t a = problem_.ones[filter], b = problem_.ones[id];
      keep(best, {distance(problem_.metric, a, b, std::min({common, a, b})), id});
    }
    touched_.clear();
    if (best[0].filter == kNobody) best[0].filter = first_left();
    Candidate nearest;
    for (const Candidate& one : best) {
      if (one.filter != kNobody) nearest = std::min(nearest, Candidate{distance_of(filter, one.filter), one.filter});
    }
    return nearest;
  }

 private:
  static void keep(std::array<Candidate, kCompared>& best, Candidate one) {
    if (!(one < best.back())) return;
    std::size_t i = kCompared - 1;
    for (; i > 0 && one < best[i - 1]; --i) best[i] = best[i - 1];
    best[i] = one;
  }

  void count(std::uint32_t bit) {
    std::size_t looked = 0;
    for (std::uint32_t i = start_[bit]; i < end_[bit] && looked < kLook; ++i) {
      const std::uint32_t f = members_[i];
      if (taken_[f]) continue;
      ++looked;
      if (common_[f]++ == 0) touched_.push_back(f);
    }
  }

  // Half of those that were left have gone: so each member is passed over O(log N) times in all.
  void compact() {
    compact_at_ = left_ - left_ / 4;
    for (std::size_t bit = 0; bit < end_.size(); ++bit) {
      const auto begin = members_.begin() + start_[bit], end = members_.begin() + end_[bit];
      end_[bit] =
          static_cast<std::uint32_t>(std::remove_if(begin, end, [&](auto f) { return taken_[f]; }) - members_.begin());
    }
  }

  std::uint32_t first_left() {
    while (taken_[first_left_]) ++first_left_;
    return static_cast<std::uint32_t>(begin_ + first_left_);
  }

  double distance_of(std::uint32_t a, std::uint32_t b) const {
    return distance(problem_.metric, problem_.ones[a], problem_.ones[b],
                    count_common(problem_.filters[a], problem_.filters[b], problem_.words));
  }

  const Problem& problem_;
  const std::size_t begin_;
  std::size_t left_, compact_at_ = 0, first_left_ = 0;
  std::vector<std::uint32_t> start_, end_;  // of each bit's members
  std::vector<std::uint32_t> members_;
  std::vector<char> taken_;
  std::vector<std::uint32_t> common_, touched_;  // sampled bits in common with the filter that is asked about
};

}  // namespace

std::vector<std::uint32_t> near_order(const std::vector<const Word*>& filters, std::size_t words, Similarity metric,
                                      const Executor& executor) {
  const std::size_t count = filters.size();
  if (count == 0) return {};
  Problem problem = {filters, words, metric, std::vector<std::uint64_t>(count)};
  executor.for_chunks(count, 256, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t f = begin; f < end; ++f) problem.ones[f] = count_ones(filters[f], words);
  });
  const auto all_ones = std::accumulate(problem.ones.begin(), problem.ones.end(), std::uint64_t{0});
  const Sample sample(words, static_cast<double>(all_ones) / static_cast<double>(count));
  std::array<std::unique_ptr<Part>, kParts> parts;
  executor.for_chunks(kParts, 1, [&](std::size_t part, std::size_t, int) {
    parts[part] = std::make_unique<Part>(problem, sample, part * count / kParts, (part + 1) * count / kParts);
  });

  std::vector<std::uint32_t> order;
  auto current = static_cast<std::uint32_t>(std::ranges::min_element(problem.ones) - problem.ones.begin());
  std::vector<std::uint32_t> bits;
  std::array<Candidate, kParts> found;
  while (true) {
    order.push_back(current);
    for (auto& part : parts) {
      if (part->has(current)) part->take(current);
    }
    if (order.size() == count) return order;
    bits.clear();
    sample.for_bits_of(filters[current], [&](std::uint32_t bit) { bits.push_back(bit); });
    executor.for_chunks(kParts, 1,
                        [&](std::size_t part, std::size_t, int) { found[part] = parts[part]->nearest(current, bits); });
    current = std::min_element(found.begin(), found.end())->filter;
  }
}

}  // namespace bloomery
