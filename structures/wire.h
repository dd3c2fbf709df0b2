// Plain values in and out of a message. All ranks run the same program on processors of one kind, so that bytes are as
// they lie in memory.
#ifndef BLOOMERY_STRUCTURES_WIRE_H_
#define BLOOMERY_STRUCTURES_WIRE_H_

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "structures/ranks.h"

namespace bloomery {

class Writer {
 public:
  explicit Writer(std::size_t expected = 64) { message_.reserve(expected); }

  template <class T>
  Writer& value(const T& value) requires std::is_trivially_copyable_v<T> {
    return bytes(&value, sizeof value);
  }
  template <class T>
  Writer& list(std::span<const T> values) {
    return value<std::uint64_t>(values.size()).bytes(values.data(), values.size_bytes());
  }
  Writer& text(std::string_view text) { return list(std::span<const char>(text)); }
  std::size_t size() const { return message_.size(); }
  Message take() { return std::move(message_); }

 private:
  Writer& bytes(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::uint8_t*>(data);
    message_.insert(message_.end(), first, first + size);
    return *this;
  }

  Message message_;
};

class Reader {
 public:
  explicit Reader(MessageView message) : rest_(message) {}

  template <class T>
  T value() requires std::is_trivially_copyable_v<T> {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  // Copied, because a message has no alignment.
  template <class T>
  std::vector<T> list() {
    const auto count = value<std::uint64_t>();
    if (count > rest_.size() / sizeof(T)) throw RankLost("a message between ranks is cut short");
    std::vector<T> values(count);
    const MessageView bytes = take(count * sizeof(T));
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::string text() {
    const std::vector<char> letters = list<char>();
    return {letters.begin(), letters.end()};
  }
  MessageView rest() const { return rest_; }

 private:
  MessageView take(std::size_t size) {
    if (size > rest_.size()) throw RankLost("a message between ranks is cut short");
    const MessageView front = rest_.first(size);
    rest_ = rest_.subspan(size);
    return front;
  }

  MessageView rest_;
};

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_WIRE_H_
