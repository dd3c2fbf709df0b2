#include "experiments/csv.h"

namespace bloomery {

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    line += csv_cell(cell);
  }
  return line + '\n';
}

bool take_csv_record(std::string_view& rest, std::vector<std::string>& cells) {
  cells.assign(1, "");
  bool in_quotes = false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (in_quotes) {
      if (c != '"') {
        cells.back() += c;
      } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
        cells.back() += rest[++i];
      } else {
        in_quotes = false;
      }
    } else if (c == '"') {
      in_quotes = true;
    } else if (c == ',') {
      cells.emplace_back();
    } else if (c == '\n') {
      rest.remove_prefix(i + 1);
      return true;
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return false;
}

}  // namespace bloomery
