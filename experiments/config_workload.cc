#include "experiments/config_workload.h"

#include <fmt/format.h>

#include "experiments/numbers.h"

namespace bloomery {

DataOptions read_workload(const YAML::Node& node, const std::string& scenario) {
  yaml::expect_keys(node, "workload", {"kind", "path", "format", "keys", "kmer", "canonical", "offsets", "queries"});
  yaml::one_of(yaml::required(node, "kind", "workload"), "kind", {"files"});
  if (scenario != "index") {
    yaml::fail(node, fmt::format("scenario {} makes its own keys; leave workload out", scenario));
  }
  DataOptions data;
  data.paths = yaml::texts(yaml::required(node, "path", "workload"), "path");
  if (data.paths.empty()) yaml::fail(node["path"], "path is empty; give it a file, a folder or a pattern");
  if (node["format"]) data.format = yaml::one_of(node["format"], "format", data_formats());
  if (node["keys"]) data.keys = yaml::one_of(node["keys"], "keys", key_kinds());
  if (node["canonical"]) data.canonical = yaml::one_of(node["canonical"], "canonical", {"true", "false"}) == "true";
  if (node["kmer"]) {
    const auto bases = parse_integer(yaml::text(node["kmer"], "kmer"));
    if (!bases || *bases < 1 || *bases > 32) yaml::fail(node["kmer"], "kmer must be an integer from 1 to 32");
    data.kmer = *bases;
  }
  data.offsets = yaml::text_or(node, "offsets");
  data.queries = yaml::text_or(node, "queries");
  return data;
}

}  // namespace bloomery
