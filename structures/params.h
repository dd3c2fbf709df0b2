// Named, typed, ranged parameters of a structure.
//
// A structure's constructor asks for its parameters by name; each question says the type, the range, the default and
// what the parameter means. So a structure is its own documentation (`bloomery describe`), an unknown name is an error,
// and no parameter is parsed twice.
#ifndef BLOOMERY_STRUCTURES_PARAMS_H_
#define BLOOMERY_STRUCTURES_PARAMS_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bloomery {

// A parameter that is unknown, ill-typed or out of range. `name` lets a caller say where it was written.
class ParamError : public std::runtime_error {
 public:
  ParamError(std::string name, const std::string& message) : std::runtime_error(message), name_(std::move(name)) {}
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

struct ParamSpec {
  std::string name;
  std::string type;           // integer, real, flag, choice or text
  std::string range;          // "2 to 1024", "hamming, jaccard, cosine"
  std::string default_value;  // as it would be written in YAML
  std::string about;
};

class Params {
 public:
  Params() = default;
  explicit Params(std::map<std::string, std::string> values) : values_(std::move(values)) {}
  Params(std::initializer_list<std::pair<const std::string, std::string>> values) : values_(values) {}

  std::uint64_t integer(const std::string& name, std::uint64_t fallback, std::uint64_t min, std::uint64_t max,
                        const std::string& about);
  // Strictly between min and max.
  double real(const std::string& name, double fallback, double min, double max, const std::string& about);
  bool flag(const std::string& name, bool fallback, const std::string& about);
  std::string choice(const std::string& name, const std::string& fallback, const std::vector<std::string>& options,
                     const std::string& about);
  // Whatever is written; `range` says what it should be.
  std::string text(const std::string& name, const std::string& fallback, const std::string& range,
                   const std::string& about);

  bool given(const std::string& name) const { return values_.contains(name); }
  const std::vector<ParamSpec>& specs() const { return specs_; }  // in the order they were asked for

  // Call after construction: throws if a given name was never asked for.
  void expect_all_taken() const;

 private:
  const std::string* find(const std::string& name, std::string type, std::string range, std::string fallback,
                          const std::string& about);

  std::map<std::string, std::string> values_;
  std::vector<ParamSpec> specs_;
};

// The candidate closest to `name` by edit distance, or "" when none is close enough to be what was meant.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// "; did you mean 'x'?" or, when nothing is near, "; known names: a, b, c".
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace bloomery

#endif  // BLOOMERY_STRUCTURES_PARAMS_H_
