// What `bloomery claims` prints: a claim in a few lines of 100 columns, counts at the end.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/claims.h"
#include "experiments/commands.h"
#include "experiments/errors.h"
#include "experiments/rows.h"
#include "experiments/selection.h"

namespace bloomery {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 19;  // of what follows the verdict

// Words on lines of `kWidth`, all but the first indented.
std::string wrapped(const std::string& text) {
  std::string result, line(kIndent, ' ');
  std::istringstream words(text);
  bool fresh = true;
  for (std::string word; words >> word; fresh = false) {
    if (!fresh && line.size() + 1 + word.size() > kWidth) {
      result += line + "\n";
      line.assign(kIndent, ' ');
      fresh = true;
    }
    line += (fresh ? "" : " ") + word;
  }
  return (result + line).substr(kIndent);
}

void print_indented(const std::string& text) {
  if (!text.empty()) fmt::print("{:{}}{}\n", "", kIndent, wrapped(text));
}

void print_claim(const EvaluatedClaim& claim) {
  fmt::print("{:<{}}{}\n", verdict_name(claim.verdict), kIndent, claim.id);
  print_indented(claim.says + (claim.where.empty() ? "" : " (" + claim.where + ")"));
  std::string found = claim.measured.empty() ? "" : "found " + claim.measured;
  if (!claim.interval.empty()) found += "; " + claim.interval;
  print_indented(found);
  print_indented(claim.reason);
}

void print_counts(const std::vector<EvaluatedClaim>& claims) {
  std::vector<std::string> papers;
  for (const EvaluatedClaim& claim : claims) {
    if (std::ranges::find(papers, claim.paper) == papers.end()) papers.push_back(claim.paper);
  }
  for (const std::string& paper : papers) {
    std::vector<EvaluatedClaim> own;
    std::ranges::copy_if(claims, std::back_inserter(own), [&](const auto& c) { return c.paper == paper; });
    fmt::print("{:<{}}{} claims: {}\n", paper, kIndent, own.size(), claim_counts(own));
  }
  if (papers.size() > 1) fmt::print("{:<{}}{} claims: {}\n", "all", kIndent, claims.size(), claim_counts(claims));
}

int report_missing(const std::vector<EvaluatedClaim>& claims) {
  int code = kOk;
  for (const EvaluatedClaim& claim : claims) {
    if (claim.verdict != ClaimVerdict::kMissing) continue;
    code = kNothingMeasured;
    fmt::print(stderr, "bloomery: claim {} of {}: {}; run the experiment first\n", claim.id, claim.experiment,
               claim.reason);
  }
  return code;
}

}  // namespace

int claims_command(const Options& options) {
  std::vector<EvaluatedClaim> all;
  for (const Experiment& experiment : load_selected(options)) {
    const RowsFile found = read_rows(rows_file(options, experiment));
    const std::vector<EvaluatedClaim> claims = evaluate_claims(experiment, found.rows);
    if (claims.empty()) continue;
    fmt::print("{}: {}\n", experiment.id, experiment.about);
    for (const EvaluatedClaim& claim : claims) print_claim(claim);
    fmt::print("\n");
    all.insert(all.end(), claims.begin(), claims.end());
  }
  const std::filesystem::path file = options.results / "claims.csv";
  write_claims(file, all);
  print_counts(all);
  fmt::print("{}\n", file.string());
  return report_missing(all);
}

}  // namespace bloomery
