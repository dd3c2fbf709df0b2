#include "experiments/claim_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "experiments/numbers.h"
#include "structures/params.h"

namespace bloomery {
namespace {

using Kind = Expression::Kind;
using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

Names function_names() {
  Names names;
  for (const ClaimFunction& function : claim_functions()) names.push_back(function.name);
  return names;
}

const Names kWords = {"and", "or", "not", "within", "of"};

class Parser {
 public:
  Parser(const std::string& text, const Vocabulary& vocabulary) : text_(text), vocabulary_(vocabulary) {}

  Expression parse() {
    Expression check = either();
    if (at() < text_.size()) fail(at_, fmt::format("'{}' is not expected here; end the check before it", rest()));
    if (!check.is_truth()) fail(check.begin, "this is a number; a check compares: a < b, rises(a, N)");
    return check;
  }

 private:
  [[noreturn]] static void fail(std::size_t offset, const std::string& what) { throw ExpressionError(offset, what); }

  // Past white space.
  std::size_t at() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_;
  }

  std::string rest() const { return text_.substr(at_, 20) + (text_.size() > at_ + 20 ? "..." : ""); }

  static bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  std::string_view next_name() {
    std::size_t end = at();
    while (end < text_.size() && in_name(text_[end])) ++end;
    return std::string_view(text_).substr(at_, end - at_);
  }

  // Words only if they stand alone, signs wherever they stand.
  bool take(std::string_view token) {
    if (in_name(token.front()) ? next_name() != token : text_.compare(at(), token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token, const std::string& why) {
    if (take(token)) return;
    const std::string found = at() == text_.size() ? "the check ends" : fmt::format("'{}' stands", rest());
    fail(at_, fmt::format("{} where '{}' {}", found, token, why));
  }

  Expression node(Kind kind, std::string text, std::vector<Expression> parts) const {
    Expression result;
    result.kind = kind;
    result.text = std::move(text);
    result.begin = parts.empty() ? at_ : parts.front().begin;
    result.end = at_;
    result.parts = std::move(parts);
    return result;
  }

  static void expect_truth(const Expression& part, const std::string& what) {
    if (!part.is_truth()) fail(part.begin, fmt::format("this is a number; {} takes comparisons", what));
  }

  static void expect_number(const Expression& part, const std::string& what) {
    if (part.is_truth()) fail(part.begin, fmt::format("this is a comparison; {} takes numbers", what));
  }

  Expression both_sides(const std::string& word, Kind kind, Expression (Parser::*side)()) {
    Expression left = (this->*side)();
    while (take(word)) {
      Expression right = (this->*side)();
      expect_truth(left, word);
      expect_truth(right, word);
      left = node(kind, word, {std::move(left), std::move(right)});
    }
    return left;
  }

  Expression either() { return both_sides("or", Kind::kOr, &Parser::both); }
  Expression both() { return both_sides("and", Kind::kAnd, &Parser::negation); }

  Expression negation() {
    const std::size_t begin = at();
    if (!take("not")) return comparison();
    Expression inner = negation();
    expect_truth(inner, "not");
    Expression result = node(Kind::kNot, "not", {std::move(inner)});
    result.begin = begin;
    return result;
  }

  std::string comparator() {
    for (const char* sign : {"<=", ">=", "==", "<", ">"}) {
      if (take(sign)) return sign;
    }
    if (at() < text_.size() && text_[at_] == '=') fail(at_, "'=' compares nothing; write == for equal");
    return "";
  }

  // a < b < c is a < b and b < c.
  Expression comparison() {
    Expression left = sum();
    if (take("within")) return within(std::move(left));
    std::vector<Expression> comparisons;
    for (std::string sign = comparator(); !sign.empty(); sign = comparator()) {
      Expression right = sum();
      expect_number(left, sign);
      expect_number(right, sign);
      comparisons.push_back(node(Kind::kComparison, sign, {std::move(left), right}));
      left = std::move(right);
    }
    if (comparisons.empty()) return left;
    return comparisons.size() == 1 ? std::move(comparisons.front()) : node(Kind::kAnd, "and", std::move(comparisons));
  }

  Expression within(Expression value) {
    Expression tolerance = sum();
    expect("of", "must follow: a within 5 % of b");
    Expression target = sum();
    for (const Expression* part : {&value, &tolerance, &target}) expect_number(*part, "within");
    return node(Kind::kWithin, "within", {std::move(value), std::move(tolerance), std::move(target)});
  }

  Expression arithmetic(const Names& signs, Expression (Parser::*side)()) {
    Expression left = (this->*side)();
    for (;;) {
      const auto sign = std::ranges::find_if(signs, [&](const std::string& s) { return take(s); });
      if (sign == signs.end()) return left;
      Expression right = (this->*side)();
      expect_number(left, *sign);
      expect_number(right, *sign);
      left = node(Kind::kArithmetic, *sign, {std::move(left), std::move(right)});
    }
  }

  Expression sum() { return arithmetic({"+", "-"}, &Parser::product); }
  Expression product() { return arithmetic({"*", "/"}, &Parser::power); }

  Expression power() {
    Expression base = unit();
    if (!take("^")) return base;
    Expression exponent = power();
    expect_number(base, "^");
    expect_number(exponent, "^");
    return node(Kind::kArithmetic, "^", {std::move(base), std::move(exponent)});
  }

  Expression unit() {
    const std::size_t begin = at();
    if (begin == text_.size()) fail(begin, "the check ends where a value must follow");
    if (take("-")) return minus(begin);
    if (take("(")) return inside(begin);
    if (std::isdigit(static_cast<unsigned char>(text_[begin])) || text_[begin] == '.') return number();
    const std::string name(next_name());
    if (name.empty() || contains(kWords, name)) fail(begin, fmt::format("'{}' stands where a value must", rest()));
    at_ += name.size();
    if (take("[")) return metric(begin, name);
    if (take("(")) return function(begin, name);
    return plain_name(begin, name);
  }

  Expression minus(std::size_t begin) {
    Expression inner = power();
    expect_number(inner, "-");
    Expression result = node(Kind::kArithmetic, "-", {number_node(begin, 0), std::move(inner)});
    result.begin = begin;
    return result;
  }

  Expression inside(std::size_t begin) {
    Expression inner = either();
    expect(")", "must close the bracket");
    inner.begin = begin;
    inner.end = at_;
    return inner;
  }

  Expression number_node(std::size_t begin, double value) const {
    Expression result = node(Kind::kNumber, "", {});
    result.begin = begin;
    result.number = value;
    return result;
  }

  Expression number() {
    const std::size_t begin = at_;
    // The sign of an exponent belongs to the number: 1e-3.
    const auto belongs = [&](std::size_t i) {
      const char c = text_[i];
      return std::isalnum(static_cast<unsigned char>(c)) || c == '.' ||
             ((c == '-' || c == '+') && (text_[i - 1] == 'e' || text_[i - 1] == 'E'));
    };
    while (at_ < text_.size() && belongs(at_)) ++at_;
    const std::string text = text_.substr(begin, at_ - begin);
    const auto value = parse_real(text);
    if (!value) fail(begin, fmt::format("'{}' is not a number; write 12, 0.5, 1e-3 or 5 %", text));
    const bool percent = take("%");
    return number_node(begin, percent ? *value / 100 : *value);
  }

  std::string known(std::size_t begin, const std::string& what, std::string name, const Names& names) const {
    if (contains(names, name)) return name;
    fail(begin, fmt::format("unknown {} '{}'{}", what, name, suggestion(name, names)));
  }

  // The text up to one of these characters, without white space around it. In single quotes it may hold any of them.
  std::string raw(std::string_view ends) {
    std::size_t stop = at();
    if (stop < text_.size() && text_[stop] == '\'') {
      const std::size_t close = text_.find('\'', stop + 1);
      if (close == std::string::npos) fail(stop, "the quote is not closed; add a '");
      at_ = close + 1;
      return text_.substr(stop + 1, close - stop - 1);
    }
    stop = std::min(text_.find_first_of(ends, at_), text_.size());
    std::string result = text_.substr(at_, stop - at_);
    at_ = stop;
    result.erase(result.find_last_not_of(" \t\n") + 1);
    return result;
  }

  Expression metric(std::size_t begin, const std::string& name) {
    known(begin, "metric", name, vocabulary_.metrics);
    Expression result = node(Kind::kMetric, name, {});
    const std::size_t series = at();
    result.series = known(series, "series", raw("@]"), vocabulary_.series);
    if (take("@")) {
      do result.at.push_back(binding());
      while (take(","));
    }
    expect("]", "must close the series");
    result.begin = begin;
    result.end = at_;
    return result;
  }

  std::pair<std::string, std::string> binding() {
    const std::size_t begin = at();
    std::string name = known(begin, "setting", std::string(next_name()), vocabulary_.settings);
    at_ += name.size();
    expect("=", "must follow the setting: @ N = 100");
    const std::size_t where = at();
    std::string value = raw(",]");
    if (value.empty()) fail(where, fmt::format("{} has no value; write {} = 100", name, name));
    return {std::move(name), std::move(value)};
  }

  Expression function(std::size_t begin, const std::string& name) {
    known(begin, "function", name, function_names());
    const ClaimFunction& function = *find_claim_function(name);
    std::vector<Expression> parts;
    do parts.push_back(argument(function, parts.size()));
    while (take(","));
    expect(")", fmt::format("must close {}({})", name, function.arguments));
    if (parts.size() < function.least || parts.size() > function.most) {
      fail(begin, fmt::format("{} has {} argument{}; write {}({})", name, parts.size(), parts.size() == 1 ? "" : "s",
                              name, function.arguments));
    }
    Expression result = node(Kind::kFunction, name, std::move(parts));
    result.begin = begin;
    return result;
  }

  Expression argument(const ClaimFunction& function, std::size_t index) {
    const std::size_t begin = at();
    if (index == function.axis) {
      Expression axis = node(Kind::kName, known(begin, "setting", std::string(next_name()), vocabulary_.settings), {});
      at_ += axis.text.size();
      axis.begin = begin;
      axis.end = at_;
      return axis;
    }
    Expression value = either();
    expect_number(value, function.name);
    return value;
  }

  Expression plain_name(std::size_t begin, const std::string& name) {
    Names names = vocabulary_.settings;
    names.push_back("published");
    if (contains(vocabulary_.metrics, name) && !contains(names, name)) {
      fail(begin, fmt::format("{} is of no series; write {}[{}]", name, name, vocabulary_.series.front()));
    }
    if (find_claim_function(name)) {
      fail(begin, fmt::format("{} has no arguments; write {}({})", name, name, find_claim_function(name)->arguments));
    }
    Expression result = node(Kind::kName, known(begin, "name", name, names), {});
    result.begin = begin;
    return result;
  }

  const std::string& text_;
  const Vocabulary& vocabulary_;
  std::size_t at_ = 0;
};

}  // namespace

bool Expression::is_truth() const {
  switch (kind) {
    case Kind::kComparison:
    case Kind::kWithin:
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kNot:
      return true;
    case Kind::kFunction:
      return find_claim_function(text)->truth;
    default:
      return false;
  }
}

Expression parse_check(const std::string& text, const Vocabulary& vocabulary) {
  return Parser(text, vocabulary).parse();
}

}  // namespace bloomery
