// An array that grows without moving: a reader's pointers stay good, and entries appear with the size that covers them.
#ifndef BLOOMERY_STRUCTURES_STABLE_ARRAY_H_
#define BLOOMERY_STRUCTURES_STABLE_ARRAY_H_

#include <cstddef>
#include <memory>
#include <type_traits>

#include "structures/arena.h"

namespace bloomery {

// One thread changes it, others may read: size() acquires what resize() released, so that whoever sees an entry's place
// sees the entry as it was made. What is written to an entry later is for its owner to publish.
template <class T>
class StableArray {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(Word));

 public:
  std::size_t size() const { return __atomic_load_n(&size_, __ATOMIC_ACQUIRE); }
  bool empty() const { return size() == 0; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* data() { return reinterpret_cast<T*>(memory_.at(0)); }
  const T* data() const { return reinterpret_cast<const T*>(memory_.at(0)); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }

  void resize(std::size_t count, const T& value = T()) {
    const std::size_t old = size_;
    const std::size_t words = (count * sizeof(T) + sizeof(Word) - 1) / sizeof(Word);
    if (words > memory_.used()) memory_.allocate_run(words - memory_.used());
    if (count > old) std::uninitialized_fill(data() + old, data() + count, value);
    __atomic_store_n(&size_, count, __ATOMIC_RELEASE);
  }
  void push_back(const T& value) { resize(size() + 1, value); }
  void pop_back() { resize(size() - 1); }

  std::uint64_t memory_bytes() const { return memory_.used() * sizeof(Word); }

 private:
  Arena memory_{1};
  std::size_t size_ = 0;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_STABLE_ARRAY_H_
