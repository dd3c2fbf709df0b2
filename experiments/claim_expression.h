// The language of a claim's check: comparisons of metrics, as read. docs/claims.md has the whole of it.
//
//   check  := both ("or" both)*              both := not ("and" not)*         not := "not" not | compare
//   compare:= sum (("<" | "<=" | ">" | ">=" | "==") sum)* | sum "within" sum "of" sum
//   sum    := product (("+" | "-") product)*       product := power (("*" | "/") power)*
//   power  := unit ("^" power)?                    unit := "-" power | number ["%"] | "(" check ")"
//           | function "(" check ("," check)* ")" | metric "[" series ["@" name "=" value ("," ...)*] "]" | name
#ifndef BLOOMERY_EXPERIMENTS_CLAIM_EXPRESSION_H_
#define BLOOMERY_EXPERIMENTS_CLAIM_EXPRESSION_H_

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bloomery {

struct Expression {
  enum class Kind { kNumber, kName, kMetric, kArithmetic, kFunction, kComparison, kWithin, kAnd, kOr, kNot };

  Kind kind = Kind::kNumber;
  std::size_t begin = 0, end = 0;  // where it stands in the check
  std::string text;                // operator, name, metric or function
  double number = 0;
  std::string series;                                   // of a metric
  std::vector<std::pair<std::string, std::string>> at;  // of a metric: settings and values
  std::vector<Expression> parts;

  bool is_truth() const;  // it holds or not; otherwise it is a number
};

// What an expression may name.
struct Vocabulary {
  std::vector<std::string> metrics;
  std::vector<std::string> series;
  std::vector<std::string> settings;
};

// What is wrong at a character of the check.
struct ExpressionError : std::runtime_error {
  ExpressionError(std::size_t where, const std::string& what) : std::runtime_error(what), offset(where) {}
  std::size_t offset;
};

// A check: an expression that holds or not. Throws ExpressionError.
Expression parse_check(const std::string& text, const Vocabulary& vocabulary);

// A function over the values of a setting, or of one number.
struct ClaimFunction {
  std::string name;
  std::string arguments;  // for messages and docs: "value, axis, tolerance"
  bool truth;             // it holds or not; otherwise it is a number
  std::size_t least, most;
  std::size_t axis;  // which argument names a setting to go along; kNoAxis for none
  std::string about;
};
inline constexpr std::size_t kNoAxis = 99;

const std::vector<ClaimFunction>& claim_functions();
const ClaimFunction* find_claim_function(const std::string& name);  // nullptr if there is none

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CLAIM_EXPRESSION_H_
