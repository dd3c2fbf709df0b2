#include "experiments/claim_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "experiments/claim_evaluator.h"
#include "experiments/claim_expression.h"
#include "experiments/claim_plan.h"
#include "experiments/config_reader.h"
#include "experiments/metrics.h"
#include "experiments/plan.h"
#include "experiments/yaml.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> series_names(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const Series& series : experiment.series) names.push_back(series.name);
  return names;
}

Vocabulary vocabulary_of(const Experiment& experiment) {
  Vocabulary known;
  for (const Metric& metric : metrics()) known.metrics.push_back(metric.name);
  known.series = series_names(experiment);
  known.settings = setting_names(structures_of(experiment));
  if (experiment.scenario == "window") known.settings.emplace_back("day");
  return known;
}

// Where a character of a scalar stands in the file: quotes, escapes and line breaks of the YAML are walked over.
Mark place_of(const fs::path& file, Mark start, const std::string& scalar, std::size_t offset) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::size_t at = 0;
  for (int line = 1; line < start.line && at != std::string::npos; ++line) at = text.find('\n', at) + 1;
  at += static_cast<std::size_t>(start.column - 1);
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t i = 0; i <= offset && i < scalar.size(); ++i) {
    if (is_space(scalar[i])) {
      while (at < text.size() && is_space(text[at])) ++at;
      continue;
    }
    while (at < text.size() && text[at] != scalar[i]) ++at;
    if (i < offset) ++at;
  }
  if (at >= text.size()) return start;
  const std::size_t line_start = text.rfind('\n', at == 0 ? 0 : at - 1);
  const auto column = line_start == std::string::npos ? at + 1 : at - line_start;
  return {static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1,
          static_cast<int>(column)};
}

[[noreturn]] void fail_at(const fs::path& file, const Claim& claim, const ExpressionError& e) {
  throw MarkedError(place_of(file, claim.mark, claim.check, e.offset),
                    fmt::format("claim '{}': {}", claim.id, e.what()));
}

class ClaimReader {
 public:
  ClaimReader(const Experiment& experiment, const fs::path& file)
      : experiment_(experiment), file_(file), vocabulary_(vocabulary_of(experiment)) {}

  Claim read(const YAML::Node& node) const {
    const std::string what = "a claim";
    yaml::expect_keys(node, what,
                      {"id", "says", "paper", "section", "figure", "published", "check", "at", "needs", "untestable"});
    Claim claim;
    claim.id = yaml::file_name(yaml::required(node, "id", what), "id");
    claim.says = yaml::text(yaml::required(node, "says", what), "says");
    claim.paper = yaml::text_or(node, "paper", experiment_.source.paper);
    claim.section = yaml::text_or(node, "section", experiment_.source.section);
    claim.figure = yaml::text_or(node, "figure");
    claim.published = yaml::text_or(node, "published");
    claim.untestable = yaml::text_or(node, "untestable");
    if (node["needs"]) claim.needs = yaml::one_of(node["needs"], "profile", profile_names());
    if (node["at"]) claim.at = read_at(node["at"]);
    if (node["check"] && node["untestable"]) {
      yaml::fail(node["untestable"], "a claim has a check or says why it is untestable; keep one of them");
    }
    if (claim.untestable.empty()) read_check(yaml::required(node, "check", what), claim);
    return claim;
  }

 private:
  std::vector<ClaimAt> read_at(const YAML::Node& node) const {
    yaml::expect_map(node, "at");
    std::vector<ClaimAt> result;
    for (const auto& item : node) {
      ClaimAt at{yaml::one_of(item.first, "setting", vocabulary_.settings), {}};
      if (!item.second.IsScalar() || item.second.Scalar() != "every") at.values = yaml::texts(item.second, at.name);
      if (item.second.IsSequence() && at.values.empty()) yaml::fail(item.second, at.name + " has no value");
      result.push_back(std::move(at));
    }
    return result;
  }

  void read_check(const YAML::Node& node, Claim& claim) const {
    claim.check = yaml::text(node, "check");
    claim.mark = yaml::mark_of(node);
    try {
      claim.expression = std::make_shared<const Expression>(parse_check(claim.check, vocabulary_));
    } catch (const ExpressionError& e) {
      fail_at(file_, claim, e);
    }
  }

  const Experiment& experiment_;
  const fs::path& file_;
  const Vocabulary vocabulary_;
};

std::size_t size_of(const std::string& profile) {
  return static_cast<std::size_t>(std::ranges::find(profile_names(), profile) - profile_names().begin());
}

// A profile that runs what the claim names; "" if there is none.
std::string profile_with(const Claim& claim, const fs::path& file) {
  for (const std::string profile : {"default", "paper", "quick"}) {
    try {
      expect_planned(claim, read_experiment(file, profile));
      return profile;
    } catch (const UnplannedError&) {
    }
  }
  return "";
}

std::string why_not_here(const Claim& claim, const Experiment& experiment, bool overridden) {
  try {
    expect_planned(claim, experiment);
    return "";
  } catch (const UnplannedError& e) {
    const std::string profile = profile_with(claim, experiment.file);
    if (!profile.empty() && !overridden) return fmt::format("needs the {} profile: {}", profile, e.what());
    if (overridden) return fmt::format("not with these settings: {}", e.what());
    throw;
  }
}

}  // namespace

std::vector<Claim> read_claims(const YAML::Node& list, const Experiment& experiment, const fs::path& file) {
  yaml::expect_list(list, "claims");
  const ClaimReader reader(experiment, file);
  std::vector<Claim> claims;
  for (const auto& node : list) {
    claims.push_back(reader.read(node));
    const bool twice = std::ranges::count(claims, claims.back().id, &Claim::id) > 1;
    if (twice) yaml::fail(node["id"], fmt::format("there are two claims '{}'; rename one", claims.back().id));
  }
  return claims;
}

void check_claims(Experiment& experiment, const std::string& profile, bool overridden) {
  for (Claim& claim : experiment.claims) {
    if (!claim.expression) continue;
    try {
      claim.elsewhere = why_not_here(claim, experiment, overridden);
    } catch (const ExpressionError& e) {
      fail_at(experiment.file, claim, e);
    }
    if (size_of(profile) < size_of(claim.needs) && !claim.needs.empty()) {
      claim.elsewhere = fmt::format("needs the {} profile", claim.needs);
    }
  }
}

}  // namespace bloomery
