#include "experiments/data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "experiments/data_formats.h"
#include "experiments/errors.h"
#include "structures/params.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLinesLookedAt = 1000;

bool is_pattern(const std::string& path) { return path.find_first_of("*?[") != path.npos; }

// Hidden files are the tools' own.
bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

// Of a file's name: without .gz, and without the extension that says what it is.
std::string set_name_of(fs::path name) {
  if (name.extension() == ".gz") name.replace_extension();
  for (const DataFormat& format : data_format_table()) {
    if (std::ranges::find(format.extensions, name.extension().string()) != format.extensions.end()) {
      name.replace_extension();
      break;
    }
  }
  return name.string();
}

void expect_known(const std::string& what, const std::string& value, const std::vector<std::string>& known) {
  if (std::ranges::find(known, value) != known.end()) return;
  throw InputError(fmt::format("data: {} is '{}'{}", what, value, suggestion(value, known)));
}

}  // namespace

const std::vector<std::string>& data_formats() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"auto"};
    for (const DataFormat& format : data_format_table()) all.push_back(format.name);
    return all;
  }();
  return names;
}

const std::vector<std::string>& key_kinds() {
  static const std::vector<std::string> kinds = {"auto", "text", "integer", "hex"};
  return kinds;
}

SetId SetNames::id_of(std::string_view name) {
  if (last_ < names_.size() && names_[last_] == name) return last_;  // lines of a set are often together
  const auto found = ids_.find(name);
  if (found != ids_.end()) return last_ = found->second;
  last_ = static_cast<SetId>(names_.size());
  names_.emplace_back(name);
  ids_.emplace(names_.back(), last_);
  return last_;
}

// --- which files, which format ---------------------------------------------------------------------------------------

DataSource::DataSource(DataOptions options) : options_(std::move(options)) {
  expect_known("format", options_.format, data_formats());
  expect_known("keys", options_.keys, key_kinds());
  if (options_.kmer < 1 || options_.kmer > 32) {
    throw InputError(fmt::format("data: kmer is {}; it must be from 1 to 32", options_.kmer));
  }
  find_files();
  decide_format();
  decide_keys();
  name_sets();
}

void DataSource::find_files() {
  for (const std::string& path : options_.paths) add_path(path);
  if (files_.empty()) throw InputError(fmt::format("{}: no files in it", fmt::join(options_.paths, " ")));
  for (const DataFile& file : files_) bytes_ += file.state.bytes;
}

// What exists is taken as it is, even with a star in its name.
void DataSource::add_path(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return add_folder(path);
  if (fs::exists(path, error)) return add_file(path, fs::path(path).filename());
  if (!is_pattern(path)) throw IoError(fmt::format("{}: no such file or folder", path));
  glob_t found{};
  const int result = glob(path.c_str(), 0, nullptr, &found);
  std::vector<std::string> matches(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (result != 0 && result != GLOB_NOMATCH) throw IoError(fmt::format("{}: its folders cannot be read", path));
  if (matches.empty()) throw InputError(fmt::format("{}: no file matches this pattern", path));
  for (const std::string& match : matches) {
    if (!fs::is_directory(match, error)) add_file(match, fs::path(match).filename());
  }
}

void DataSource::add_folder(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::follow_directory_symlink, error);
  for (const auto end = fs::recursive_directory_iterator(); !error && at != end; at.increment(error)) {
    if (is_hidden(at->path())) {
      at.disable_recursion_pending();
    } else if (!at->is_directory(error)) {
      found.push_back(at->path());
    }
  }
  if (error) throw IoError(fmt::format("{}: {}", folder.string(), error.message()));
  std::ranges::sort(found);
  for (const fs::path& file : found) add_file(file, file.lexically_relative(folder));
}

void DataSource::add_file(const fs::path& file, const fs::path& name) {
  // The offsets of a binary file stand beside it.
  if (file.extension() == ".offsets" || (!options_.offsets.empty() && file == fs::path(options_.offsets))) return;
  files_.push_back({file, state_of(file), set_name_of(name), 0});
}

void DataSource::decide_format() {
  if (options_.format == "auto") {
    const DataFile* first = nullptr;
    for (const DataFile& file : files_) {
      if (file.state.bytes == 0) continue;
      const std::string format = detect_format(file.path);
      if (first == nullptr) {
        first = &file;
        options_.format = format;
      } else if (format != options_.format) {
        throw InputError(fmt::format("{} looks like {} but {} like {}; say which with format (--format)",
                                     file.path.string(), format, first->path.string(), options_.format));
      }
    }
    if (first == nullptr) throw InputError(fmt::format("{}: all files are empty", fmt::join(options_.paths, " ")));
  }
  const DataFormat& format = find_data_format(options_.format);
  const bool records = options_.format == "fasta" && files_.size() == 1;
  set_a_file_ = !format.names_inside && !records;
  if (options_.format != "binary") return;
  if (files_.size() != 1) throw InputError("data: binary data are one file and its offsets; give one path");
  if (options_.offsets.empty()) options_.offsets = files_.front().path.string() + ".offsets";
}

// Integers if the first lines are, else text.
void DataSource::decide_keys() {
  keys_ = {KeyEncoding::kText, options_.kmer, options_.canonical};
  const DataFormat& format = find_data_format(options_.format);
  if (!format.written_keys) {
    const bool flows = options_.format == "pcap";
    keys_.kind = flows ? KeyEncoding::kFlow : options_.format == "binary" ? KeyEncoding::kInteger : KeyEncoding::kKmer;
    options_.keys = flows || options_.format == "binary" ? "integer" : "text";
    return;
  }
  if (options_.keys == "auto") {
    const auto file = std::ranges::find_if(files_, [](const DataFile& f) { return f.state.bytes > 0; });
    std::size_t lines = 0, integers = 0;
    if (file != files_.end()) {
      LineReader reader(file->path, file->state, nullptr, nullptr);
      Columns columns;
      for (std::string_view line; lines < kLinesLookedAt && reader.next(line); ++lines) {
        const bool split =
            format.names_inside && split_columns(line, options_.format == "csv" ? ',' : '\t', columns).empty();
        if (split && lines == 0 && columns.key == "key") ++integers;  // a heading
        integers += parse_integer_key(split ? columns.key : line, false).has_value();
      }
    }
    options_.keys = lines > 0 && integers == lines ? "integer" : "text";
  }
  keys_.kind = options_.keys == "integer" ? KeyEncoding::kInteger
               : options_.keys == "hex"   ? KeyEncoding::kHex
                                          : KeyEncoding::kText;
}

void DataSource::name_sets() {
  if (!set_a_file_) return;
  for (DataFile& file : files_) {
    file.set = names_.id_of(file.name);
    if (file.set + 1 == names_.all().size() && &files_[file.set] == &file) continue;
    throw InputError(fmt::format("{} and {} would both be the set '{}'; rename one", files_[file.set].path.string(),
                                 file.path.string(), file.name));
  }
}

// --- reading ---------------------------------------------------------------------------------------------------------

void DataSource::read(const KeySink& sink, const Executor& executor, ByteProgress* progress) {
  const DataFormat& format = find_data_format(options_.format);
  const auto read_files = [&](std::size_t begin, std::size_t end) {
    KeyLot lot(sink);
    for (std::size_t i = begin; i < end; ++i) {
      format.read({files_[i], options_, keys_, names_, set_a_file_, notes_, progress, lot});
    }
  };
  if (!set_a_file_) return read_files(0, files_.size());
  executor.for_chunks(files_.size(), 1, [&](std::size_t begin, std::size_t end, int) { read_files(begin, end); });
}

void print_notes(Notes& notes) {
  constexpr std::size_t kMost = 5;
  const std::vector<std::string> all = notes.take();
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) fmt::print(stderr, "bloomery: note: {}\n", all[i]);
  if (all.size() > kMost) fmt::print(stderr, "bloomery: note: {} more like these\n", all.size() - kMost);
}

std::vector<Key> read_query_file(const std::string& file, const KeyEncoding& keys, Notes& notes) {
  LineReader lines(file, state_of(file), &notes, nullptr);
  std::vector<Key> result;
  for (std::string_view line; lines.next(line);) result.push_back(key_or_reject(lines.input(), keys, line));
  if (result.empty()) throw InputError(fmt::format("{}: no keys in it", file));
  return result;
}

}  // namespace bloomery
