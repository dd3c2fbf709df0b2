// From a key as it is written to the 64 bits that every structure works with. The same for the keys of a data set, for
// its queries and for those of a saved index, which remembers how its keys were written.
#ifndef BLOOMERY_EXPERIMENTS_DATA_KEYS_H_
#define BLOOMERY_EXPERIMENTS_DATA_KEYS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "structures/structure.h"

namespace bloomery {

// The number that a text is: decimal, or hexadecimal after 0x; with `hex` always hexadecimal. All of the text, 64 bits.
std::optional<std::uint64_t> parse_integer_key(std::string_view text, bool hex);

// Four letters in two bits each; 4 and more for everything else, which no k-mer goes across.
std::uint8_t base_code(char letter);
// The k-mer `forward`, or its reverse complement if that is smaller and they are one key.
std::uint64_t complement_of(std::uint64_t kmer, std::uint64_t k);

struct KeyEncoding {
  enum Kind { kText, kInteger, kHex, kKmer, kFlow };
  Kind kind = kText;
  std::uint64_t kmer = 31;
  bool canonical = true;

  // The key, or nothing if the text is none of this kind.
  std::optional<Key> key_of(std::string_view text) const;
  Key key_of_kmer(std::uint64_t forward, std::uint64_t reverse) const;

  std::string wanted() const;  // "a decimal or 0x hexadecimal integer of 64 bits"
  std::string text() const;    // for a saved index: "kmer 31 canonical"
  static std::optional<KeyEncoding> parse(const std::string& text);
  friend bool operator==(const KeyEncoding&, const KeyEncoding&) = default;
};

Key key_of_bytes(const void* bytes, std::size_t count);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_DATA_KEYS_H_
