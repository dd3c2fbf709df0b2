#include "experiments/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "experiments/html.h"

namespace bloomery {
namespace {

using Json = nlohmann::json;

std::optional<Json> read_environment(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  Json parsed = Json::parse(in, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  return parsed;
}

std::string scalar(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// "" if it is not known.
std::string fact(const Json& environment, const char* pointer) {
  const Json::json_pointer at(pointer);
  if (!environment.contains(at) || environment.at(at).is_structured()) return "";
  return scalar(environment.at(at));
}

std::string commit_of(const Json& environment) {
  const std::string commit = fact(environment, "/build/commit").substr(0, 12);
  return fact(environment, "/build/modified") == "true" && !commit.empty() ? commit + ", modified" : commit;
}

std::vector<std::string> main_facts(const Json& environment) {
  std::vector<std::string> facts;
  const auto add = [&](const std::string& value, const char* pattern) {
    if (!value.empty()) facts.push_back(fmt::format(fmt::runtime(pattern), value));
  };
  add(fact(environment, "/profile"), "profile {}");
  add(fact(environment, "/cpu/model"), "{}");
  add(fact(environment, "/cpu/cores"), "{} cores");
  const double memory = std::strtod(fact(environment, "/system/memory_bytes").c_str(), nullptr);
  if (memory > 0) facts.push_back(fmt::format("{:.0f} GiB of memory", memory / 0x1p30));
  add(fact(environment, "/system/virtual_machine") == "true" ? "virtual machine" : "", "{}");
  add(fact(environment, "/system/distribution"), "{}");
  add(fact(environment, "/system/kernel"), "{}");
  const std::string compiler = fact(environment, "/build/compiler");  // other compilers write their name before it
  add(compiler, !compiler.empty() && std::isdigit(static_cast<unsigned char>(compiler.front())) ? "GCC {}" : "{}");
  add(fact(environment, "/build/type"), "{} build");
  add(commit_of(environment), "commit {}");
  add(fact(environment, "/written").substr(0, 10), "measured {}");
  return facts;
}

std::string all_facts(const Json& environment) {
  std::vector<std::vector<std::string>> rows;
  const Json flat = environment.flatten();
  for (const auto& [key, value] : flat.items()) {
    if (value.is_null() || scalar(value).empty()) continue;
    std::string name = key.substr(1);
    std::replace(name.begin(), name.end(), '/', ' ');
    rows.push_back({html::escape(name), html::escape(scalar(value))});
  }
  return html::table({}, rows);
}

std::string description(const Json& environment) {
  std::string html = "<ul class=\"facts\">";
  for (const std::string& text : main_facts(environment)) html += fmt::format("<li>{}</li>", html::escape(text));
  html += "</ul>\n";
  if (fact(environment, "/build/release") == "false") {
    html += html::warning("This was not a release build: its times mean nothing.");
  }
  return html + html::details("Everything known of machine and build", all_facts(environment));
}

// What must agree for rows of two experiments to be compared.
std::string machine_key(const Json& environment) {
  std::string key;
  for (const char* pointer : {"/profile", "/cpu/model", "/cpu/cores", "/system/kernel", "/build/source_hash"}) {
    key += fact(environment, pointer) + "|";
  }
  return key;
}

struct Machine {
  Json environment;
  std::vector<std::string> experiments;
};

std::vector<Machine> machines_of(const std::vector<Experiment>& experiments, const std::filesystem::path& results) {
  std::vector<Machine> known;
  for (const Experiment& experiment : experiments) {
    const std::optional<Json> environment = read_environment(results / experiment.id / "environment.json");
    if (!environment) continue;
    auto same = std::ranges::find(known, machine_key(*environment),
                                  [](const Machine& machine) { return machine_key(machine.environment); });
    if (same == known.end()) same = known.insert(known.end(), {*environment, {}});
    same->experiments.push_back(experiment.id);
  }
  return known;
}

}  // namespace

std::string machines_section(const std::vector<Experiment>& experiments, const std::filesystem::path& results) {
  const std::vector<Machine> known = machines_of(experiments, results);
  if (known.empty()) return html::warning("No environment.json: the machine is not known.");
  std::string html;
  for (const Machine& machine : known) {
    if (known.size() > 1) html += html::paragraph(fmt::format("{}", fmt::join(machine.experiments, ", ")), "soft");
    html += description(machine.environment);
  }
  return html;
}

std::vector<std::string> machine_lines(const std::vector<Experiment>& experiments,
                                       const std::filesystem::path& results) {
  std::vector<std::string> lines;
  for (const Machine& machine : machines_of(experiments, results)) {
    lines.push_back(fmt::format("{}", fmt::join(main_facts(machine.environment), ", ")));
  }
  return lines;
}

}  // namespace bloomery
