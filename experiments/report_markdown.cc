#include <fmt/format.h>

#include <algorithm>

#include "experiments/axes.h"
#include "experiments/report_claims.h"
#include "experiments/report_structures.h"
#include "experiments/report_summary.h"

namespace bloomery {
namespace {

// Text of a config in a cell or an item: nothing in it may end either or start an element.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("|<>*_`[]\\").find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string line(const std::vector<std::string>& cells) { return fmt::format("| {} |\n", fmt::join(cells, " | ")); }

std::string counts(const ReportSummary& summary) {
  std::string text = line({"", ""}) + "|---|---|\n";
  if (!summary.claims.empty()) text += line({"claims", claim_counts(summary.claims)});
  text += line({"figures", fmt::format("{} of {} drawn", summary.drawn, summary.figures)});
  text += line({"experiments", fmt::format("{} of {} measured", summary.measured, summary.experiments)});
  text += line({"structures", std::to_string(summary.structures)});
  const std::string failed = summary.failed > 0 ? fmt::format(", {} failed measurements", summary.failed) : "";
  text += line({"rows", fmt::format("{}, {} wrong answers{}", summary.rows, summary.wrong, failed)});
  return text + line({"timed", duration_text(summary.seconds)});
}

std::string claims_with(const ReportSummary& summary, ClaimVerdict verdict) {
  std::string text;
  for (const EvaluatedClaim& claim : summary.claims) {
    if (claim.verdict != verdict) continue;
    const std::string found = claim.measured.empty() ? claim.reason : claim.measured;
    text += fmt::format("- {}: {} ({}){}\n", escaped(claim.id), escaped(claim.says), escaped(claim.where),
                        found.empty() ? "" : fmt::format(": {}", escaped(found)));
  }
  return text.empty() ? "" : fmt::format("\n### Claims: {}\n\n{}", verdict_name(verdict), text);
}

std::string speeds(const MeasuredPoints& points, bool many_sets) {
  const std::vector<StructureLine> lines = structure_lines(points, many_sets);
  if (lines.empty()) return "";
  std::string text = fmt::format("\n### {}, fastest to slowest\n\n", many_sets ? "Many sets" : "One set");
  text += line({"structure", "a query", "times the fastest", "false positive rate", "memory (MB)", "measured at"});
  text += "|---|---:|---:|---:|---:|---|\n";
  for (const StructureLine& each : lines) {
    const MeasuredPoint& point = *each.point;
    text +=
        line({escaped(each.variant->name()), time_text(point.search_ns),
              each.elsewhere ? "" : short_number(point.search_ns / lines.front().point->search_ns, 3), rate_text(point),
              short_number(point.memory_bytes / 1e6, 3), workload_text(point.workload, many_sets)});
  }
  return text;
}

}  // namespace

std::string markdown(const ReportSummary& summary, const std::vector<std::string>& machines) {
  std::string text = "## Bloomery report\n\n";
  for (const std::string& machine : machines) text += escaped(machine) + "\n\n";
  if (machines.empty()) text += "The machine is not known.\n\n";
  text += counts(summary) + claims_with(summary, ClaimVerdict::kFails) +
          claims_with(summary, ClaimVerdict::kUndecided) + claims_with(summary, ClaimVerdict::kMissing);
  return text + speeds(summary.points, true) + speeds(summary.points, false);
}

}  // namespace bloomery
