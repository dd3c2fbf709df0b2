// A set a file, a key a line.
#include <fmt/format.h>

#include "experiments/data_formats.h"

namespace bloomery {
namespace {

// Of a text that may be long, or not text at all.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string result(text.substr(0, kMost));
  for (char& c : result) c = static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  return result + (text.size() > kMost ? "..." : "");
}

}  // namespace

Key key_or_reject(const ByteReader& input, const KeyEncoding& keys, std::string_view text) {
  const auto key = keys.key_of(text);
  if (key) return *key;
  input.reject(
      fmt::format("'{}' is not {}; if the keys are text, say keys: text (--keys text)", shown(text), keys.wanted()));
}

void read_text(const Reading& reading) {
  LineReader lines(reading.file.path, reading.file.state, &reading.notes, reading.progress);
  const bool text = reading.keys.kind == KeyEncoding::kText;
  bool empty = true;
  for (std::string_view line; lines.next(line); empty = false) {
    reading.lot.add(reading.file.set,
                    text ? key_of_bytes(line.data(), line.size()) : key_or_reject(lines.input(), reading.keys, line));
  }
  reading.lot.flush();
  if (empty) reading.notes.add(reading.file.path, 0, "no keys in it; the set is empty and never matches");
}

}  // namespace bloomery
