#include "structures/arithmetic_coder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "structures/bit_windows.h"
#include "structures/hash.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kLeastRange = std::uint64_t{1} << 56;

// The part of the interval that a one takes: at least 1 and less than all.
std::uint64_t part_of(std::uint64_t range, Chance one) { return static_cast<std::uint64_t>((Wide{range} * one) >> 32); }

void set_bit(Word* words, std::uint64_t position) { words[position / 64] |= Word{1} << (position % 64); }

// Whether each bit is known from the number of ones.
bool all_alike(std::uint64_t ones, std::uint64_t bits) { return ones == 0 || ones == bits; }

void put_stretch(BitEncoder& encoder, const Word* words, BitStretch stretch, Chance one) {
  for_windows(stretch.first, stretch.bits, [&](std::uint64_t at, std::uint64_t length) {
    Word bits = window(words, at, length);
    for (; length > 0; --length, bits >>= 1) encoder.put((bits & 1) != 0, one);
  });
}

// Returns how many ones there were.
std::uint64_t get_stretch(BitDecoder& decoder, Word* words, BitStretch stretch, Chance one) {
  std::uint64_t ones = 0;
  for (std::uint64_t i = 0; i < stretch.bits; ++i) {
    if (!decoder.get(one)) continue;
    set_bit(words, stretch.first + i);
    ++ones;
  }
  return ones;
}

void fill_ones(Word* words, BitStretch stretch) {
  for_windows(stretch.first, stretch.bits,
              [&](std::uint64_t at, std::uint64_t length) { merge_mask(SerialBits{}, words, at, low_bits(length)); });
}

template <class Body>
void for_filters(BitStretch stretch, std::uint64_t m, Body&& body) {
  for (std::uint64_t done = 0; done < stretch.bits; done += m) body(BitStretch{stretch.first + done, m});
}

}  // namespace

Chance chance_of(std::uint64_t ones, std::uint64_t bits) {
  const double share = static_cast<double>(ones) / static_cast<double>(bits);
  return static_cast<Chance>(std::clamp(std::round(share * 0x1p32), 1.0, 0x1p32 - 1));
}

// --- encoder ---------------------------------------------------------------------------------------------------------

// The low end has passed 2^64: one more in the bytes that are written. They cannot all be 255, for the code is below 1.
void BitEncoder::carry() {
  auto byte = bytes_.rbegin();
  while (++*byte == 0) ++byte;
}

void BitEncoder::put(bool bit, Chance one) {
  const std::uint64_t part = part_of(range_, one);
  if (bit) {
    range_ = part;
  } else {
    low_ += part;
    range_ -= part;
    if (low_ < part) carry();
  }
  for (; range_ < kLeastRange; range_ <<= 8, low_ <<= 8) bytes_.push_back(static_cast<std::uint8_t>(low_ >> 56));
}

void BitEncoder::put_number(std::uint64_t number, int width) {
  for (int i = width; i-- > 0;) put(((number >> i) & 1) != 0, kEven);
}

// As few bytes as name a number in the interval. Zeros at the end need not be written: the decoder reads them anyway.
Bytes BitEncoder::finish() {
  for (int kept = 0; kept <= 8; ++kept) {
    const std::uint64_t rest = kept == 0 ? ~std::uint64_t{0} : kept == 8 ? 0 : ~std::uint64_t{0} >> (8 * kept);
    const std::uint64_t number = (low_ + rest) & ~rest;
    if (number - low_ >= range_) continue;
    if (number < low_) carry();
    for (int i = 0; i < kept; ++i) bytes_.push_back(static_cast<std::uint8_t>(number >> (56 - 8 * i)));
    break;
  }
  while (!bytes_.empty() && bytes_.back() == 0) bytes_.pop_back();
  return std::move(bytes_);
}

// --- decoder ---------------------------------------------------------------------------------------------------------

BitDecoder::BitDecoder(ByteView bytes) : bytes_(bytes) {
  for (int i = 0; i < 8; ++i) value_ = value_ << 8 | next_byte();
}

bool BitDecoder::get(Chance one) {
  const std::uint64_t part = part_of(range_, one);
  const bool bit = value_ < part;
  if (bit) {
    range_ = part;
  } else {
    value_ -= part;
    range_ -= part;
  }
  for (; range_ < kLeastRange; range_ <<= 8) value_ = value_ << 8 | next_byte();
  return bit;
}

std::uint64_t BitDecoder::get_number(int width) {
  std::uint64_t number = 0;
  for (int i = 0; i < width; ++i) number = number << 1 | (get(kEven) ? 1 : 0);
  return number;
}

// --- stretches -------------------------------------------------------------------------------------------------------

Bytes encode_stretch(const Word* words, BitStretch stretch, std::uint64_t ones) {
  if (all_alike(ones, stretch.bits)) return {};
  BitEncoder encoder;
  put_stretch(encoder, words, stretch, chance_of(ones, stretch.bits));
  return encoder.finish();
}

bool decode_stretch(ByteView bytes, std::uint64_t ones, Word* words, BitStretch stretch) {
  if (ones > stretch.bits) return false;
  if (all_alike(ones, stretch.bits)) {
    if (ones != 0) fill_ones(words, stretch);
    return bytes.empty();
  }
  BitDecoder decoder(bytes);
  return get_stretch(decoder, words, stretch, chance_of(ones, stretch.bits)) == ones;
}

FilterwiseCode encode_filterwise(const Word* words, BitStretch stretch, std::uint64_t m) {
  FilterwiseCode code;
  BitEncoder encoder;
  const auto width = static_cast<int>(std::bit_width(m));
  for_filters(stretch, m, [&](BitStretch filter) {
    const std::uint64_t ones = count_ones_between(words, filter.first, m);
    encoder.put_number(ones, width);
    code.count_bits += static_cast<std::uint64_t>(width);
    if (!all_alike(ones, m)) put_stretch(encoder, words, filter, chance_of(ones, m));
  });
  code.bytes = encoder.finish();
  return code;
}

void decode_filterwise(ByteView bytes, Word* words, BitStretch stretch, std::uint64_t m) {
  BitDecoder decoder(bytes);
  const auto width = static_cast<int>(std::bit_width(m));
  for_filters(stretch, m, [&](BitStretch filter) {
    const std::uint64_t ones = std::min(m, decoder.get_number(width));
    if (!all_alike(ones, m)) {
      get_stretch(decoder, words, filter, chance_of(ones, m));
    } else if (ones != 0) {
      fill_ones(words, filter);
    }
  });
}

double entropy_bits(std::uint64_t ones, std::uint64_t bits) {
  if (all_alike(ones, bits)) return 0;
  const double all = static_cast<double>(bits), p = static_cast<double>(ones) / all;
  return -all * (p * std::log2(p) + (1 - p) * std::log2(1 - p));
}

}  // namespace bloomery
