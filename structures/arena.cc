#include "structures/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace bloomery {
namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20;
constexpr std::size_t kLineWords = 8;

// A power of two below a cache line, so that no slot straddles two, else whole lines.
std::size_t padded(std::size_t words) {
  return words < kLineWords ? std::bit_ceil(words) : (words + kLineWords - 1) / kLineWords * kLineWords;
}

}  // namespace

std::uint64_t machine_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

Arena::Arena(std::size_t words_per_slot) : stride_(padded(std::max<std::size_t>(words_per_slot, 1))) {
  reserved_bytes_ = machine_memory() / kHuge * kHuge;
  void* address = mmap(nullptr, reserved_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<Word*>(address);
  const auto start = (reinterpret_cast<std::uintptr_t>(address) + kHuge - 1) / kHuge * kHuge;
  const std::size_t skipped = start - reinterpret_cast<std::uintptr_t>(address) + kHuge;
  // Small structures stay on small pages: zeroing 2 MiB for a few filters would cost more than it gains.
  madvise(static_cast<char*>(address) + skipped, reserved_bytes_ - skipped, MADV_HUGEPAGE);
}

Arena::~Arena() { release(); }

Arena::Arena(Arena&& other) noexcept { *this = std::move(other); }

Arena& Arena::operator=(Arena&& other) noexcept {
  if (this == &other) return *this;
  release();
  base_ = std::exchange(other.base_, nullptr);
  stride_ = other.stride_;
  reserved_bytes_ = other.reserved_bytes_;
  top_ = std::exchange(other.top_, 0);
  free_ = std::move(other.free_);
  return *this;
}

void Arena::release() {
  if (base_ != nullptr) munmap(base_, reserved_bytes_);
}

std::uint32_t Arena::allocate() {
  if (!free_.empty()) {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    std::memset(at(slot), 0, stride_ * sizeof(Word));
    return slot;
  }
  if ((std::size_t{top_} + 1) * stride_ * sizeof(Word) > reserved_bytes_) throw std::bad_alloc();
  return top_++;
}

std::uint32_t Arena::allocate_run(std::uint64_t slots) {
  const std::uint64_t left = reserved_bytes_ / (stride_ * sizeof(Word)) - top_;
  if (slots > left || slots > ~top_) throw std::bad_alloc();
  const std::uint32_t first = top_;
  top_ += static_cast<std::uint32_t>(slots);
  return first;
}

void Arena::free(std::uint32_t slot) { free_.push_back(slot); }

std::uint64_t Arena::resident_bytes() const {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t pages = (std::size_t{top_} * stride_ * sizeof(Word) + page - 1) / page;
  std::vector<unsigned char> resident(pages);
  if (pages == 0 || mincore(base_, pages * page, resident.data()) != 0) return pages * page;
  return static_cast<std::uint64_t>(std::ranges::count_if(resident, [](auto p) { return (p & 1) != 0; })) * page;
}

}  // namespace bloomery
