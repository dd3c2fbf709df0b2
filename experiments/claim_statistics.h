// What a difference between repetitions is worth: bootstrap draws, intervals that admit how few repetitions there are,
// and least squares.
#ifndef BLOOMERY_EXPERIMENTS_CLAIM_STATISTICS_H_
#define BLOOMERY_EXPERIMENTS_CLAIM_STATISTICS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace bloomery {

// One resample of the repetitions; number 0 is the data as they are. All that is measured equally often takes the same
// repetitions in one draw: what is compared was measured side by side, so what slowed one moment down slowed both.
class Draw {
 public:
  explicit Draw(std::uint64_t number) : number_(number) {}
  bool is_estimate() const { return number_ == 0; }
  const std::vector<std::size_t>& picks(std::size_t count) const;  // of 0 ... count - 1, with replacement
  // What a count of rare events might have been another time, the same in one draw for one `source`.
  double count_again(double count, std::uint64_t source) const;

 private:
  std::uint64_t number_;
  mutable std::map<std::size_t, std::vector<std::size_t>> picks_;
};

struct Observation {  // of one repetition
  double value = 0;
  double events = -1;  // the value is this many events in so many trials; negative if it is no such rate
  double trials = 0;
  std::uint64_t source = 0;
};

double median_at(const std::vector<Observation>& observations, const Draw& draw);

struct Interval {
  double estimate = 0;
  double low = 0, high = 0;  // 95 %
};

// Percentiles of the draws, moved away from the estimate by Student's factor for so many repetitions, as few of them
// vary less than many do. One repetition says nothing: its interval has no ends. 0 repetitions: what needs none, such
// as a size that has no chance in it or a rate whose events are counted.
Interval interval_of(const std::function<double(const Draw&)>& statistic, int repetitions);

// Sum of squared residuals of y = a + b x.
double residual_of_line(const std::vector<double>& x, const std::vector<double>& y);
double slope_of_line(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CLAIM_STATISTICS_H_
