// The k-mers of FASTA and FASTQ. Sequences may be lines of any length, so they are read letter by letter.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/data_formats.h"

namespace bloomery {
namespace {

constexpr std::array<std::uint8_t, 256> kCodes = [] {
  std::array<std::uint8_t, 256> codes{};
  codes.fill(4);
  const char* letters[] = {"Aa", "Cc", "Gg", "TtUu"};
  for (std::uint8_t code = 0; code < 4; ++code) {
    for (const char* letter = letters[code]; *letter != '\0'; ++letter)
      codes[static_cast<unsigned char>(*letter)] = code;
  }
  return codes;
}();

class SequenceReader {
 public:
  explicit SequenceReader(const Reading& reading)
      : reading_(reading),
        input_(reading.file.path, reading.file.state, reading.progress),
        fastq_(reading.options.format == "fastq"),
        set_(reading.file.set),
        mask_(reading.keys.kmer == 32 ? ~std::uint64_t{0} : (std::uint64_t{1} << (2 * reading.keys.kmer)) - 1),
        shift_(2 * (reading.keys.kmer - 1)) {}

  void read() {
    std::vector<char> block(1 << 18);
    while (const std::size_t got = input_.read(block.data(), block.size())) {
      for (std::size_t i = 0; i < got; ++i) step(block[i]);
    }
    if (state_ == kHeader) end_header();
    if (fastq_ && (state_ == kSequence || state_ == kPlus || quality_ != bases_)) {
      input_.set_line(line_);
      input_.reject("the file ends in the middle of a record");
    }
    reading_.lot.flush();
    if (keys_ == 0) {
      reading_.notes.add(reading_.file.path, 0, fmt::format("no {}-mers in it", reading_.keys.kmer));
    }
  }

 private:
  enum State { kStart, kHeader, kSequence, kPlus, kQuality };

  void step(char letter) {
    if (letter == '\n') return end_line();
    const bool first = at_line_start_;
    at_line_start_ = false;
    if (first && begins_record(letter)) return begin_record();
    switch (state_) {
      case kStart:
        reject(fmt::format("a record should begin with '{}' here", fastq_ ? '@' : '>'));
      case kHeader:
        header_ += letter;
        break;
      case kSequence:
        letter == '\r' ? void() : fastq_&& first&& letter == '+' ? begin_plus() : add_base(letter);
        break;
      case kPlus:
        break;
      case kQuality:
        quality_ += letter != '\r';
        break;
    }
  }

  // A quality line of FASTQ may begin with any letter: what has as many as there are bases is over.
  bool begins_record(char letter) const {
    if (!fastq_) return letter == '>';
    return letter == '@' && (state_ == kStart || (state_ == kQuality && quality_ >= bases_));
  }

  void begin_record() {
    if (fastq_ && quality_ != bases_) reject(fmt::format("{} qualities for {} bases", quality_, bases_));
    state_ = kHeader;
    header_.clear();
    run_ = bases_ = quality_ = 0;
  }

  void begin_plus() { state_ = kPlus; }

  void end_line() {
    if (state_ == kHeader) {
      end_header();
      state_ = kSequence;
    } else if (state_ == kPlus) {
      state_ = kQuality;
    }
    ++line_;
    at_line_start_ = true;
  }

  void end_header() {
    if (reading_.set_a_file) return;
    const std::string name = header_.substr(0, header_.find_first_of(" \t\r"));
    if (name.empty()) reject("the record has no name");
    set_ = reading_.names.id_of(name);
    if (set_ < seen_) reject(fmt::format("there are two records '{}'; rename one", name));
    seen_ = std::max(seen_, set_ + 1);
  }

  void add_base(char letter) {
    ++bases_;
    const std::uint8_t code = kCodes[static_cast<unsigned char>(letter)];
    if (code > 3) {
      run_ = 0;  // N and its like: no k-mer goes across
      const bool known =
          (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') || letter == '-' || letter == '*';
      if (!known) reject(fmt::format("byte 0x{:02x} in a sequence", static_cast<unsigned char>(letter)));
      return;
    }
    forward_ = (forward_ << 2 | code) & mask_;
    reverse_ = reverse_ >> 2 | static_cast<std::uint64_t>(3 - code) << shift_;
    if (++run_ < reading_.keys.kmer) return;
    ++keys_;
    reading_.lot.add(set_, reading_.keys.key_of_kmer(forward_, reverse_));
  }

  [[noreturn]] void reject(const std::string& what) {
    input_.set_line(line_);
    input_.reject(what);
  }

  const Reading& reading_;
  ByteReader input_;
  const bool fastq_;
  SetId set_;
  const std::uint64_t mask_, shift_;
  State state_ = kStart;
  bool at_line_start_ = true;
  std::string header_;
  std::uint64_t line_ = 1, run_ = 0, bases_ = 0, quality_ = 0, keys_ = 0;
  std::uint64_t forward_ = 0, reverse_ = 0;
  SetId seen_ = 0;  // records of this pass have the ids below
};

}  // namespace

void read_sequences(const Reading& reading) { SequenceReader(reading).read(); }

}  // namespace bloomery
