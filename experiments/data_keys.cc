#include "experiments/data_keys.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "experiments/pcap.h"
#include "structures/hash.h"

namespace bloomery {
namespace {

std::optional<Key> kmer_key(const KeyEncoding& keys, std::string_view text) {
  if (text.size() != keys.kmer) return std::nullopt;
  std::uint64_t kmer = 0;
  for (const char letter : text) {
    const std::uint8_t code = base_code(letter);
    if (code > 3) return std::nullopt;
    kmer = kmer << 2 | code;
  }
  return keys.key_of_kmer(kmer, complement_of(kmer, keys.kmer));
}

}  // namespace

std::optional<std::uint64_t> parse_integer_key(std::string_view text, bool hex) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    hex = true;
    text.remove_prefix(2);
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::uint8_t base_code(char letter) {
  switch (letter) {
    case 'A':
    case 'a':
      return 0;
    case 'C':
    case 'c':
      return 1;
    case 'G':
    case 'g':
      return 2;
    case 'T':
    case 't':
    case 'U':
    case 'u':
      return 3;
    default:
      return 4;
  }
}

std::uint64_t complement_of(std::uint64_t kmer, std::uint64_t k) {
  std::uint64_t reverse = 0;
  for (std::uint64_t i = 0; i < k; ++i, kmer >>= 2) reverse = reverse << 2 | (3 - (kmer & 3));
  return reverse;
}

Key key_of_bytes(const void* bytes, std::size_t count) { return XXH3_64bits(bytes, count); }

// Numbers are mixed: some of the papers' hash functions see the low 31 bits of a key only.
Key KeyEncoding::key_of_kmer(std::uint64_t forward, std::uint64_t reverse) const {
  return mix64(canonical ? std::min(forward, reverse) : forward);
}

std::optional<Key> KeyEncoding::key_of(std::string_view text) const {
  if (kind == kKmer) return kmer_key(*this, text);
  if (kind == kText) return key_of_bytes(text.data(), text.size());
  if (kind == kFlow) {
    const auto flow = parse_flow(text);
    return flow ? std::optional(key_of_bytes(&*flow, sizeof *flow)) : std::nullopt;
  }
  const auto number = parse_integer_key(text, kind == kHex);
  return number ? std::optional(mix64(*number)) : std::nullopt;
}

std::string KeyEncoding::wanted() const {
  switch (kind) {
    case kInteger:
      return "a decimal or 0x hexadecimal integer of 64 bits";
    case kHex:
      return "a hexadecimal integer of 64 bits";
    case kKmer:
      return fmt::format("{} letters of A, C, G and T", kmer);
    case kFlow:
      return "a flow as 'tcp 10.0.0.1:80 10.0.0.2:443'";
    default:
      return "text";
  }
}

std::string KeyEncoding::text() const {
  switch (kind) {
    case kInteger:
      return "integer";
    case kHex:
      return "hex";
    case kKmer:
      return fmt::format("kmer {} {}", kmer, canonical ? "canonical" : "as-written");
    case kFlow:
      return "flow";
    default:
      return "text";
  }
}

std::optional<KeyEncoding> KeyEncoding::parse(const std::string& text) {
  std::istringstream words(text);
  std::string kind, strand;
  KeyEncoding keys;
  words >> kind;
  if (kind == "kmer") {
    words >> keys.kmer >> strand;
    keys.kind = kKmer;
    keys.canonical = strand == "canonical";
  } else {
    keys.kind = kind == "integer" ? kInteger : kind == "hex" ? kHex : kind == "flow" ? kFlow : kText;
  }
  return keys.text() == text && keys.kmer >= 1 && keys.kmer <= 32 ? std::optional(keys) : std::nullopt;
}

}  // namespace bloomery
