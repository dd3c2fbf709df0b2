// References to the last-level cache and misses in it: from the processor's counters where the machine offers them, else
// from a model.
#ifndef BLOOMERY_EXPERIMENTS_CACHE_H_
#define BLOOMERY_EXPERIMENTS_CACHE_H_

#include <cstdint>
#include <optional>

namespace bloomery {

struct CacheTraffic {
  double references = 0;
  double misses = 0;
};

// The counters of this process and the threads that it starts later. Virtual machines seldom have any.
class CacheCounters {
 public:
  CacheCounters();
  ~CacheCounters();
  CacheCounters(const CacheCounters&) = delete;
  CacheCounters& operator=(const CacheCounters&) = delete;

  void start();
  std::optional<CacheTraffic> stop();  // since start; nothing where there are no counters

 private:
  int references_ = -1, misses_ = -1;  // file descriptors
};

// Lines read at random out of `bytes`: of those that are in a cache of `cache_bytes`, which in the long run holds as large
// a share of them as there is room for, none miss.
CacheTraffic modelled_traffic(double lines, double bytes, double cache_bytes);

double last_level_cache_bytes();  // of the machine; 0 if it does not say

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CACHE_H_
