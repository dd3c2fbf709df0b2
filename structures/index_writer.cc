#include "structures/index_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "structures/filter_shape.h"
#include "structures/hash.h"
#include "structures/theory.h"

namespace bloomery {
namespace {

constexpr std::size_t kNoBlock = ~std::size_t{0};
constexpr std::size_t kKeyGroup = 32;
constexpr double kSpareBits = 1.1;  // what fewer blocks may cost

std::uint64_t rows_for(std::uint64_t keys, std::uint64_t k) {
  return bits_for(k, static_cast<double>(std::max<std::uint64_t>(keys, 1)));
}

std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + kIndexPage - 1) / kIndexPage * kIndexPage; }

constexpr std::uint64_t kStripeKeys = 64;  // with fewer, chance makes some stripes far fuller than others

IndexBlock block_of(std::uint64_t keys, std::size_t sets, std::uint64_t k) {
  IndexBlock block;
  block.width = BitRows::padded_width(words_for(sets));
  block.stripes = std::bit_floor(std::min(block.width * 64 / sets, std::max<std::uint64_t>(keys / kStripeKeys, 1)));
  block.keys = keys;
  const double mean = static_cast<double>(keys) / static_cast<double>(block.stripes);
  block.rows = rows_for(block.stripes == 1 ? keys : static_cast<std::uint64_t>(std::ceil(mean + std::sqrt(mean))), k);
  return block;
}

double bits_of(std::uint64_t keys, std::size_t sets, std::uint64_t k) {
  return static_cast<double>(block_of(keys, sets, k).bytes()) * 8;
}

double bits_of(const BlockPlan& plan, std::uint64_t k) { return bits_of(plan.keys, plan.sets.size(), k); }

}  // namespace

std::uint64_t index_hashes_for(double rate) { return std::clamp<std::uint64_t>(hashes_for_rate(rate), 1, kMostHashes); }

// Sizes within a factor of two go together to begin with; then, again and again, the two neighbours whose joining costs
// least.
std::vector<BlockPlan> plan_blocks(std::span<const NewSet> sets, std::uint64_t k) {
  std::vector<std::size_t> order(sets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return sets[i].keys; });
  std::vector<BlockPlan> plans;
  for (const std::size_t i : order) {
    const bool fits = !plans.empty() && std::bit_width(plans.back().keys) == std::bit_width(sets[i].keys);
    if (!fits) plans.emplace_back();
    plans.back().keys = sets[i].keys;
    plans.back().sets.push_back(i);
  }
  double bits = 0;
  for (const BlockPlan& plan : plans) bits += bits_of(plan, k);
  for (const double most = bits * kSpareBits; plans.size() > 1;) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < plans.size(); ++i) {
      const double joined = bits_of(plans[i + 1].keys, plans[i].sets.size() + plans[i + 1].sets.size(), k);
      const double more = joined - bits_of(plans[i], k) - bits_of(plans[i + 1], k);
      if (more < least) {
        least = more;
        best = i;
      }
    }
    if (bits + least > most) break;
    bits += least;
    BlockPlan& into = plans[best + 1];
    into.sets.insert(into.sets.end(), plans[best].sets.begin(), plans[best].sets.end());
    plans.erase(plans.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return plans;
}

// --- the file beside -------------------------------------------------------------------------------------------------

// The lock goes with the file when it is renamed, so whoever waited for it looks whether it still has that name.
struct IndexWriter::Lock {
  explicit Lock(std::string file_name) : name(std::move(file_name)) {
    for (;;) {
      number = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
      if (number < 0) throw IndexFileError(fmt::format("{}: cannot be made: {}", name, std::strerror(errno)));
      if (flock(number, LOCK_EX | LOCK_NB) != 0) {
        const int error = errno;
        close(number);
        throw IndexFileError(error == EWOULDBLOCK
                                 ? fmt::format("{}: another program is writing this index", name)
                                 : fmt::format("{}: cannot be locked: {}", name, std::strerror(error)));
      }
      struct stat mine, named;
      if (fstat(number, &mine) == 0 && stat(name.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
          mine.st_dev == named.st_dev) {
        return;
      }
      close(number);
    }
  }
  ~Lock() {
    if (!renamed) unlink(name.c_str());
    close(number);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  std::string name;
  int number = -1;
  bool renamed = false;
};

void IndexWriter::fail(const std::string& what, int error) const {
  throw IndexFileError(fmt::format("{}: {}: {}; the index is as it was", lock_->name, what, std::strerror(error)));
}

IndexWriter::IndexWriter(const std::string& path, std::unique_ptr<Lock> lock) : path_(path), lock_(std::move(lock)) {}
IndexWriter::IndexWriter(IndexWriter&&) noexcept = default;
IndexWriter::~IndexWriter() = default;

IndexWriter IndexWriter::create(const std::string& path, const IndexShape& shape, std::vector<NewSet> sets) {
  IndexWriter writer(path, std::make_unique<Lock>(path + ".new"));
  writer.shape_ = shape;
  writer.place(sets);
  writer.lay_out(nullptr);
  return writer;
}

IndexWriter IndexWriter::update(const std::string& path, const std::vector<std::string>& removed,
                                std::vector<NewSet> added, const std::string& keys) {
  IndexWriter writer(path, std::make_unique<Lock>(path + ".new"));  // first: nobody else makes the next one meanwhile
  const IndexFile old(path);
  old.verify();  // what is damaged is not carried over
  if (!keys.empty() && keys != old.shape().keys) {
    throw IndexFileError(fmt::format("{}: its keys are {}, those of the data are {}", path, old.shape().keys, keys));
  }
  writer.shape_ = old.shape();
  writer.keep(old, removed);
  writer.place(added);
  writer.lay_out(&old);
  return writer;
}

// --- what goes where -------------------------------------------------------------------------------------------------

void IndexWriter::keep(const IndexFile& old, const std::vector<std::string>& removed) {
  std::unordered_set<std::string_view> leaving;
  for (const std::string& name : removed) leaving.insert(name);
  std::vector<std::size_t> live(old.blocks().size());
  std::size_t left = 0;
  for (SetId id = 0; id < old.size(); ++id) {
    const bool leaves = leaving.erase(old.name(id)) > 0;
    left += leaves;
    live[old.set(id).block] += !leaves;
  }
  if (!leaving.empty()) throw IndexFileError(fmt::format("{}: has no set '{}'", path_, *leaving.begin()));
  std::vector<std::size_t> moved_to(live.size(), kNoBlock);
  for (std::size_t block = 0; block < live.size(); ++block) {
    if (live[block] == 0) continue;  // an empty block goes
    moved_to[block] = blocks_.size();
    blocks_.push_back(old.blocks()[block]);
    copied_from_.push_back(block);
    used_.emplace_back(blocks_.back().slots());
    cleared_.emplace_back();
  }
  const std::unordered_set<std::string_view> all_removed(removed.begin(), removed.end());
  for (SetId id = 0; id < old.size(); ++id) {
    IndexSet place = old.set(id);
    const std::size_t block = moved_to[place.block];
    if (block == kNoBlock) continue;
    if (all_removed.contains(old.name(id))) {
      cleared_[block].push_back(place.slot);
      continue;
    }
    place.block = static_cast<std::uint32_t>(block);
    used_[block][place.slot] = true;
    sets_.push_back({place, std::string(old.name(id))});
  }
  kept_ = sets_.size();
}

// A slot that is free, in a block that is neither too small for the set nor more than four times too large.
bool IndexWriter::reuse_slot(const NewSet& set) {
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    if (copied_from_[block] == kNoBlock || blocks_[block].keys < set.keys || blocks_[block].keys / 4 > set.keys)
      continue;
    const auto free = std::ranges::find(used_[block], false);
    if (free == used_[block].end()) continue;
    *free = true;
    const auto slot = static_cast<std::uint32_t>(free - used_[block].begin());
    sets_.push_back({{static_cast<std::uint32_t>(block), slot, set.keys}, set.name});
    return true;
  }
  return false;
}

void IndexWriter::place(std::span<const NewSet> added) {
  std::unordered_set<std::string_view> names;
  for (const Entry& entry : sets_) names.insert(entry.name);
  for (const NewSet& set : added) {
    if (!names.insert(set.name).second) {
      throw IndexFileError(fmt::format("{}: has a set '{}' already", path_, set.name));
    }
  }
  sets_.reserve(sets_.size() + added.size());
  std::vector<NewSet> rest;
  std::vector<std::size_t> number;  // of each of the rest, in sets_
  for (const NewSet& set : added) {
    if (reuse_slot(set)) continue;
    number.push_back(sets_.size());
    rest.push_back(set);
    sets_.push_back({{}, set.name});
  }
  for (const BlockPlan& plan : plan_blocks(rest, shape_.k)) {
    const IndexBlock block = block_of(plan.keys, plan.sets.size(), shape_.k);
    for (std::uint32_t slot = 0; slot < plan.sets.size(); ++slot) {
      const std::size_t i = plan.sets[slot];
      sets_[number[i]].place = {static_cast<std::uint32_t>(blocks_.size()), slot, rest[i].keys};
    }
    blocks_.push_back(block);
    copied_from_.push_back(kNoBlock);
    used_.emplace_back(block.slots());
    cleared_.emplace_back();
  }
}

// --- what is written -------------------------------------------------------------------------------------------------

void IndexWriter::lay_out(const IndexFile* old) {
  std::uint64_t end = kIndexPage;
  for (IndexBlock& block : blocks_) {
    block.offset = end;
    end += whole_pages(block.bytes());
  }
  const std::uint64_t bytes = end + directory().size();
  // Emptied first, so that what a killed writer left is zero. Room on the disk and not only in the file: without it, a
  // full disk would be a signal when a page is first written.
  if (ftruncate(lock_->number, 0) != 0) fail("cannot be emptied", errno);
  if (const int error = posix_fallocate(lock_->number, 0, static_cast<off_t>(bytes)); error != 0) {
    fail(fmt::format("no room for {} bytes", bytes), error);
  }
  try {
    mapping_ = Mapping(lock_->number, bytes, true);
  } catch (const std::system_error& error) {
    fail("cannot be mapped", error.code().value());
  }
  for (std::size_t block = 0; old != nullptr && block < blocks_.size(); ++block) {
    if (copied_from_[block] != kNoBlock) copy_block(*old, block);
  }
}

Word* IndexWriter::row_of(const IndexBlock& block, std::uint64_t position) {
  return reinterpret_cast<Word*>(mapping_.data() + block.offset) + position * block.width;
}

void IndexWriter::copy_block(const IndexFile& old, std::size_t number) {
  const IndexBlock& block = blocks_[number];
  std::memcpy(mapping_.data() + block.offset, old.block_data(copied_from_[number]), block.bytes());
  for (const std::uint32_t slot : cleared_[number]) {
    for (std::uint64_t column = slot * block.stripes; column < (slot + 1) * block.stripes; ++column) {
      clear_bits(row_of(block, 0) + column / 64, block.rows, block.width, column % 64);
    }
  }
}

void IndexWriter::insert(std::size_t number, Keys keys) {
  const IndexSet& place = sets_[kept_ + number].place;
  const IndexBlock& block = blocks_[place.block];
  std::uint64_t hashes[kKeyGroup * kMostHashes];
  for (std::size_t begin = 0; begin < keys.size(); begin += kKeyGroup) {
    const std::size_t count = std::min(kKeyGroup, keys.size() - begin);
    index_hashes(shape_, keys.subspan(begin, count), hashes);
    const auto column = [&](std::size_t i) {
      return place.slot * block.stripes + block.stripe_of(hashes[i / shape_.k * shape_.k]);
    };
    const auto word = [&](std::size_t i) { return row_of(block, scaled(hashes[i], block.rows)) + column(i) / 64; };
    for (std::size_t i = 0; i < count * shape_.k; ++i) __builtin_prefetch(word(i), 1, 3);
    for (std::size_t i = 0; i < count * shape_.k; ++i) AtomicBits::set(word(i), column(i) % 64);
  }
}

std::vector<std::byte> IndexWriter::directory() const {
  std::vector<std::byte> bytes;
  const auto append = [&](const void* from, std::size_t count) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), first, first + count);
  };
  append(blocks_.data(), blocks_.size() * sizeof(IndexBlock));
  for (const Entry& entry : sets_) {
    const IndexSetRecord record = {entry.place.block, entry.place.slot, entry.place.keys, entry.name.size()};
    append(&record, sizeof record);
  }
  for (const Entry& entry : sets_) append(entry.name.data(), entry.name.size());
  return bytes;
}

// The data are on the disk before the name is, and the name before this returns.
void IndexWriter::commit() {
  for (IndexBlock& block : blocks_) block.checksum = bytes_checksum(mapping_.data() + block.offset, block.bytes());
  const std::vector<std::byte> written = directory();
  IndexHeader header = index_header(shape_);
  header.bytes = mapping_.size();
  header.directory_bytes = written.size();
  header.directory_offset = header.bytes - header.directory_bytes;
  header.directory_checksum = bytes_checksum(written.data(), written.size());
  header.blocks = blocks_.size();
  header.sets = sets_.size();
  header.checksum = header_checksum(header);
  std::memcpy(mapping_.data() + header.directory_offset, written.data(), written.size());
  std::memcpy(mapping_.data(), &header, sizeof header);
  mapping_ = Mapping();
  if (fsync(lock_->number) != 0) fail("cannot be written", errno);
  if (rename(lock_->name.c_str(), path_.c_str()) != 0) fail("cannot be renamed to " + path_, errno);
  lock_->renamed = true;
  const std::filesystem::path folder = std::filesystem::absolute(path_).parent_path();
  const int number = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number < 0) return;  // a folder that cannot be read cannot be told to write its names; they are on their way
  fsync(number);
  close(number);
}

}  // namespace bloomery
