#include "experiments/gate_accepted.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "experiments/csv.h"
#include "experiments/errors.h"
#include "experiments/gate_kernels.h"
#include "experiments/numbers.h"
#include "structures/params.h"

namespace bloomery {
namespace {

using Cells = std::vector<std::string>;

const Cells kHeader = {"base", "kernel", "ratio", "why"};
constexpr double kMost = 100;

std::string problem_with(const Cells& cells) {
  if (cells.size() != kHeader.size()) return fmt::format("{} cells instead of base,kernel,ratio,why", cells.size());
  const std::optional<double> ratio = parse_real(cells[2]);
  if (!ratio || *ratio <= 1 || *ratio > kMost)
    return fmt::format("ratio is '{}'; it must be over 1, up to {}", cells[2], kMost);
  if (cells[3].empty()) return "a reason is missing";
  std::vector<std::string> names;
  for (const KernelSpec& kernel : gate_kernels()) names.push_back(kernel.name);
  if (std::ranges::find(names, cells[1]) != names.end()) return "";
  return fmt::format("unknown kernel '{}'{}", cells[1], suggestion(cells[1], names));
}

}  // namespace

std::map<std::string, double> accepted_ratios(const std::filesystem::path& file, const std::string& base) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::map<std::string, double> accepted;
  std::string_view rest = text;
  Cells cells;
  for (int line = 1; !rest.empty(); ++line) {
    const bool whole = take_csv_record(rest, cells);
    const std::string problem = !whole             ? "cut short"
                                : line > 1         ? problem_with(cells)
                                : cells != kHeader ? "no header base,kernel,ratio,why"
                                                   : "";
    if (!problem.empty()) throw InputError(fmt::format("{}:{}: {}", file.string(), line, problem));
    if (line > 1 && cells[0] == base) accepted[cells[1]] = *parse_real(cells[2]);
  }
  return accepted;
}

}  // namespace bloomery
