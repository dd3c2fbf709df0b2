#include "structures/index_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <utility>

#include "structures/filter_shape.h"
#include "structures/hash.h"

namespace bloomery {
namespace {

constexpr char kMagic[8] = {'b', 'l', 'o', 'o', 'm', 'i', 'd', 'x'};
constexpr std::uint32_t kVersion = 1, kByteOrder = 0x01020304;
constexpr std::size_t kKeyGroup = 32;  // keys whose rows are on the way together
constexpr SetId kNoSet = ~SetId{0};

struct Descriptor {
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  int number;
};

}  // namespace

Mapping::Mapping(int file, std::uint64_t bytes, bool writable) : size_(bytes) {
  const int rights = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void* address = mmap(nullptr, bytes, rights, MAP_SHARED, file, 0);
  if (address == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  data_ = static_cast<std::byte*>(address);
}

Mapping Mapping::copy_of(int file, std::uint64_t bytes) {
  Mapping memory;
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  memory.data_ = static_cast<std::byte*>(address);
  memory.size_ = bytes;
  madvise(address, bytes, MADV_HUGEPAGE);
  for (std::uint64_t done = 0; done < bytes;) {
    const ssize_t got = pread(file, memory.data_ + done, bytes - done, static_cast<off_t>(done));
    if (got <= 0) throw std::system_error(got < 0 ? errno : EIO, std::generic_category(), "read");
    done += static_cast<std::uint64_t>(got);
  }
  return memory;
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, size_);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

IndexHeader index_header(const IndexShape& shape) {
  IndexHeader header{};
  std::copy_n(kMagic, sizeof kMagic, header.magic);
  header.byte_order = kByteOrder;
  header.version = kVersion;
  header.k = shape.k;
  header.seed = shape.seed;
  shape.keys.copy(header.keys, sizeof header.keys - 1);
  return header;
}

std::uint64_t header_checksum(const IndexHeader& header) {
  return XXH3_64bits(&header, offsetof(IndexHeader, checksum));
}

std::uint64_t bytes_checksum(const std::byte* bytes, std::uint64_t count) { return XXH3_64bits(bytes, count); }

// One multiplication chain a hash: with double hashing, a filter of few bits would have too few different patterns for
// the low rates that an index of many sets is made with.
void index_hashes(const IndexShape& shape, Keys keys, std::uint64_t* out) {
  const std::uint64_t seed = mix64(shape.seed + 0x9e3779b97f4a7c15U);
  for (const Key key : keys) {
    std::uint64_t state = mix64(key ^ seed);
    for (std::uint64_t i = 0; i < shape.k; ++i) *out++ = mix64(state += 0x9e3779b97f4a7c15U);
  }
}

// --- opening ---------------------------------------------------------------------------------------------------------

void IndexFile::refuse(const std::string& problem) const {
  throw IndexFileError(fmt::format("{}: {}", path_, problem));
}

IndexFile::IndexFile(const std::string& path, Held held) : path_(path) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status;
  if (file.number < 0 || fstat(file.number, &status) != 0) refuse(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse("is not a regular file");
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bytes < kIndexPage) refuse(fmt::format("is no index: {} bytes are less than a header", bytes));
  try {
    mapping_ = held == Held::kMapped ? Mapping(file.number, bytes, false) : Mapping::copy_of(file.number, bytes);
  } catch (const std::system_error& error) {
    refuse("cannot be read: " + error.code().message());
  }
  read_header(bytes);
  read_directory();
}

void IndexFile::read_header(std::uint64_t actual_bytes) {
  IndexHeader header;
  std::memcpy(&header, mapping_.data(), sizeof header);
  if (!std::equal(kMagic, kMagic + sizeof kMagic, header.magic)) refuse("is no index of bloomery");
  if (header.byte_order != kByteOrder) refuse("was made on a machine with another byte order");
  if (header.version != kVersion) {
    refuse(fmt::format("is of version {} of the format; this program reads version {}", header.version, kVersion));
  }
  if (header.checksum != header_checksum(header)) refuse("is damaged: the checksum of its header is wrong");
  if (header.bytes != actual_bytes) {
    refuse(fmt::format("is {}: {} bytes, where its header says {}",
                       actual_bytes < header.bytes ? "truncated" : "damaged", actual_bytes, header.bytes));
  }
  if (header.k < 1 || header.k > kMostHashes) refuse("is damaged: its header does not add up");
  if (header.directory_offset > actual_bytes || header.directory_bytes != actual_bytes - header.directory_offset) {
    refuse("is damaged: its header does not add up");
  }
  const std::byte* directory = mapping_.data() + header.directory_offset;
  if (bytes_checksum(directory, header.directory_bytes) != header.directory_checksum) {
    refuse("is damaged: the checksum of its directory is wrong");
  }
  header.keys[sizeof header.keys - 1] = '\0';
  shape_ = {header.k, header.seed, header.keys};
  directory_offset_ = header.directory_offset;
  directory_bytes_ = header.directory_bytes;
  block_count_ = header.blocks;
  set_count_ = header.sets;
}

// The checksums are right, but a file can be made to have them: nothing may point outside of it.
void IndexFile::read_directory() {
  const std::byte* at = mapping_.data() + directory_offset_;
  std::uint64_t left = directory_bytes_;
  const auto take = [&](std::uint64_t count, std::uint64_t size) {
    if (count > left / size) refuse("is damaged: its directory is too short");
    left -= count * size;
    return std::exchange(at, at + count * size);
  };
  blocks_.resize(block_count_ <= directory_bytes_ ? block_count_ : 0);
  const std::byte* blocks = take(block_count_, sizeof(IndexBlock));
  if (block_count_ > 0) std::memcpy(blocks_.data(), blocks, block_count_ * sizeof(IndexBlock));
  for (const IndexBlock& block : blocks_) {
    const bool aligned =
        block.offset % kIndexPage == 0 && block.offset >= kIndexPage && block.offset <= directory_offset_;
    const std::uint64_t room = aligned ? (directory_offset_ - block.offset) / sizeof(Word) : 0;
    if (block.width == 0 || block.rows == 0 || block.width > room || block.rows > room / block.width) {
      refuse("is damaged: a block lies outside of it");
    }
    if (!std::has_single_bit(block.stripes) || block.slots() == 0) refuse("is damaged: a block has no place for sets");
    set_in_.emplace_back(block.slots(), kNoSet);
  }
  const std::byte* records = take(set_count_, sizeof(IndexSetRecord));
  for (SetId id = 0; id < set_count_; ++id) {
    IndexSetRecord record;
    std::memcpy(&record, records + id * sizeof record, sizeof record);
    if (record.block >= block_count_ || record.slot >= set_in_[record.block].size() ||
        std::exchange(set_in_[record.block][record.slot], id) != kNoSet) {
      refuse(fmt::format("is damaged: set {} has no place of its own", id));
    }
    sets_.push_back({record.block, record.slot, record.keys});
    names_.emplace_back(reinterpret_cast<const char*>(take(record.name_bytes, 1)), record.name_bytes);
  }
}

std::uint64_t IndexFile::memory_bytes() const {
  std::uint64_t bytes = sizeof *this + bytes_of(blocks_) + bytes_of(sets_) + bytes_of(names_);
  for (const auto& slots : set_in_) bytes += bytes_of(slots);
  return bytes;
}

void IndexFile::verify() const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (bytes_checksum(block_data(i), blocks_[i].bytes()) == blocks_[i].checksum) continue;
    refuse(fmt::format("is damaged: the checksum of block {} of {} is wrong; make it anew from the data", i + 1,
                       blocks_.size()));
  }
}

// --- search ----------------------------------------------------------------------------------------------------------

template <bool kCount>
Cost IndexFile::query(Keys keys, Matches& out) const {
  const std::uint64_t k = shape_.k;
  std::uint64_t* hashes = out.scratch(0, kKeyGroup * k);
  std::uint64_t* positions = out.scratch(1, kKeyGroup * k);
  Cost cost;
  for (std::size_t begin = 0; begin < keys.size(); begin += kKeyGroup) {
    const std::size_t count = std::min(kKeyGroup, keys.size() - begin);
    index_hashes(shape_, keys.subspan(begin, count), hashes);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const IndexBlock& block = blocks_[b];
      const RowView rows(reinterpret_cast<const Word*>(block_data(b)), block.width);
      for (std::size_t i = 0; i < count * k; ++i) positions[i] = scaled(hashes[i], block.rows);
      const std::size_t ahead = RowView::queries_in_flight(k, block.width);
      for (std::size_t q = 0; q < std::min(ahead, count); ++q) {
        rows.prefetch_rows(positions + q * k, k, 0, block.width);
      }
      for (std::size_t q = 0; q < count; ++q) {
        if (q + ahead < count) rows.prefetch_rows(positions + (q + ahead) * k, k, 0, block.width);
        const std::uint64_t stripe = block.stripe_of(hashes[q * k]);
        const RowView::Touched touched =
            rows.intersect(positions + q * k, k, 0, block.width, [&](std::size_t column, Word hits) {
              out.ensure(64);
              for (; hits != 0; hits &= hits - 1) {
                const std::size_t at = column * 64 + static_cast<std::size_t>(std::countr_zero(hits));
                const SetId set = set_in_[b][at / block.stripes];
                out.push(static_cast<std::uint32_t>(begin + q), set, set != kNoSet && block.stripe_of(at) == stripe);
              }
            });
        if constexpr (kCount) cost += {.bf_checks = block.width * 64, .words = touched.words, .lines = touched.lines};
      }
    }
  }
  return cost;
}

template Cost IndexFile::query<true>(Keys, Matches&) const;
template Cost IndexFile::query<false>(Keys, Matches&) const;

}  // namespace bloomery
