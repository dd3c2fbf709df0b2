// Two columns, set and key, with commas or tabs.
#include <fmt/format.h>

#include "experiments/data_formats.h"

namespace bloomery {
namespace {

// Takes one column off the front of a line: RFC 4180, but for line breaks inside of quotes.
std::string take_column(std::string_view& line, char separator, std::string_view& column, std::string& unquoted) {
  if (separator == '\t' || !line.starts_with('"')) {
    const std::size_t end = std::min(line.find(separator), line.size());
    column = line.substr(0, end);
    line.remove_prefix(end);
    return column.find('"') != column.npos && separator != '\t' ? "a quote in a column that does not begin with one"
                                                                : "";
  }
  unquoted.clear();
  std::size_t i = 1;
  for (; i < line.size(); ++i) {
    if (line[i] == '"' && (i + 1 == line.size() || line[i + 1] != '"')) break;
    if (line[i] == '"') ++i;
    unquoted += line[i];
  }
  if (i == line.size()) return "a quote is not closed on its line";
  line.remove_prefix(i + 1);
  column = unquoted;
  return line.empty() || line.front() == separator ? "" : "text after a closing quote";
}

}  // namespace

std::string split_columns(std::string_view line, char separator, Columns& columns) {
  std::string_view rest = line;
  std::string problem = take_column(rest, separator, columns.set, columns.unquoted[0]);
  if (problem.empty() && rest.empty()) return "1 column, where a set and a key should be";
  if (problem.empty()) {
    rest.remove_prefix(1);
    problem = take_column(rest, separator, columns.key, columns.unquoted[1]);
  }
  if (!problem.empty()) return problem;
  if (!rest.empty()) return "more than 2 columns, where a set and a key should be";
  if (columns.set.empty()) return "the set has no name";
  return columns.key.empty() ? "the key is empty" : "";
}

// The lines of a set need not be together. A first line "set,key" is a heading.
void read_columns(const Reading& reading) {
  const char separator = reading.options.format == "csv" ? ',' : '\t';
  LineReader lines(reading.file.path, reading.file.state, &reading.notes, reading.progress);
  Columns columns;
  for (std::string_view line; lines.next(line);) {
    const std::string problem = split_columns(line, separator, columns);
    if (!problem.empty()) lines.input().reject(problem);
    if (lines.input().line() == 1 && columns.set == "set" && columns.key == "key") continue;
    reading.lot.add(reading.names.id_of(columns.set), key_or_reject(lines.input(), reading.keys, columns.key));
  }
  reading.lot.flush();
}

}  // namespace bloomery
