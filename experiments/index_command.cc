// The subcommands build, query and index: between a user's data and an index file.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>

#include "experiments/data.h"
#include "experiments/data_commands.h"
#include "experiments/environment.h"
#include "experiments/errors.h"
#include "experiments/progress.h"
#include "experiments/try.h"
#include "structures/index_writer.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kAlwaysVerified = 64 << 20;  // bytes: a file this small is checked whole in a moment
constexpr std::size_t kBatch = 1024;

// What the library says of files is an error of input and output here.
template <class Body>
auto with_index(Body&& body) {
  try {
    return body();
  } catch (const IndexFileError& error) {
    throw IoError(error.what());
  }
}

IndexFile open_index(const DataCommandOptions& options) {
  IndexFile index(options.index.string());
  if (options.verify || index.bytes() <= kAlwaysVerified) index.verify();
  return index;
}

KeyEncoding encoding_of(const IndexFile& index, const fs::path& file) {
  const auto keys = KeyEncoding::parse(index.shape().keys);
  if (keys) return *keys;
  throw IoError(fmt::format("{}: was made by a program, with keys '{}' that this one cannot make", file.string(),
                            index.shape().keys));
}

// A full disk is then an error of the call that meets it and not the end of the program.
void survive_file_size_limit() { std::signal(SIGXFSZ, SIG_IGN); }

const Executor& all_cores() {
  static const Executor executor(Backend::kTbb, available_cores());
  return executor;
}

// First pass: how large each set is.
std::vector<NewSet> count_sets(DataSource& source) {
  std::vector<std::uint64_t> keys(source.names().size());
  ByteProgress progress("counting", source.bytes());
  source.read(
      [&](SetId set, Keys lot) {
        if (set >= keys.size()) keys.resize(set + 1);  // one thread, where sets appear while a file is read
        keys[set] += lot.size();
      },
      all_cores(), &progress);
  keys.resize(source.names().size());
  std::vector<NewSet> sets;
  for (std::size_t i = 0; i < keys.size(); ++i) sets.push_back({source.names()[i], keys[i]});
  print_notes(source.notes());
  if (std::ranges::all_of(keys, [](std::uint64_t count) { return count == 0; })) {
    throw InputError(fmt::format("{}: no keys in any set", source.options().paths.front()));
  }
  return sets;
}

// Second pass: into the filters, and these into the file.
void fill(IndexWriter& writer, DataSource& source) {
  ByteProgress progress("building", source.bytes());
  source.read([&](SetId set, Keys lot) { writer.insert(set, lot); }, all_cores(), &progress);
  writer.commit();
  const double seconds = std::max(progress.seconds(), 1e-9);
  fmt::print("{} in {:.2f} s ({}/s)\n", size_text(static_cast<double>(source.bytes())), seconds,
             size_text(static_cast<double>(source.bytes()) / seconds));
}

void print_index(const fs::path& file) {
  const IndexFile index(file.string());
  std::uint64_t keys = 0;
  for (SetId id = 0; id < index.size(); ++id) keys += index.set(id).keys;
  fmt::print("{}: {} sets, {} keys, {} ({:.1f} bits a key), {} blocks, k = {}, keys are {}\n", file.string(),
             index.size(), keys, size_text(static_cast<double>(index.bytes())),
             static_cast<double>(index.bytes()) * 8 / static_cast<double>(std::max<std::uint64_t>(keys, 1)),
             index.blocks().size(), index.shape().k, index.shape().keys);
}

// What is at the place of a new index is not overwritten unless it is one.
void expect_index_or_nothing(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return;
  try {
    const IndexFile old(file.string());
  } catch (const IndexFileError& problem) {
    throw IoError(fmt::format("{}; it is left as it is: remove it, or give another name", problem.what()));
  }
}

// --- query -----------------------------------------------------------------------------------------------------------

class Asker {
 public:
  Asker(const IndexFile& index, KeyEncoding keys) : index_(index), keys_(keys) {}

  void ask(const std::string& text, const std::string& place) {
    const auto key = keys_.key_of(text);
    if (!key)
      throw InputError(fmt::format("{}: '{}' is not {}, as the keys of this index are", place, text, keys_.wanted()));
    texts_.push_back(text);
    batch_.push_back(*key);
    if (batch_.size() == kBatch) flush();
  }

  // A line a name, behind the key; the key alone where no set may hold it.
  void flush() {
    matches_.clear();
    index_.query<false>(batch_, matches_);
    std::vector<Match> found(matches_.view().begin(), matches_.view().end());
    std::ranges::sort(found);
    auto match = found.begin();
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      if (match == found.end() || match->index != i) fmt::print("{}\t\n", texts_[i]);
      for (; match != found.end() && match->index == i; ++match)
        fmt::print("{}\t{}\n", texts_[i], index_.name(match->set));
    }
    batch_.clear();
    texts_.clear();
  }

 private:
  const IndexFile& index_;
  const KeyEncoding keys_;
  std::vector<std::string> texts_;
  std::vector<Key> batch_;
  Matches matches_;
};

void ask_input(Asker& asker) {
  std::string line;
  for (std::uint64_t number = 1; std::getline(std::cin, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) asker.ask(line, fmt::format("stdin:{}", number));
  }
}

// --- index -----------------------------------------------------------------------------------------------------------

void list_sets(const IndexFile& index) {
  for (SetId id = 0; id < index.size(); ++id) fmt::print("{}\t{}\n", index.name(id), index.set(id).keys);
}

// Keys are written as those of the index, unless the user says otherwise and is then told.
DataSource source_for(const DataCommandOptions& options) {
  DataOptions data = options.data;
  data.paths = options.words;
  const KeyEncoding keys = encoding_of(IndexFile(options.index.string()), options.index);
  if (keys.kind == KeyEncoding::kKmer) {
    data.kmer = keys.kmer;
    data.canonical = keys.canonical;
  } else if (data.keys == "auto" && keys.kind != KeyEncoding::kFlow) {
    data.keys = keys.text();
  }
  return DataSource(std::move(data));
}

void change(const DataCommandOptions& options) {
  const std::string file = options.index.string();
  std::vector<std::string> removed;
  if (options.action == "remove") {
    IndexWriter::update(file, options.words, {}).commit();
    return;
  }
  DataSource source = source_for(options);
  std::vector<NewSet> sets = count_sets(source);
  if (options.action == "replace") {
    for (const NewSet& set : sets) removed.push_back(set.name);
  }
  IndexWriter writer = IndexWriter::update(file, removed, std::move(sets), source.keys().text());
  fill(writer, source);
}

}  // namespace

int build_command(const DataCommandOptions& options) {
  survive_file_size_limit();
  return with_index([&] {
    expect_index_or_nothing(options.index);
    DataSource source(options.data);
    std::vector<NewSet> sets = count_sets(source);
    const double rate = options.rate > 0 ? options.rate : usual_rate(sets.size());
    const IndexShape shape = {index_hashes_for(rate), 1, source.keys().text()};
    IndexWriter writer = IndexWriter::create(options.index.string(), shape, std::move(sets));
    fill(writer, source);
    print_index(options.index);
    return kOk;
  });
}

int query_command(const DataCommandOptions& options) {
  return with_index([&] {
    const IndexFile index = open_index(options);
    Asker asker(index, encoding_of(index, options.index));
    if (options.words == std::vector<std::string>{"-"}) {
      ask_input(asker);
    } else {
      for (std::size_t i = 0; i < options.words.size(); ++i) asker.ask(options.words[i], fmt::format("key {}", i + 1));
    }
    asker.flush();
    if (std::fflush(stdout) != 0) throw IoError("the answers cannot be written");
    return kOk;
  });
}

int index_command(const DataCommandOptions& options) {
  survive_file_size_limit();
  return with_index([&] {
    const bool reads = options.action == "list" || options.action == "verify";
    if (reads != options.words.empty()) {
      throw InputError(
          fmt::format("index {}: {}", options.action,
                      reads ? "takes an index and nothing else" : "give the data, or the names to remove"));
    }
    if (!reads) change(options);
    if (options.action == "list") list_sets(open_index(options));
    if (options.action == "verify") IndexFile(options.index.string()).verify();
    if (options.action != "list") print_index(options.index);
    return kOk;
  });
}

}  // namespace bloomery
