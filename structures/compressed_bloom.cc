#include "structures/compressed_bloom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "structures/theory.h"

namespace bloomery {
namespace {

constexpr double kMostBits = 0x1p40;

// Bits a key of an array that n_exp keys leave half full: the fewest that are worth compressing.
double half_full(double k) { return k / std::log(2.0); }

double array_for_coded_bits(double k, double c) {
  double low = half_full(k), high = low;
  while (coded_bits_a_key(k, high) < c && high < kMostBits) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (coded_bits_a_key(k, middle) < c ? low : high) = middle;
  }
  return high;
}

Bloom plain_filter(Params plain) { return Bloom(plain); }

// Two parameters may both say how large the filter is, if they say the same.
void expect_same_size(const Params& params, const char* other, double bits, double other_bits) {
  if (!params.given("c") || !params.given(other) || std::abs(bits - other_bits) <= 64 + bits / 100) return;
  throw ParamError("c", fmt::format("c takes an array of {:.0f} bits and {} one of {:.0f}; leave out one of the two",
                                    bits, other, other_bits));
}

}  // namespace

CompressedShape::CompressedShape(Params& params) {
  const double rho =
      params.real("rho", 0.01, 0, 1, "false positive rate wanted when n_exp keys are in, unless c is given");
  const std::uint64_t n_exp = params.integer("n_exp", 10000, 1, 1ULL << 36, "keys expected in a filter");
  k = params.integer("k", 2, 1, kMostHashes, "hash functions");
  const auto hashes = static_cast<double>(k);
  const double by_rate = bits_for_rate(hashes, rho), keys = static_cast<double>(n_exp);
  const double c = params.real("c", coded_bits_a_key(hashes, by_rate), 0, 1 << 20, "bits a key when compressed");
  if (params.given("c") && c < half_full(hashes)) {
    throw ParamError("c",
                     fmt::format("c is {:g} bits a key; with {} hash functions the least is {:.2f}, at which nothing "
                                 "is gained by compression",
                                 c, k, half_full(hashes)));
  }
  const double bits = (params.given("c") ? array_for_coded_bits(hashes, c) : by_rate) * keys;
  const std::string name = params.given("m") ? "m" : params.given("c") ? "c" : params.given("rho") ? "rho" : "n_exp";
  if (name != "m" && bits > kMostBits) {
    throw ParamError(name, fmt::format("{} takes an array of {:.3g} bits; {:.3g} are the most", name, bits, kMostBits));
  }
  m = params.integer("m", whole_words(std::min(bits, kMostBits)), 1, static_cast<std::uint64_t>(kMostBits),
                     "bits in memory; by default from n_exp and c or rho");
  expect_same_size(params, "rho", bits, by_rate * keys);
  expect_same_size(params, "m", bits, static_cast<double>(m));
  expect_fits_memory(name, static_cast<double>(m));
  hash = params.choice("hash", "double", {"multiplicative", "double", "modulo"},
                       "a x mod 2^31 mod m, double hashing of a 64-bit mix, or x mod m");
  seed = ask_seed(params);
  atomic = ask_atomic(params);
}

Params CompressedShape::plain() const {
  return Params({{"m", std::to_string(m)},
                 {"k", std::to_string(k)},
                 {"hash", hash},
                 {"seed", std::to_string(seed)},
                 {"atomic", atomic ? "true" : "false"}});
}

PackedShape CompressedShape::packed() const {
  return {.numbers = {kPackedBloom, m, k, static_cast<std::uint64_t>(parse_hash(hash)), seed}, .stretch_bits = {m}};
}

CompressedBloom::CompressedBloom(Params& params) : CompressedBloom(CompressedShape(params)) {}

CompressedBloom::CompressedBloom(const CompressedShape& shape)
    : packed_(shape.packed()), bloom_(plain_filter(shape.plain())) {}

std::uint64_t CompressedBloom::compressed_bits() const { return coded_bits(packed_, bloom_.view().data()); }

std::uint64_t CompressedBloom::zstd_bits() const { return bloomery::zstd_bits(packed_, bloom_.view().data()); }

Bytes CompressedBloom::save() const { return pack_filter(packed_, bloom_.view().data()); }

void CompressedBloom::load(ByteView bytes) {
  const std::vector<Word> words = unpack_filter(packed_, bytes);
  bloom_.replace(0, {});
  bloom_.insert_filter(0, words);
}

}  // namespace bloomery
