// Comma-separated values as RFC 4180 has them.
#ifndef BLOOMERY_EXPERIMENTS_CSV_H_
#define BLOOMERY_EXPERIMENTS_CSV_H_

#include <string>
#include <string_view>
#include <vector>

namespace bloomery {

std::string csv_cell(const std::string& text);                // in quotes where it must be
std::string csv_line(const std::vector<std::string>& cells);  // ends in a newline

// Takes one record off the front of `rest`. False when it does not end in a newline: a write that was cut short.
bool take_csv_record(std::string_view& rest, std::vector<std::string>& cells);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CSV_H_
