#include "experiments/rows.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>

#include "experiments/csv.h"
#include "experiments/environment.h"
#include "experiments/errors.h"
#include "experiments/numbers.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNone = kColumns.size();

std::size_t column_index(std::string_view column) {
  return static_cast<std::size_t>(std::find(kColumns.begin(), kColumns.end(), column) - kColumns.begin());
}

std::size_t existing_column(std::string_view column) {
  const std::size_t index = column_index(column);
  if (index == kNone) throw std::out_of_range(fmt::format("no column named '{}'", column));
  return index;
}

// The columns that say what was asked for, as opposed to what came out.
bool is_setting_column(std::string_view column) {
  return (column_index(column) > column_index("structure") && column_index(column) < column_index("repeat")) ||
         column == "hit_rate";
}

std::string header() {
  std::string line;
  for (const std::string_view column : kColumns) line.append(line.empty() ? "" : ",").append(column);
  return line + "\n";
}

std::string text_of(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      if (i > 0) text += ',';
      text += csv_cell(row[kColumns[i]]);
    }
    text += '\n';
  }
  return text;
}

bool is_header(const std::vector<std::string>& cells) {
  return std::equal(cells.begin(), cells.end(), kColumns.begin(), kColumns.end());
}

RowsFile parse_rows(std::string_view rest) {
  RowsFile result;
  if (rest.empty()) return result;
  std::vector<std::string> cells;
  if (!take_csv_record(rest, cells) || !is_header(cells)) {
    result.problem = "line 1 is not the header of a rows file of this version";
    return result;
  }
  while (!rest.empty()) {
    const std::size_t record = result.rows.size() + 1;
    if (!take_csv_record(rest, cells)) {
      result.problem = fmt::format("row {} is cut short", record);
      return result;
    }
    if (cells.size() != kColumns.size() || cells.front() != kSchema) {
      result.problem = fmt::format("row {} has {} cells and schema '{}' instead of {} and '{}'", record, cells.size(),
                                   cells.front(), kColumns.size(), kSchema);
      return result;
    }
    Row& row = result.rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) row[kColumns[i]] = std::move(cells[i]);
  }
  return result;
}

[[noreturn]] void fail(const std::string& verb, const fs::path& file, int error) {
  throw IoError(fmt::format("cannot {} {}: {}", verb, file.string(), std::strerror(error)));
}

class File {
 public:
  File(const fs::path& path, int flags) : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail("write", path_, errno);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(fd_); }

  // All of it or, where the disk is full, nothing of it.
  void write(std::string_view text) {
    const off_t before = ::lseek(fd_, 0, SEEK_END);
    while (!text.empty()) {
      const ssize_t written = ::write(fd_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) undo(before, written < 0 ? errno : EIO);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    // A file system that cannot sync (EINVAL) still has the bytes.
    if (::fdatasync(fd_) != 0 && errno != EINVAL) undo(before, errno);
  }

 private:
  [[noreturn]] void undo(off_t size, int error) {
    if (size < 0 || ::ftruncate(fd_, size) != 0) fail("write (and undo the write of a part)", path_, error);
    fail("write", path_, error);
  }

  fs::path path_;
  int fd_;
};

void replace_file(const fs::path& file, const std::vector<Row>& rows) {
  fs::path fresh = file;
  fresh += ".new";
  try {
    File(fresh, O_WRONLY | O_CREAT | O_TRUNC).write(header() + text_of(rows));
  } catch (const IoError&) {
    std::error_code ignored;
    fs::remove(fresh, ignored);
    throw;
  }
  std::error_code error;
  fs::rename(fresh, file, error);
  if (error) fail("replace", file, error.value());
}

// Let go of by the system when the process ends, however it ends. A file system without locks does without.
std::shared_ptr<const void> lock_folder_of(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail("open the folder of", file, errno);
  std::shared_ptr<const void> lock(nullptr, [fd](const void*) { ::close(fd); });
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw IoError(file.string() + " is being written by another run; wait for it or choose other --results");
  }
  return lock;
}

void keep_previous(const fs::path& file) {
  fs::path previous = file;
  previous += ".previous";
  std::error_code error;
  fs::copy_file(file, previous, fs::copy_options::overwrite_existing, error);
  if (error) fail("write", previous, error.value());
}

fs::path set_aside(const fs::path& file) {
  fs::path aside;
  int n = 0;
  do {
    aside = file;
    aside += fmt::format(".damaged-{}", ++n);
  } while (fs::exists(aside));
  std::error_code error;
  fs::rename(file, aside, error);
  if (error) fail("set aside", file, error.value());
  return aside;
}

}  // namespace

std::string& Row::operator[](std::string_view column) { return cells_[existing_column(column)]; }

const std::string& Row::operator[](std::string_view column) const { return cells_[existing_column(column)]; }

std::string Row::get(std::string_view name) const {
  const std::size_t index = column_index(name);
  if (index != kNone) return cells_[index];
  std::string_view rest = (*this)["params"];
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    if (item.size() > name.size() && item.starts_with(name) && item[name.size()] == '=') {
      return std::string(item.substr(name.size() + 1));
    }
  }
  return "";
}

std::optional<double> Row::number(std::string_view name) const { return parse_real(get(name)); }

Row row_for(const Unit& unit) {
  Row row;
  row["schema"] = std::string(kSchema);
  row["run_id"] = unit.run_id;
  row["experiment"] = unit.experiment;
  row["series"] = unit.series;
  row["structure"] = unit.structure;
  row["cores"] = std::to_string(available_cores());
  row["repeat"] = std::to_string(unit.repeat);
  std::string& params = row["params"];
  for (const auto& [name, value] : unit.settings) {
    if (is_setting_column(name)) {
      row[name] = value;
    } else {
      params += fmt::format("{}{}={}", params.empty() ? "" : ";", name, value);
    }
  }
  return row;
}

RowsFile read_rows(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (status.type() == fs::file_type::none) fail("read", file, error.value());
  if (!fs::is_regular_file(status)) throw IoError(file.string() + " is not a regular file; move it out of the way");
  std::ifstream in(file, std::ios::binary);
  if (!in) fail("read", file, errno);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in.good() && !in.eof()) fail("read", file, EIO);
  return parse_rows(text);
}

RowWriter::RowWriter(fs::path file) : file_(std::move(file)) {
  std::error_code error;
  if (file_.has_parent_path()) fs::create_directories(file_.parent_path(), error);
  if (error) fail("create the folder of", file_, error.value());
  lock_ = lock_folder_of(file_);
  RowsFile found = read_rows(file_);
  existing_ = std::move(found.rows);
  if (!found.problem.empty()) {
    const fs::path aside = set_aside(file_);
    note_ = fmt::format("{}: {}; kept as {}, {} sound rows taken over", file_.string(), found.problem,
                        aside.filename().string(), existing_.size());
  }
  // Also where nothing is measured in the end: a folder that cannot be written must show before hours of measuring.
  if (!fs::exists(file_) || fs::file_size(file_) == 0) {
    replace_file(file_, existing_);
  } else {
    File probe(file_, O_WRONLY | O_APPEND);
  }
}

void RowWriter::append(const std::vector<Row>& rows) {
  File(file_, O_WRONLY | O_APPEND).write(text_of(rows));
  existing_.insert(existing_.end(), rows.begin(), rows.end());
}

void RowWriter::keep_only(const std::vector<std::string>& run_ids) {
  const std::set<std::string> wanted(run_ids.begin(), run_ids.end());
  std::vector<Row> kept;
  std::copy_if(existing_.begin(), existing_.end(), std::back_inserter(kept),
               [&](const Row& row) { return wanted.contains(row["run_id"]); });
  if (kept.size() == existing_.size()) return;
  keep_previous(file_);
  replace_file(file_, kept);
  existing_ = std::move(kept);
}

}  // namespace bloomery
