#include "structures/packed_filter.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "structures/bit_windows.h"

namespace bloomery {
namespace {

constexpr std::array<std::uint8_t, 4> kMagic = {'B', 'L', 'M', 'F'};
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kHeadBytes = 16, kChecksumBytes = 8;

struct CodedStretch {
  std::uint64_t ones = 0;
  Bytes code;
};

// Calls body(stretch) for each.
template <class Body>
void for_stretches(const PackedShape& shape, Body&& body) {
  std::uint64_t first = 0;
  for (std::uint64_t bits : shape.stretch_bits) {
    body(BitStretch{first, bits});
    first += bits;
  }
}

std::vector<CodedStretch> code_of(const PackedShape& shape, const Word* words) {
  std::vector<CodedStretch> coded;
  for_stretches(shape, [&](BitStretch stretch) {
    const std::uint64_t ones = count_ones_between(words, stretch.first, stretch.bits);
    coded.push_back({ones, encode_stretch(words, stretch, ones)});
  });
  return coded;
}

// The stretch from the first bit of a word on.
std::vector<Word> copied(const Word* words, BitStretch stretch) {
  std::vector<Word> copy;
  copy.reserve(words_for(stretch.bits));
  for_windows(stretch.first, stretch.bits,
              [&](std::uint64_t at, std::uint64_t length) { copy.push_back(window(words, at, length)); });
  return copy;
}

// --- bytes -----------------------------------------------------------------------------------------------------------

void append(Bytes& bytes, std::uint64_t number, int width) {
  for (int i = 0; i < width; ++i) bytes.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
}

// Takes bytes from the front; who takes more than there are gets an error, not memory.
class Reader {
 public:
  explicit Reader(ByteView bytes) : rest_(bytes) {}
  ByteView take(std::uint64_t count) {
    if (count > rest_.size())
      throw PackedFilterError(fmt::format("{} bytes are wanted where {} are left", count, rest_.size()));
    const ByteView front = rest_.first(count);
    rest_ = rest_.subspan(count);
    return front;
  }
  std::uint64_t number(std::size_t width) {
    const ByteView bytes = take(width);
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8 | bytes[i];
    return value;
  }
  std::size_t left() const { return rest_.size(); }

 private:
  ByteView rest_;
};

std::uint64_t checksum_of(ByteView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

// What is inside, once head and checksum are as they must be.
Reader opened(ByteView bytes) {
  if (bytes.size() < kHeadBytes + kChecksumBytes) {
    throw PackedFilterError(fmt::format("{} bytes are too few to be one", bytes.size()));
  }
  if (!std::ranges::equal(bytes.first(kMagic.size()), kMagic)) throw PackedFilterError("the bytes are something else");
  Reader head(bytes.subspan(kMagic.size()));
  if (const std::uint64_t version = head.number(4); version != kVersion) {
    throw PackedFilterError(fmt::format("version {}, where {} is the one known here", version, kVersion));
  }
  const ByteView content = bytes.first(bytes.size() - kChecksumBytes);
  if (Reader(bytes.last(kChecksumBytes)).number(8) != checksum_of(content)) {
    throw PackedFilterError("the checksum is wrong; the bytes were damaged or cut off");
  }
  return Reader(content.subspan(8));
}

void expect_shape(const PackedShape& shape, Reader& reader) {
  const std::uint64_t numbers = reader.number(4), stretches = reader.number(4);
  if (numbers != shape.numbers.size() || stretches != shape.stretch_bits.size()) {
    throw PackedFilterError("it is of another kind of filter");
  }
  for (std::size_t i = 0; i < numbers; ++i) {
    const std::uint64_t there = reader.number(8);
    if (there == shape.numbers[i]) continue;
    throw PackedFilterError(
        fmt::format("it is of another shape: number {} of it is {}, here it is {}", i, there, shape.numbers[i]));
  }
}

}  // namespace

std::uint64_t PackedShape::bits() const {
  return std::accumulate(stretch_bits.begin(), stretch_bits.end(), std::uint64_t{0});
}

Bytes pack_filter(const PackedShape& shape, const Word* words) {
  const std::vector<CodedStretch> coded = code_of(shape, words);
  Bytes bytes(kMagic.begin(), kMagic.end());
  append(bytes, kVersion, 4);
  append(bytes, shape.numbers.size(), 4);
  append(bytes, coded.size(), 4);
  for (std::uint64_t number : shape.numbers) append(bytes, number, 8);
  for (const CodedStretch& stretch : coded) {
    append(bytes, stretch.ones, 8);
    append(bytes, stretch.code.size(), 8);
  }
  for (const CodedStretch& stretch : coded) bytes.insert(bytes.end(), stretch.code.begin(), stretch.code.end());
  append(bytes, checksum_of(bytes), kChecksumBytes);
  return bytes;
}

std::vector<Word> unpack_filter(const PackedShape& shape, ByteView bytes) {
  Reader reader = opened(bytes);
  expect_shape(shape, reader);
  Reader table(reader.take(16 * shape.stretch_bits.size()));
  std::vector<Word> words(words_for(shape.bits()));
  for_stretches(shape, [&](BitStretch stretch) {
    const std::uint64_t ones = table.number(8), length = table.number(8);
    if (decode_stretch(reader.take(length), ones, words.data(), stretch)) return;
    throw PackedFilterError(fmt::format("the code of bits {} to {} is not that of {} ones", stretch.first,
                                        stretch.first + stretch.bits, ones));
  });
  if (reader.left() != 0) throw PackedFilterError(fmt::format("{} bytes are left over", reader.left()));
  return words;
}

std::uint64_t coded_bits(const PackedShape& shape, const Word* words) {
  std::uint64_t bytes = 0;
  for (const CodedStretch& stretch : code_of(shape, words)) bytes += stretch.code.size();
  return bytes * 8;
}

std::uint64_t zstd_bits(const PackedShape& shape, const Word* words) {
  std::uint64_t bytes = 0;
  for_stretches(shape, [&](BitStretch stretch) {
    const std::vector<Word> aligned = copied(words, stretch);
    Bytes code(ZSTD_compressBound((stretch.bits + 7) / 8));
    const std::size_t size =
        ZSTD_compress(code.data(), code.size(), aligned.data(), (stretch.bits + 7) / 8, ZSTD_CLEVEL_DEFAULT);
    if (ZSTD_isError(size)) throw std::runtime_error(fmt::format("zstd: {}", ZSTD_getErrorName(size)));
    bytes += size;
  });
  return bytes * 8;
}

}  // namespace bloomery
