// What a report comes to: counts, claims, and the Markdown of a pull request.
#include "experiments/report_summary.h"

#include <gtest/gtest.h>

#include "experiments/report.h"
#include "experiments/report_claims.h"
#include "tests/harness/made_up.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

EvaluatedClaim made_up_claim(const std::string& id, ClaimVerdict verdict, const std::string& figure = "") {
  EvaluatedClaim claim;
  claim.id = id;
  claim.experiment = "made_up";
  claim.paper = "bloofi";
  claim.where = "section 7, Fig. 5a";
  claim.figure = figure;
  claim.says = "Says | of " + id;
  claim.verdict = verdict;
  claim.measured = "1 < 2";
  return claim;
}

Result result_of(const Experiment& experiment, std::vector<Row> rows, std::vector<EvaluatedClaim> claims = {}) {
  return {&experiment, {std::move(rows), ""}, std::move(claims)};
}

class ReportSummaryTest : public FolderTest {};

TEST_F(ReportSummaryTest, CountsWhatThereIs) {
  const Experiment experiment = made_up_experiment();
  std::vector<Row> rows = made_up_rows();
  rows[0]["status"] = "false_negative";
  rows[1]["status"] = "error";
  rows[2]["seconds"] = "90";
  std::filesystem::create_directories(folder_ / "made_up");
  write("made_up/5a.svg", "<svg/>");
  const ReportSummary summary = summarize_results({result_of(experiment, rows), result_of(experiment, {})}, folder_);
  EXPECT_EQ(summary.experiments, 2U);
  EXPECT_EQ(summary.measured, 1U);
  EXPECT_EQ(summary.figures, 4U);
  EXPECT_EQ(summary.drawn, 2U) << "5a of either";
  EXPECT_EQ(summary.rows, rows.size());
  EXPECT_EQ(summary.wrong, 1U);
  EXPECT_EQ(summary.failed, 1U);
  EXPECT_EQ(summary.structures, 1U);
  EXPECT_EQ(duration_text(summary.seconds), "90 s");
}

TEST_F(ReportSummaryTest, PageListsClaimsWithTheirVerdicts) {
  const std::vector<EvaluatedClaim> claims = {made_up_claim("5a-cross", ClaimVerdict::kHolds),
                                              made_up_claim("<b>", ClaimVerdict::kFails)};
  const std::string html = claims_section(claims);
  EXPECT_TRUE(has(html, "holds: 1"));
  EXPECT_TRUE(has(html, "data-kind=\"does not hold\""));
  EXPECT_TRUE(has(html, "href=\"#claim-made-up-5a-cross\""));
  EXPECT_FALSE(has(html, "<b>"));
  EXPECT_TRUE(has(claim_list({&claims[0]}), "id=\"claim-made-up-5a-cross\""));
  EXPECT_TRUE(has(claim_list({&claims[0]}), "1 &lt; 2"));
  EXPECT_EQ(claims_section({}), "");
}

TEST_F(ReportSummaryTest, MarkdownNamesClaimsThatDoNotHoldAndEscapesThem) {
  const Experiment experiment = made_up_experiment();
  const ReportSummary summary = summarize_results(
      {result_of(experiment, made_up_rows(),
                 {made_up_claim("good", ClaimVerdict::kHolds), made_up_claim("bad", ClaimVerdict::kFails)})},
      folder_);
  const std::string text = markdown(summary, {"a machine"});
  EXPECT_TRUE(has(text, "a machine"));
  EXPECT_TRUE(has(text, "- bad: Says \\| of bad (section 7, Fig. 5a): 1 \\< 2"));
  EXPECT_FALSE(has(text, "- good"));
  EXPECT_TRUE(has(text, "| figures | 0 of 2 drawn |"));
  EXPECT_TRUE(has(text, "0 wrong answers"));
}

TEST_F(ReportSummaryTest, MarkdownOfNothingSaysSo) {
  const std::string text = report_markdown({made_up_experiment()}, folder_ / "results", folder_ / "plots");
  EXPECT_TRUE(has(text, "The machine is not known"));
  EXPECT_TRUE(has(text, "| experiments | 0 of 1 measured |"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "plots")) << "it writes nothing";
}

}  // namespace
}  // namespace bloomery
