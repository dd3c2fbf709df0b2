#include "structures/similarity.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

namespace bloomery {
namespace {

// Which of the filters [begin, end) have a bit, for every bit: counting the common bits of one filter with all the
// others then costs their number of common bits, not their length. At the paper's load (0.7 % of bits set) that is
// five increments a pair instead of 1578 words.
class Postings {
 public:
  Postings(const std::vector<const Word*>& filters, std::size_t words, std::size_t begin, std::size_t end)
      : begin_(begin), end_(end), start_(words * 64 + 1), common_(end - begin) {
    for_bits(filters, words, [&](std::size_t, std::size_t bit) { ++start_[bit + 1]; });
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    members_.resize(start_.back());
    std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
    for_bits(filters, words, [&](std::size_t f, std::size_t bit) {
      members_[next[bit]++] = static_cast<std::uint32_t>(f - begin_);
    });
  }

  // common()[i] becomes |filter begin + i and the filter with these bits|.
  void count(const std::vector<std::uint32_t>& bits) {
    std::ranges::fill(common_, 0U);
    for (std::uint32_t bit : bits) {
      for (std::uint32_t i = start_[bit]; i < start_[bit + 1]; ++i) ++common_[members_[i]];
    }
  }
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  std::uint32_t common(std::size_t filter) const { return common_[filter - begin_]; }

 private:
  template <class Body>
  void for_bits(const std::vector<const Word*>& filters, std::size_t words, const Body& body) const {
    for (std::size_t f = begin_; f < end_; ++f) {
      for (std::size_t w = 0; w < words; ++w) {
        for (Word rest = filters[f][w]; rest != 0; rest &= rest - 1) body(f, w * 64 + std::countr_zero(rest));
      }
    }
  }

  std::size_t begin_, end_;
  std::vector<std::uint32_t> start_;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> common_;
};

std::vector<std::uint32_t> bits_of(const Word* filter, std::size_t words) {
  std::vector<std::uint32_t> bits;
  for (std::size_t w = 0; w < words; ++w) {
    for (Word rest = filter[w]; rest != 0; rest &= rest - 1) {
      bits.push_back(static_cast<std::uint32_t>(w * 64 + std::countr_zero(rest)));
    }
  }
  return bits;
}

struct Nearest {
  double distance = std::numeric_limits<double>::infinity();
  std::uint32_t filter = 0;
  friend bool operator<(const Nearest& a, const Nearest& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.filter < b.filter);
  }
};

}  // namespace

Similarity parse_similarity(const std::string& name) {
  if (name == "jaccard") return Similarity::kJaccard;
  return name == "cosine" ? Similarity::kCosine : Similarity::kHamming;
}

std::vector<std::uint32_t> nearest_neighbour_order(const std::vector<const Word*>& filters, std::size_t words,
                                                   Similarity metric, const Executor& executor) {
  const std::size_t count = filters.size();
  const std::size_t grain = (count + executor.threads() - 1) / executor.threads();
  const std::size_t parts = count == 0 ? 0 : (count + grain - 1) / grain;
  std::vector<std::uint64_t> ones(count);
  std::vector<std::unique_ptr<Postings>> postings(parts);
  executor.for_chunks(parts, 1, [&](std::size_t part, std::size_t, int) {
    const std::size_t begin = part * grain, end = std::min(count, begin + grain);
    postings[part] = std::make_unique<Postings>(filters, words, begin, end);
    for (std::size_t f = begin; f < end; ++f) ones[f] = count_ones(filters[f], words);
  });

  std::vector<char> taken(count);
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> current_bits;  // of the empty filter, to begin with
  std::vector<Nearest> found(parts);
  while (order.size() < count) {
    executor.for_chunks(parts, 1, [&](std::size_t part, std::size_t, int) {
      Postings& p = *postings[part];
      p.count(current_bits);
      Nearest best;
      for (std::size_t f = p.begin(); f < p.end(); ++f) {
        if (taken[f]) continue;
        best = std::min(best, Nearest{distance(metric, current_bits.size(), ones[f], p.common(f)),
                                      static_cast<std::uint32_t>(f)});
      }
      found[part] = best;
    });
    const std::uint32_t next = std::ranges::min_element(found, std::less<>{})->filter;
    taken[next] = 1;
    order.push_back(next);
    current_bits = bits_of(filters[next], words);
  }
  return order;
}

}  // namespace bloomery
