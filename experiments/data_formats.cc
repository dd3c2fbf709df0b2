#include "experiments/data_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/errors.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBytesLookedAt = 1 << 16;

bool begins_with_any(const std::string& bytes, std::span<const std::string_view> magics) {
  return std::ranges::any_of(magics, [&](std::string_view magic) { return bytes.starts_with(magic); });
}

bool is_pcap(const std::string& bytes) {
  static constexpr std::array<std::string_view, 5> kMagics = {
      std::string_view("\xa1\xb2\xc3\xd4", 4), std::string_view("\xd4\xc3\xb2\xa1", 4),
      std::string_view("\xa1\xb2\x3c\x4d", 4), std::string_view("\x4d\x3c\xb2\xa1", 4),
      std::string_view("\x0a\x0d\x0d\x0a", 4)};
  return begins_with_any(bytes, kMagics);
}

std::string line_at(const std::string& bytes, int number) {
  std::size_t at = 0;
  for (; number > 0 && at != bytes.npos; --number)
    at = bytes.find('\n', at) == bytes.npos ? bytes.npos : bytes.find('\n', at) + 1;
  return at == bytes.npos ? "" : bytes.substr(at, bytes.find('\n', at) - at);
}

std::string format_of_bytes(const std::string& bytes, const fs::path& file) {
  if (is_pcap(bytes)) return "pcap";
  if (bytes.starts_with('>')) return "fasta";
  if (bytes.starts_with('@') && line_at(bytes, 2).starts_with('+')) return "fastq";
  if (const std::size_t nul = bytes.find('\0'); nul != bytes.npos) {
    const auto line = 1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    throw InputError(
        fmt::format("{}:{}: a NUL byte, so this is hardly text; say what it is with format (--format): "
                    "binary for 64-bit integers, text for lines of any bytes",
                    file.string(), line));
  }
  return "text";
}

}  // namespace

const std::vector<DataFormat>& data_format_table() {
  static const std::vector<DataFormat> table = {
      {"text", {".txt", ".list", ".keys", ".words"}, read_text, false, true},
      {"csv", {".csv"}, read_columns, true, true},
      {"tsv", {".tsv"}, read_columns, true, true},
      {"fasta", {".fa", ".fasta", ".fna", ".ffn", ".faa"}, read_sequences, false, false},
      {"fastq", {".fq", ".fastq"}, read_sequences, false, false},
      {"pcap", {".pcap", ".pcapng", ".cap"}, read_flows, false, false},
      {"binary", {".bin", ".u64"}, read_binary, true, false},
  };
  return table;
}

const DataFormat& find_data_format(const std::string& name) {
  return *std::ranges::find(data_format_table(), name, &DataFormat::name);
}

std::string detect_format(const fs::path& file) {
  fs::path name = file;
  if (name.extension() == ".gz") name.replace_extension();
  for (const DataFormat& format : data_format_table()) {
    const bool text = format.name == "text";  // an extension that is put on anything
    if (!text && std::ranges::find(format.extensions, name.extension().string()) != format.extensions.end()) {
      return format.name;
    }
  }
  return format_of_bytes(first_bytes(file, kBytesLookedAt), file);
}

}  // namespace bloomery
