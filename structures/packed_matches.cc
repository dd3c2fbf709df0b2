#include "structures/packed_matches.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "structures/wire.h"

namespace bloomery {
namespace {

struct Head {
  std::uint64_t matches;
  std::uint32_t sets;  // ids are below
  std::uint32_t dense;
};

constexpr std::size_t kLongest = 10;  // bytes of 64 bits, seven at a time

// Of either sign, near zero in few bits.
std::uint64_t folded(std::int64_t gap) {
  return (static_cast<std::uint64_t>(gap) << 1) ^ static_cast<std::uint64_t>(gap >> 63);
}
std::int64_t unfolded(std::uint64_t code) {
  return static_cast<std::int64_t>(code >> 1) ^ -static_cast<std::int64_t>(code & 1);
}

std::uint8_t* put(std::uint64_t code, std::uint8_t* out) {
  for (; code >= 0x80; code >>= 7) *out++ = static_cast<std::uint8_t>(code | 0x80);
  *out++ = static_cast<std::uint8_t>(code);
  return out;
}

[[noreturn]] void refuse() { throw RankLost("the answer of a rank is damaged"); }

std::uint64_t get(const std::uint8_t*& next, const std::uint8_t* end) {
  std::uint64_t code = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (next == end) refuse();
    const std::uint8_t byte = *next++;
    code |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return code;
  }
  refuse();
}

std::uint32_t sets_of(std::span<const Match> matches) {
  std::uint32_t sets = 0;
  for (const Match& match : matches) sets = std::max(sets, match.set + 1);
  return sets;
}

// Each match is a place in the table of keys and sets; what is written is how far it is from the last one. False, and
// `out` as it was, when that takes more than `limit` bytes.
bool pack_gaps(std::span<const Match> matches, std::uint32_t sets, std::size_t limit, Message& out) {
  const std::size_t before = out.size();
  out.resize(before + std::min(limit, matches.size() * kLongest) + kLongest);
  const std::uint8_t* const first = out.data() + before;
  std::uint8_t* next = out.data() + before;
  Match last{0, 0};
  for (const Match& match : matches) {
    const auto rows = static_cast<std::int64_t>(match.index) - last.index;
    const auto gap = rows * sets + (static_cast<std::int64_t>(match.set) - last.set);
    next = put(folded(gap), next);
    last = match;
    if (static_cast<std::size_t>(next - first) > limit) {
      out.resize(before);
      return false;
    }
  }
  out.resize(before + static_cast<std::size_t>(next - first));
  return true;
}

void unpack_gaps(MessageView packed, const Head& head, std::size_t keys, std::uint32_t first_index,
                 std::uint32_t stride, std::uint32_t offset, Matches& out) {
  const std::uint8_t* next = packed.data();
  const std::uint8_t* const end = next + packed.size();
  std::int64_t index = 0, set = 0;
  const std::int64_t sets = head.sets;
  for (std::uint64_t i = 0; i < head.matches; ++i) {
    const std::int64_t gap = unfolded(get(next, end));
    if (gap > sets * static_cast<std::int64_t>(keys) || -gap > sets * static_cast<std::int64_t>(keys)) refuse();
    set += gap;
    for (; set >= sets; set -= sets) ++index;  // few steps: answers come in the order of the batch
    for (; set < 0; set += sets) --index;
    if (index < 0 || index >= static_cast<std::int64_t>(keys)) refuse();
    out.push(first_index + static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(set) * stride + offset);
  }
  if (next != end) refuse();
}

void pack_bits(std::span<const Match> matches, std::uint32_t sets, std::size_t bytes, Message& out) {
  const std::size_t before = out.size();
  out.resize(before + bytes);
  for (const Match& match : matches) {
    const std::uint64_t place = std::uint64_t{match.index} * sets + match.set;
    out[before + place / 8] |= static_cast<std::uint8_t>(1U << (place % 8));
  }
}

void unpack_bits(MessageView packed, const Head& head, std::size_t keys, std::uint32_t first_index,
                 std::uint32_t stride, std::uint32_t offset, Matches& out) {
  const std::uint64_t places = keys * std::uint64_t{head.sets};
  if (packed.size() != (places + 7) / 8) refuse();
  std::uint64_t index = 0, row = 0, found = 0;  // the row of `index` begins at place `row`
  for (std::size_t byte = 0; byte < packed.size(); ++byte) {
    for (unsigned bits = packed[byte]; bits != 0; bits &= bits - 1, ++found) {
      const std::uint64_t place = byte * 8 + static_cast<unsigned>(std::countr_zero(bits));
      if (place >= places || found == head.matches) refuse();
      for (; place - row >= head.sets; row += head.sets) ++index;
      out.push(first_index + static_cast<std::uint32_t>(index),
               static_cast<std::uint32_t>(place - row) * stride + offset);
    }
  }
  if (found != head.matches) refuse();
}

}  // namespace

void pack_matches(std::span<const Match> matches, std::size_t keys, Message& out) {
  Head head{matches.size(), sets_of(matches), 0};
  const std::size_t at = out.size();
  out.resize(at + sizeof head);
  const std::size_t bits = (keys * std::size_t{head.sets} + 7) / 8;
  if (!pack_gaps(matches, head.sets, bits, out)) {
    head.dense = 1;
    pack_bits(matches, head.sets, bits, out);
  }
  std::memcpy(out.data() + at, &head, sizeof head);
}

void unpack_matches(MessageView packed, std::size_t keys, std::uint32_t first_index, std::uint32_t stride,
                    std::uint32_t offset, Matches& out) {
  Head head;
  if (packed.size() < sizeof head) refuse();
  std::memcpy(&head, packed.data(), sizeof head);
  packed = packed.subspan(sizeof head);
  // No more than there can be, before room is made for them.
  if (head.dense > 1 || (head.matches > 0 && head.matches > keys * std::uint64_t{head.sets})) refuse();
  if (head.dense == 0 && head.matches > packed.size()) refuse();
  out.ensure(head.matches);
  (head.dense != 0 ? unpack_bits : unpack_gaps)(packed, head, keys, first_index, stride, offset, out);
}

}  // namespace bloomery
