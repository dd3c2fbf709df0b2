// Reading YAML so that every complaint says where, what is wrong and what would be right. All throw MarkedError.
#ifndef BLOOMERY_EXPERIMENTS_YAML_H_
#define BLOOMERY_EXPERIMENTS_YAML_H_

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/mark.h"

namespace bloomery::yaml {

using Names = std::vector<std::string>;

// The one document of a file, every map in it with keys that are plain and unique. Throws InputError without a place
// when there is no file to read.
YAML::Node load(const std::filesystem::path& file);

Mark mark_of(const YAML::Node& node);
[[noreturn]] void fail(const YAML::Node& node, const std::string& what);

// `what` names the node in the message: "a figure".
void expect_map(const YAML::Node& node, const std::string& what);
void expect_list(const YAML::Node& node, const std::string& what);
void expect_keys(const YAML::Node& node, const std::string& what, const Names& known);
YAML::Node required(const YAML::Node& parent, const std::string& key, const std::string& what);

std::string text(const YAML::Node& node, const std::string& what);
std::string text_or(const YAML::Node& parent, const std::string& key, const std::string& fallback = "");
std::string one_of(const YAML::Node& node, const std::string& what, const Names& options);
std::string file_name(const YAML::Node& node, const std::string& what);  // letters, digits, _ and -

// A single value counts as a list of one.
std::vector<YAML::Node> items(const YAML::Node& node, const std::string& what);
Names texts(const YAML::Node& node, const std::string& what);
Names some_of(const YAML::Node& node, const std::string& what, const Names& options);

}  // namespace bloomery::yaml

#endif  // BLOOMERY_EXPERIMENTS_YAML_H_
