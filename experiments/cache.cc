#include "experiments/cache.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace bloomery {
namespace {

int open_counter(std::uint64_t event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = event;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

std::optional<double> count_of(int counter) {
  std::uint64_t count = 0;
  if (counter < 0 || read(counter, &count, sizeof count) != sizeof count) return std::nullopt;
  return static_cast<double>(count);
}

}  // namespace

CacheCounters::CacheCounters()
    : references_(open_counter(PERF_COUNT_HW_CACHE_REFERENCES)), misses_(open_counter(PERF_COUNT_HW_CACHE_MISSES)) {}

CacheCounters::~CacheCounters() {
  for (const int counter : {references_, misses_}) {
    if (counter >= 0) close(counter);
  }
}

void CacheCounters::start() {
  for (const int counter : {references_, misses_}) {
    if (counter < 0) continue;
    ioctl(counter, PERF_EVENT_IOC_RESET, 0);
    ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
  }
}

std::optional<CacheTraffic> CacheCounters::stop() {
  for (const int counter : {references_, misses_}) {
    if (counter >= 0) ioctl(counter, PERF_EVENT_IOC_DISABLE, 0);
  }
  const auto references = count_of(references_), misses = count_of(misses_);
  if (!references || !misses || *references == 0) return std::nullopt;
  return CacheTraffic{*references, *misses};
}

CacheTraffic modelled_traffic(double lines, double bytes, double cache_bytes) {
  return {lines, bytes <= 0 ? 0 : lines * (1 - std::min(1.0, cache_bytes / bytes))};
}

double last_level_cache_bytes() {
  for (const int level : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
    if (const long bytes = sysconf(level); bytes > 0) return static_cast<double>(bytes);
  }
  return 0;
}

}  // namespace bloomery
