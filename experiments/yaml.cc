#include "experiments/yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "experiments/errors.h"
#include "structures/params.h"

namespace bloomery::yaml {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 16;  // an experiment needs 5; an alias that holds itself has no bottom

Mark to_mark(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

std::string contents(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) throw InputError(file.string() + ": no such file; give a .yaml file");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(file.string() + ": cannot be read; check its permissions");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The parser's own words for a tab are those for whatever it then expects.
std::string tab_hint(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string::npos)
      return "; indent with spaces, not tabs";
  }
  return "";
}

std::string kind_of(const YAML::Node& node) {
  if (node.IsScalar()) return fmt::format("'{}'", node.Scalar());
  return node.IsSequence() ? "a list" : node.IsMap() ? "a map" : "empty";
}

void expect_name(const YAML::Node& key, std::set<std::string>& seen) {
  if (!key.IsScalar()) fail(key, "a key is " + kind_of(key) + "; it must be a name");
  if (!seen.insert(key.Scalar()).second) fail(key, fmt::format("'{}' is given twice; keep one of them", key.Scalar()));
}

// yaml-cpp keeps both of two equal keys and answers with the first: one of them would be ignored without a word.
void expect_unique_keys(const YAML::Node& node, int depth = 0) {
  if (depth > kDeepest) fail(node, "this is nested too deeply; an experiment needs a few levels only");
  std::set<std::string> seen;
  for (const auto& item : node) {
    if (node.IsMap()) expect_name(item.first, seen);
    const YAML::Node value = node.IsMap() ? item.second : YAML::Node(item);
    if (value.IsMap() || value.IsSequence()) expect_unique_keys(value, depth + 1);
  }
}

}  // namespace

YAML::Node load(const fs::path& file) {
  const std::string text = contents(file);
  std::vector<YAML::Node> documents;
  try {
    documents = YAML::LoadAll(text);
  } catch (const YAML::Exception& e) {
    throw MarkedError(to_mark(e.mark), "this is not valid YAML: " + e.msg + tab_hint(text));
  }
  if (documents.empty()) throw MarkedError({1, 1}, "the file is empty; it must describe an experiment");
  if (documents.size() > 1) fail(documents[1], "a second YAML document begins here; give each a file of its own");
  expect_unique_keys(documents.front());
  return documents.front();
}

Mark mark_of(const YAML::Node& node) { return to_mark(node.Mark()); }

void fail(const YAML::Node& node, const std::string& what) { throw MarkedError(mark_of(node), what); }

void expect_map(const YAML::Node& node, const std::string& what) {
  if (!node.IsMap()) fail(node, fmt::format("{} is {}; it must be a map of keys to values", what, kind_of(node)));
}

void expect_list(const YAML::Node& node, const std::string& what) {
  if (!node.IsSequence()) fail(node, fmt::format("{} is {}; it must be a list", what, kind_of(node)));
}

void expect_keys(const YAML::Node& node, const std::string& what, const Names& known) {
  expect_map(node, what);
  for (const auto& item : node) {
    const std::string key = item.first.Scalar();
    if (std::ranges::find(known, key) != known.end()) continue;
    fail(item.first, fmt::format("unknown key '{}' of {}{}", key, what, suggestion(key, known)));
  }
}

YAML::Node required(const YAML::Node& parent, const std::string& key, const std::string& what) {
  YAML::Node node = parent[key];
  if (!node) fail(parent, fmt::format("{} has no '{}'; add one", what, key));
  return node;
}

std::string text(const YAML::Node& node, const std::string& what) {
  if (node.IsNull()) fail(node, fmt::format("{} is empty; give it a value (the word null needs quotes)", what));
  if (!node.IsScalar()) fail(node, fmt::format("{} is {}; it must be a single value", what, kind_of(node)));
  return node.Scalar();
}

std::string text_or(const YAML::Node& parent, const std::string& key, const std::string& fallback) {
  return parent[key] ? text(parent[key], key) : fallback;
}

std::string one_of(const YAML::Node& node, const std::string& what, const Names& options) {
  std::string value = text(node, what);
  if (std::ranges::find(options, value) != options.end()) return value;
  fail(node, fmt::format("unknown {} '{}'{}", what, value, suggestion(value, options)));
}

std::string file_name(const YAML::Node& node, const std::string& what) {
  std::string name = text(node, what);
  const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  if (!name.empty() && std::ranges::all_of(name, plain)) return name;
  fail(node, fmt::format("{} is '{}'; it names files: use letters, digits, _ and -", what, name));
}

std::vector<YAML::Node> items(const YAML::Node& node, const std::string& what) {
  if (node.IsScalar()) return {node};
  expect_list(node, what);
  return {node.begin(), node.end()};
}

Names texts(const YAML::Node& node, const std::string& what) {
  Names result;
  for (const YAML::Node& item : items(node, what)) result.push_back(text(item, what));
  return result;
}

Names some_of(const YAML::Node& node, const std::string& what, const Names& options) {
  Names result;
  for (const YAML::Node& item : items(node, what)) result.push_back(one_of(item, what, options));
  return result;
}

}  // namespace bloomery::yaml
