// Numbers as people write them.
#ifndef BLOOMERY_EXPERIMENTS_NUMBERS_H_
#define BLOOMERY_EXPERIMENTS_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace bloomery {

std::optional<double> parse_real(std::string_view text);            // finite, and nothing else in the text
std::optional<std::uint64_t> parse_integer(std::string_view text);  // exact; 1e5 is one too

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_NUMBERS_H_
