#include "experiments/report_claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/html.h"

namespace bloomery {
namespace {

const char* badge_kind(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kHolds:
      return "good";
    case ClaimVerdict::kUndecided:
      return "open";
    case ClaimVerdict::kNotTestable:
      return "plain";
    case ClaimVerdict::kFails:
    case ClaimVerdict::kMissing:
      break;
  }
  return "bad";
}

std::string verdict_badge(const EvaluatedClaim& claim) {
  return html::badge(verdict_name(claim.verdict), badge_kind(claim.verdict));
}

std::string anchor_of(const EvaluatedClaim& claim) {
  return fmt::format("claim-{}-{}", html::anchor(claim.experiment), html::anchor(claim.id));
}

// "Measured 0.118 < 1.17; left - right [-1.1, -0.98]. Published 2.5. From 12 rows."
std::string evidence(const EvaluatedClaim& claim) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) parts.push_back(name + text);
  };
  add("measured ", claim.measured);
  add("95 %: ", claim.interval);
  add("published ", claim.published);
  if (claim.rows > 0) parts.push_back(fmt::format("{} rows", claim.rows));
  add("", claim.reason);
  return fmt::format("{}", fmt::join(parts, " · "));
}

std::string claim_item(const EvaluatedClaim& claim) {
  std::string html =
      fmt::format("<li id=\"{}\">{} {}", anchor_of(claim), verdict_badge(claim), html::escape(claim.says));
  if (!claim.where.empty()) html += fmt::format(" <span class=\"soft\">({})</span>", html::escape(claim.where));
  html += html::paragraph(evidence(claim), "soft");
  if (!claim.check.empty()) html += fmt::format("<p><code>{}</code></p>", html::escape(claim.check));
  return html + "</li>\n";
}

std::string filter(const std::vector<EvaluatedClaim>& claims, ClaimVerdict verdict) {
  const std::size_t count = count_claims(claims, verdict);
  if (count == 0) return "";
  return fmt::format(
      "<button type=\"button\" class=\"badge {0}\" aria-pressed=\"false\" value=\"{1}\">{1}: {2}</button>\n",
      badge_kind(verdict), verdict_name(verdict), count);
}

std::string line_of(const EvaluatedClaim& claim) {
  const std::string place = claim.paper + (claim.paper.empty() || claim.where.empty() ? "" : ", ") + claim.where;
  return fmt::format("<li data-kind=\"{}\">{} {} <span class=\"soft\">{}</span></li>\n", verdict_name(claim.verdict),
                     verdict_badge(claim), html::link(fmt::format("#{}", anchor_of(claim)), claim.says),
                     html::escape(place));
}

}  // namespace

std::size_t count_claims(const std::vector<EvaluatedClaim>& claims, ClaimVerdict verdict) {
  return static_cast<std::size_t>(std::ranges::count(claims, verdict, &EvaluatedClaim::verdict));
}

std::string claim_list(const std::vector<const EvaluatedClaim*>& claims) {
  if (claims.empty()) return "";
  std::string html = "<ul class=\"claims\">\n";
  for (const EvaluatedClaim* claim : claims) html += claim_item(*claim);
  return html + "</ul>\n";
}

std::string claims_section(const std::vector<EvaluatedClaim>& claims) {
  if (claims.empty()) return "";
  std::string html = "<h2 id=\"claims\">What the papers say</h2>\n<section>";
  html += html::paragraph(
      "Every statement of the papers that a number can decide, checked against the rows. A claim that does not hold is "
      "a "
      "finding; a difference within the noise is undecided. Each is shown again beside its figure, with what was "
      "measured.",
      "soft");
  html += "<div class=\"filters only-js\" data-filters=\"claims-list\" role=\"group\" aria-label=\"Claims to show\">";
  for (const ClaimVerdict verdict : kVerdicts) html += filter(claims, verdict);
  std::string lines;
  for (const EvaluatedClaim& claim : claims) lines += line_of(claim);
  const std::string list = fmt::format("<ul class=\"claims\" id=\"claims-list\">\n{}</ul>", lines);
  return html + "</div>\n" + html::details(fmt::format("All {} claims", claims.size()), list) + "</section>\n";
}

}  // namespace bloomery
