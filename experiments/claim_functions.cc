// The functions of the language, by name: their arguments serve reading, messages and docs.
#include <algorithm>

#include "experiments/claim_expression.h"

namespace bloomery {

const std::vector<ClaimFunction>& claim_functions() {
  static const std::vector<ClaimFunction> functions = {
      {"rises", "value, axis, tolerance", true, 2, 3, 1, "higher at the last than at the first, and no step down"},
      {"falls", "value, axis, tolerance", true, 2, 3, 1, "lower at the last than at the first, and no step up"},
      {"constant", "value, axis, tolerance", true, 3, 3, 1, "largest over smallest is at most 1 + tolerance"},
      {"crosses", "left, right, axis", true, 3, 3, 2, "left is below right at the first and above it at the last"},
      {"fits", "value, model, axis", true, 3, 3, 2, "a + b * model fits better than a + b * axis, by least squares"},
      {"slope", "value, axis", false, 2, 2, 1, "b of the least squares fit value = a * axis ^ b"},
      {"lowest", "value, axis", false, 2, 2, 1, "where on the axis the value is least"},
      {"highest", "value, axis", false, 2, 2, 1, "where on the axis the value is greatest"},
      {"least", "value, axis", false, 2, 2, 1, "the least value along the axis"},
      {"greatest", "value, axis", false, 2, 2, 1, "the greatest value along the axis"},
      {"log", "value", false, 1, 1, kNoAxis, "natural logarithm"},
      {"log2", "value", false, 1, 1, kNoAxis, "logarithm of base 2"},
      {"exp", "value", false, 1, 1, kNoAxis, "e to the value"},
      {"sqrt", "value", false, 1, 1, kNoAxis, "square root"},
      {"floor", "value", false, 1, 1, kNoAxis, "the integer below"},
      {"ceil", "value", false, 1, 1, kNoAxis, "the integer above"},
      {"abs", "value", false, 1, 1, kNoAxis, "without its sign"},
  };
  return functions;
}

const ClaimFunction* find_claim_function(const std::string& name) {
  const std::vector<ClaimFunction>& all = claim_functions();
  const auto found = std::ranges::find(all, name, &ClaimFunction::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace bloomery
