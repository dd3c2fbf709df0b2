#include "experiments/claims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>
#include <utility>

#include "experiments/claim_evaluator.h"
#include "experiments/claim_plan.h"
#include "experiments/errors.h"
#include "experiments/rows.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr std::array kVerdicts = {ClaimVerdict::kHolds, ClaimVerdict::kFails, ClaimVerdict::kUndecided,
                                  ClaimVerdict::kNotTestable, ClaimVerdict::kMissing};

std::string where_of(const Claim& claim) {
  std::vector<std::string> parts;
  if (!claim.section.empty()) {
    const bool numbered = claim.section.find_first_not_of("0123456789.") == std::string::npos;
    parts.push_back(numbered ? "section " + claim.section : claim.section);
  }
  if (!claim.figure.empty()) parts.push_back("Fig. " + claim.figure);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string check_of(const Claim& claim) {
  std::vector<std::string> settings;
  for (const ClaimAt& at : claim.at) {
    settings.push_back(at.values.empty() ? "every " + at.name
                                         : fmt::format("{} = {}", at.name, fmt::join(at.values, ", ")));
  }
  if (settings.empty()) return claim.check;
  return fmt::format("{} at {}", claim.check, fmt::join(settings, "; "));
}

Finding find(const Claim& claim, const Experiment& experiment, const std::vector<Row>& rows) {
  Finding finding;
  finding.verdict = ClaimVerdict::kNotTestable;
  finding.reason = claim.untestable.empty() ? claim.elsewhere : claim.untestable;
  if (!finding.reason.empty()) return finding;
  try {
    return evaluate(claim, experiment, rows);
  } catch (const UnplannedError& e) {
    finding.reason = e.what();
    return finding;
  }
}

EvaluatedClaim evaluated(const Claim& claim, const Experiment& experiment, const std::vector<Row>& rows) {
  Finding finding = find(claim, experiment, rows);
  return {.id = claim.id,
          .experiment = experiment.id,
          .paper = claim.paper,
          .where = where_of(claim),
          .figure = claim.figure,
          .says = claim.says,
          .check = check_of(claim),
          .verdict = finding.verdict,
          .measured = std::move(finding.measured),
          .interval = std::move(finding.interval),
          .rows = finding.rows,
          .published = claim.published,
          .reason = std::move(finding.reason)};
}

std::string several(ClaimVerdict verdict) {
  if (verdict == ClaimVerdict::kHolds) return "hold";
  return verdict == ClaimVerdict::kFails ? "do not hold" : verdict_name(verdict);
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line.append(line.empty() ? "" : ",").append(csv_cell(cell));
  return line + "\n";
}

}  // namespace

const char* verdict_name(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kHolds:
      return "holds";
    case ClaimVerdict::kFails:
      return "does not hold";
    case ClaimVerdict::kUndecided:
      return "undecided";
    case ClaimVerdict::kNotTestable:
      return "not testable here";
    default:
      return "rows missing";
  }
}

std::vector<EvaluatedClaim> evaluate_claims(const Experiment& experiment, const std::vector<Row>& rows) {
  std::vector<EvaluatedClaim> result;
  for (const Claim& claim : experiment.claims) result.push_back(evaluated(claim, experiment, rows));
  return result;
}

void write_claims(const fs::path& file, const std::vector<EvaluatedClaim>& claims) {
  std::error_code ignored;  // what matters is whether the file can be written
  fs::create_directories(file.parent_path(), ignored);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << csv_line({"id", "experiment", "paper", "where", "says", "check", "verdict", "measured", "interval", "rows",
                   "published", "reason"});
  for (const EvaluatedClaim& c : claims) {
    out << csv_line({c.id, c.experiment, c.paper, c.where, c.says, c.check, verdict_name(c.verdict), c.measured,
                     c.interval, std::to_string(c.rows), c.published, c.reason});
  }
  out.close();
  if (!out) throw IoError("cannot write " + file.string());
}

std::string claim_counts(const std::vector<EvaluatedClaim>& claims) {
  std::vector<std::string> parts;
  for (const ClaimVerdict verdict : kVerdicts) {
    const auto count = std::ranges::count(claims, verdict, &EvaluatedClaim::verdict);
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? verdict_name(verdict) : several(verdict)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace bloomery
