// Claims in configs: what is said of mistakes before anything runs, and what the program makes of them after.
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/claims.h"
#include "experiments/config.h"
#include "experiments/config_reader.h"
#include "tests/harness/program.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

using ClaimConfigTest = FolderTest;

std::string with_claim(const std::string& claim) { return kSmall + "claims:\n" + claim; }

std::string check(const std::string& text, const std::string& more = "") {
  return with_claim("  - {id: a, says: b, check: \"" + text + "\"" + more + "}\n");
}

TEST_F(ClaimConfigTest, MistakesAreLocated) {
  struct Case {
    std::string config, complaint;
  };
  // The claim is on line 13; its check begins in column 30.
  const std::vector<Case> cases = {
      {check("serch_time[Bloofi] < 1"), ":13:30: claim 'a': unknown metric 'serch_time'; did you mean 'search_time'?"},
      {check("1 < search_time[Blofi]"), ":13:46: claim 'a': unknown series 'Blofi'; did you mean 'Bloofi'?"},
      {check("nodes[Bloofi] < 9", ", at: {M: 1}"), ":13:55: unknown setting 'M'; did you mean 'N'?"},
      {check("nodes[Bloofi] < 9", ", at: {N: 3, d: 2}"), ":13:30: claim 'a': 'Bloofi' is not run at N = 3; N is 2, 10"},
      {check("nodes[Bloofi @ N = 2] < 9"),
       ":13:30: claim 'a': nodes[Bloofi] is measured at d = 2, 3; say which in 'at' (every: at each of them)"},
      {check("1 < update_time[Bloofi]", ", at: {N: 2, d: 2}"),
       ":13:34: claim 'a': update_time needs the phase update, which is not measured"},
      {check("1 < 2", ", chek: 3"), ":13:38: unknown key 'chek' of a claim; did you mean 'check'?"},
      {check("nodes[Bloofi] < published", ", at: {N: 2, d: 2}"),
       ":13:46: claim 'a': the claim has no 'published'; add the paper's number"},
      {with_claim("  - {id: a, says: b}\n"), "a claim has no 'check'; add one"},
      {with_claim("  - {id: a, says: b, check: 1 < 2}\n  - {id: a, says: b, check: 1 < 2}\n"),
       ":14:10: there are two claims 'a'; rename one"},
      {with_claim("  - id: a\n    says: b\n    check: >-\n      1 < 2\n      and 1 < nods[Bloofi]\n"),
       ":17:15: claim 'a': unknown metric 'nods'; did you mean 'nodes'?"},
  };
  for (const Case& c : cases) EXPECT_TRUE(has(complaint(c.config), c.complaint)) << complaint(c.config);
}

// The quick profile of the small experiment has no N = 10, so it is told where that is.
TEST_F(ClaimConfigTest, AnotherProfileMayBeNeeded) {
  const std::string text = check("nodes[Bloofi] < 99", ", at: {N: 10, d: 2}");
  EXPECT_EQ(load(text).claims.at(0).elsewhere, "");
  EXPECT_EQ(load(text, "quick").claims.at(0).elsewhere,
            "needs the default profile: 'Bloofi' is not run at N = 10; N is 4");
  EXPECT_EQ(load(text, "default", {{"N", "3"}}).claims.at(0).elsewhere,
            "not with these settings: 'Bloofi' is not run at N = 10; N is 3");
  const std::string needs = check("nodes[Bloofi] < 99", ", needs: paper, at: {N: every, d: 2}");
  EXPECT_EQ(load(needs).claims.at(0).elsewhere, "needs the paper profile");
  EXPECT_EQ(load(needs, "paper").claims.at(0).elsewhere, "");
}

TEST_F(ClaimConfigTest, ShippedClaimsHaveNamesOfTheirOwn) {
  std::map<std::string, std::string> owners;
  std::map<std::string, int> papers;
  for (const auto& file : find_configs(BLOOMERY_CONFIGS)) {
    const Experiment experiment = read_experiment(file, "default");
    for (const Claim& claim : experiment.claims) {
      EXPECT_TRUE(owners.emplace(claim.id, experiment.id).second) << claim.id << " is also in " << owners[claim.id];
      EXPECT_FALSE(claim.paper.empty()) << claim.id;
      ++papers[claim.paper];
    }
  }
  EXPECT_GE(owners.size(), 70U);
  for (const char* paper : {"bloofi", "cache", "tutorial"}) EXPECT_GE(papers[paper], 5) << paper;
}

class ClaimProgramTest : public ProgramTest {
 protected:
  ClaimProgramTest() {
    write("claims.yaml", with_claim("  - {id: a, says: Trees have nodes, check: \"nodes[Bloofi] > 0\", "
                                    "at: {N: every, d: every}}\n"
                                    "  - {id: b, says: \"It \\\"cannot\\\", be, seen\", untestable: no eyes}\n"));
  }
};

TEST_F(ClaimProgramTest, VerdictsArePrintedAndWrittenWhateverTheyAre) {
  ASSERT_EQ(run("run claims.yaml").code, 0);
  const Outcome outcome = run("claims claims.yaml");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.out, "holds              a\n")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "2 claims: 1 holds, 1 not testable here")) << outcome.out;
  const std::string csv = slurp(folder_ / "results/claims.csv");
  EXPECT_TRUE(
      csv.starts_with("id,experiment,paper,where,says,check,verdict,measured,interval,rows,published,reason\n"));
  EXPECT_TRUE(has(csv, "\nb,small,,,\"It \"\"cannot\"\", be, seen\",,not testable here,,,0,,no eyes\n")) << csv;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST_F(ClaimProgramTest, MissingRowsFailTheRun) {
  expect_message(run("claims claims.yaml"), 3,
                 "claim a of small: build: no row of series 'Bloofi', N = 2, d = 2, repetition 1");
  EXPECT_TRUE(has(slurp(folder_ / "results/claims.csv"), ",rows missing,"));
}

TEST_F(ClaimProgramTest, OnlyEvaluatesTheSelected) {
  write("small.yaml", replaced(kSmall, "experiment: small", "experiment: other"));
  ASSERT_EQ(run("run claims.yaml").code, 0);
  EXPECT_EQ(run("claims claims.yaml small.yaml --only small").code, 0);
  EXPECT_EQ(run("claims claims.yaml small.yaml --only nothing").code, 2);
}

}  // namespace
}  // namespace bloomery
