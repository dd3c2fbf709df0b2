// 64-bit little-endian integers; set i has those from offset i to offset i + 1, counted in integers.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "experiments/data_formats.h"
#include "experiments/errors.h"
#include "structures/hash.h"

namespace bloomery {
namespace {

static_assert(std::endian::native == std::endian::little, "binary files are little-endian");

// All integers of a file, a block at a time.
template <class Use>
void for_integers(ByteReader& input, Use use) {
  std::vector<char> block(1 << 18);
  std::size_t size = 0;
  for (;;) {
    const std::size_t got = input.read(block.data() + size, block.size() - size);
    if (got == 0) break;
    size += got;
    for (std::size_t i = 0; i + 8 <= size; i += 8) {
      std::uint64_t value = 0;
      std::memcpy(&value, block.data() + i, 8);
      use(value);
    }
    std::memmove(block.data(), block.data() + size / 8 * 8, size % 8);
    size %= 8;
  }
  if (size != 0) input.reject(fmt::format("{} bytes are left over; its size must be a multiple of 8", size));
}

std::vector<std::uint64_t> read_offsets(const std::string& file) {
  ByteReader input(file, state_of(file), nullptr);
  std::vector<std::uint64_t> offsets;
  for_integers(input, [&](std::uint64_t value) {
    if (offsets.empty() ? value != 0 : value < offsets.back()) {
      input.reject(fmt::format("offset {} is {}; offsets begin with 0 and never fall", offsets.size(), value));
    }
    offsets.push_back(value);
  });
  if (offsets.size() < 2) input.reject("needs at least two offsets: 0 and the number of keys");
  return offsets;
}

}  // namespace

void read_binary(const Reading& reading) {
  const std::vector<std::uint64_t> offsets = read_offsets(reading.options.offsets);
  for (std::size_t set = 0; set + 1 < offsets.size(); ++set) reading.names.id_of(std::to_string(set));
  ByteReader input(reading.file.path, reading.file.state, reading.progress);
  std::uint64_t count = 0;
  SetId set = 0;
  for_integers(input, [&](std::uint64_t value) {
    if (count == offsets.back()) {
      input.reject(fmt::format("more keys than the {} that {} ends with", offsets.back(), reading.options.offsets));
    }
    while (count == offsets[set + 1]) ++set;
    reading.lot.add(set, mix64(value));
    ++count;
  });
  reading.lot.flush();
  if (count < offsets.back()) {
    input.reject(fmt::format("{} keys, but {} ends with {}", count, reading.options.offsets, offsets.back()));
  }
}

}  // namespace bloomery
