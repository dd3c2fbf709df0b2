// The language of claims: what is read, and what is said of what cannot be.
#include "experiments/claim_expression.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace bloomery {
namespace {

const Vocabulary kVocabulary = {{"search_time", "nodes", "storage"},
                                {"Bloofi", "Flat-Bloofi", "From 512, independent", "k = 1", "655 360 blocks", "a]b"},
                                {"N", "d", "metric"}};

Expression parse(const std::string& text) { return parse_check(text, kVocabulary); }

// With brackets around everything, so that what binds to what can be seen.
std::string shape(const Expression& e) {
  using Kind = Expression::Kind;
  if (e.kind == Kind::kNumber) return std::to_string(e.number).substr(0, 4);
  if (e.kind == Kind::kMetric) {
    std::string at;
    for (const auto& [name, value] : e.at) at += fmt::format("|{}={}", name, value);
    return fmt::format("{}[{}{}]", e.text, e.series, at);
  }
  std::string parts;
  for (const Expression& part : e.parts) parts.append(parts.empty() ? "" : " ").append(shape(part));
  return parts.empty() ? e.text : fmt::format("({} {})", e.text, parts);
}

std::string shape_of(const std::string& text) { return shape(parse(text)); }

// "column: what is wrong".
std::string complaint(const std::string& text) {
  try {
    parse(text);
    return "";
  } catch (const ExpressionError& e) {
    return fmt::format("{}: {}", e.offset, e.what());
  }
}

TEST(ClaimExpressionTest, ReadsComparisonsOfMetrics) {
  EXPECT_EQ(shape_of("search_time[Flat-Bloofi] < search_time[Bloofi]"),
            "(< search_time[Flat-Bloofi] search_time[Bloofi])");
  for (const std::string sign : {"<", "<=", ">", ">=", "=="}) {
    EXPECT_EQ(shape_of("nodes[Bloofi]" + sign + "N"), fmt::format("({} nodes[Bloofi] N)", sign));
  }
}

TEST(ClaimExpressionTest, BindsAsInArithmetic) {
  EXPECT_EQ(shape_of("1 + 2 * 3 ^ 2 ^ N < 4"), "(< (+ 1.00 (* 2.00 (^ 3.00 (^ 2.00 N)))) 4.00)");
  EXPECT_EQ(shape_of("8 - 4 - 2 == 8 / 4 / 2"), "(== (- (- 8.00 4.00) 2.00) (/ (/ 8.00 4.00) 2.00))");
  EXPECT_EQ(shape_of("-N + 1 < (1 - N) * 2"), "(< (+ (- 0.00 N) 1.00) (* (- 1.00 N) 2.00))");
  EXPECT_EQ(shape_of("N - -1 > 2^-1"), "(> (- N (- 0.00 1.00)) (^ 2.00 (- 0.00 1.00)))");
}

TEST(ClaimExpressionTest, BindsAndBeforeOrAndNotFirst) {
  EXPECT_EQ(shape_of("N < 1 or N < 2 and not N < 3"), "(or (< N 1.00) (and (< N 2.00) (not (< N 3.00))))");
  EXPECT_EQ(shape_of("(N < 1 or N < 2) and N < 3"), "(and (or (< N 1.00) (< N 2.00)) (< N 3.00))");
}

TEST(ClaimExpressionTest, ChainsComparisons) {
  EXPECT_EQ(shape_of("1 < N <= 2 < d"), "(and (< 1.00 N) (<= N 2.00) (< 2.00 d))");
}

TEST(ClaimExpressionTest, SeriesMayBeNamedAlmostAnything) {
  EXPECT_EQ(shape_of("nodes[From 512, independent] < 1"), "(< nodes[From 512, independent] 1.00)");
  EXPECT_EQ(shape_of("nodes[ k = 1 @ N = 5, metric=cosine ] < 1"), "(< nodes[k = 1|N=5|metric=cosine] 1.00)");
  EXPECT_EQ(shape_of("nodes['a]b'] < 1"), "(< nodes[a]b] 1.00)");
  EXPECT_EQ(shape_of("nodes[655 360 blocks] < 1"), "(< nodes[655 360 blocks] 1.00)");
}

TEST(ClaimExpressionTest, ReadsNumbersAndPercentages) {
  EXPECT_EQ(parse("5 % < 1").parts[0].number, 0.05);
  EXPECT_EQ(parse("1e-3 < 1").parts[0].number, 1e-3);
  EXPECT_EQ(parse("1.5e+3 < 1").parts[0].number, 1500);
  EXPECT_EQ(parse(".5 < 1").parts[0].number, 0.5);
  EXPECT_EQ(shape_of("N within 5 % of published"), "(within N 0.05 published)");
}

TEST(ClaimExpressionTest, ReadsFunctionsAlongAnAxis) {
  EXPECT_EQ(shape_of("rises(nodes[Bloofi], N)"), "(rises nodes[Bloofi] N)");
  EXPECT_EQ(shape_of("falls(nodes[Bloofi] / N, d, 2 %) and lowest(nodes[Bloofi], d) == 3"),
            "(and (falls (/ nodes[Bloofi] N) d 0.02) (== (lowest nodes[Bloofi] d) 3.00))");
  EXPECT_EQ(shape_of("fits(nodes[Bloofi], d * log(N) / log(d), N)"),
            "(fits nodes[Bloofi] (/ (* d (log N)) (log d)) N)");
}

TEST(ClaimExpressionTest, SaysWhereAndWhatIsWrong) {
  struct Case {
    std::string text, complaint;
  };
  const std::vector<Case> cases = {
      {"serch_time[Bloofi] < 1", "0: unknown metric 'serch_time'; did you mean 'search_time'?"},
      {"1 < search_time[Blofi]", "16: unknown series 'Blofi'; did you mean 'Bloofi'?"},
      {"nodes[Bloofi @ M = 1] < 1", "15: unknown setting 'M'; did you mean 'N'?"},
      {"nodes[Bloofi @ N 1] < 1", "17: '1] < 1' stands where '=' must follow the setting: @ N = 100"},
      {"nodes[Bloofi @ N = ] < 1", "19: N has no value; write N = 100"},
      {"rised(nodes[Bloofi], N)", "0: unknown function 'rised'; did you mean 'rises'?"},
      {"rises(nodes[Bloofi], M)", "21: unknown setting 'M'; did you mean 'N'?"},
      {"rises(nodes[Bloofi])", "0: rises has 1 argument; write rises(value, axis, tolerance)"},
      {"1 < publishd", "4: unknown name 'publishd'; did you mean 'published'?"},
      {"nodes < 1", "0: nodes is of no series; write nodes[Bloofi]"},
      {"rises < 1", "0: rises has no arguments; write rises(value, axis, tolerance)"},
      {"nodes[Bloofi", "12: the check ends where ']' must close the series"},
      {"(1 < 2", "6: the check ends where ')' must close the bracket"},
      {"1 <", "3: the check ends where a value must follow"},
      {"1 < 2 3", "6: '3' is not expected here; end the check before it"},
      {"1 = 2", "2: '=' compares nothing; write == for equal"},
      {"1 + 2", "0: this is a number; a check compares: a < b, rises(a, N)"},
      {"1 and 2 < 3", "0: this is a number; and takes comparisons"},
      {"(1 < 2) + 3 < 4", "0: this is a comparison; + takes numbers"},
      {"not 1", "4: this is a number; not takes comparisons"},
      {"1 within 5 % 2", "13: '2' stands where 'of' must follow: a within 5 % of b"},
      {"1.2.3 < 4", "0: '1.2.3' is not a number; write 12, 0.5, 1e-3 or 5 %"},
      {"1 < * 2", "4: '* 2' stands where a value must"},
      {"nodes['Bloofi] < 1", "6: the quote is not closed; add a '"},
      {"", "0: the check ends where a value must follow"},
  };
  for (const Case& c : cases) EXPECT_EQ(complaint(c.text), c.complaint) << c.text;
}

// Whatever is cut off or mixed up, there is a complaint or an expression, never a crash.
TEST(ClaimExpressionTest, SurvivesAnyText) {
  const std::string text = "rises(nodes[Bloofi @ N = 1] / 2 ^ -d, N, 5 %) and not 1 within 2 % of (N) or 'x' <= [";
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    for (std::size_t end = begin; end <= text.size(); ++end) complaint(text.substr(begin, end - begin));
  }
}

}  // namespace
}  // namespace bloomery
