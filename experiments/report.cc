#include "experiments/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "experiments/errors.h"
#include "experiments/metrics.h"
#include "experiments/rows.h"
#include "experiments/stats.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kStyle = R"(
:root{color-scheme:light;--ink:#1d2329;--soft:#5c6670;--line:#dde2e7;--back:#f6f7f9;--accent:#0072b2;--warn:#8a4b00}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
main,header>div{max-width:70rem;margin:0 auto;padding:1rem}
header{background:#fff;border-bottom:1px solid var(--line)}
h1{font-size:1.7rem;margin:.4rem 0}h2{font-size:1.35rem;margin:2.2rem 0 .8rem}h3{font-size:1.12rem;margin:0 0 .3rem}
h4{font-size:.95rem;margin:1.2rem 0 .4rem}
p{margin:.4rem 0}a{color:var(--accent)}code{font-size:.9em;overflow-wrap:anywhere}
.soft{color:var(--soft);font-size:.92rem}
.facts{display:flex;flex-wrap:wrap;gap:.4rem;padding:0;margin:.6rem 0;list-style:none}
.facts li{background:var(--back);border:1px solid var(--line);border-radius:.4rem;padding:.15rem .6rem;font-size:.9rem}
nav ul{columns:20rem;padding-left:1.2rem;margin:.3rem 0}
section.experiment{background:#fff;border:1px solid var(--line);border-radius:.6rem;padding:1rem;margin:0 0 1.2rem}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem;margin:1rem 0}
figure{margin:0;border:1px solid var(--line);border-radius:.4rem;padding:.5rem;min-width:0}
figure img{width:100%;height:auto;display:block}
figcaption{font-size:.88rem;color:var(--soft);margin-top:.3rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem}
th,td{text-align:left;padding:.25rem .8rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.missing{border-left:.25rem solid #d55e00;background:#fff4ea;color:var(--warn);padding:.4rem .7rem;margin:.6rem 0}
.notes{border-left:.25rem solid var(--line);padding-left:.7rem;white-space:pre-line}
details{margin:.6rem 0}summary{cursor:pointer;color:var(--accent)}
@media print{body{background:#fff}section.experiment{border:0;padding:0}figure{break-inside:avoid}}
)";

std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

// A path as the target of a link: what is not plain in a URL becomes %XX.
std::string url(const fs::path& path) {
  std::string text;
  for (const char c : path.generic_string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) || std::string_view("/._-").find(c) != std::string_view::npos;
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return text;
}

// An id for the page: letters, digits and dashes.
std::string anchor(std::string_view text) {
  std::string id;
  for (const char c : text) id += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return id;
}

std::optional<std::string> read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return text;
}

// ---------------------------------------------------------------------------------------------------------------------
// The machine.

std::string scalar(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string fact(const Json& environment, const char* pointer) {
  const Json::json_pointer at(pointer);
  if (!environment.contains(at) || environment.at(at).is_structured()) return "";
  return scalar(environment.at(at));
}

std::vector<std::string> main_facts(const Json& environment) {
  std::vector<std::string> facts;
  const auto add = [&](const std::string& before, const char* pointer, const std::string& after) {
    const std::string value = fact(environment, pointer);
    if (!value.empty()) facts.push_back(before + value + after);
  };
  add("", "/cpu/model", "");
  add("", "/cpu/cores", " cores");
  const double memory = std::strtod(fact(environment, "/system/memory_bytes").c_str(), nullptr);
  if (memory > 0) facts.push_back(fmt::format("{:.0f} GiB of memory", memory / (1 << 30)));
  add("", "/system/distribution", "");
  add("", "/system/kernel", "");
  add("GCC ", "/build/compiler", "");
  add("", "/build/type", " build");
  const std::string commit = fact(environment, "/build/commit");
  if (!commit.empty()) facts.push_back("commit " + commit.substr(0, 12));
  return facts;
}

std::string machine_section(const Json& environment) {
  std::string html = "<ul class=\"facts\">";
  for (const std::string& text : main_facts(environment)) html += "<li>" + escape(text) + "</li>";
  html += "</ul>\n<details><summary>Everything known of machine and build</summary><div class=\"scroll\"><table>\n";
  const Json flat = environment.flatten();
  for (const auto& [key, value] : flat.items()) {
    if (value.is_null() || key == "/cpu/flags") continue;
    std::string name = key.substr(1);
    std::replace(name.begin(), name.end(), '/', ' ');
    html += "<tr><th>" + escape(name) + "</th><td>" + escape(scalar(value)) + "</td></tr>\n";
  }
  return html + "</table></div></details>\n";
}

// What must agree for rows of two experiments to be compared.
std::string machine_key(const Json& environment) {
  return fact(environment, "/cpu/model") + "|" + fact(environment, "/cpu/cores") + "|" +
         fact(environment, "/system/kernel") + "|" + fact(environment, "/build/source_hash");
}

std::optional<Json> read_environment(const fs::path& file) {
  const std::optional<std::string> text = read_file(file);
  if (!text) return std::nullopt;
  Json parsed = Json::parse(*text, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  return parsed;
}

// One description a machine and build; the experiments are named only if there are several.
std::string machines(const std::vector<Experiment>& experiments, const fs::path& results) {
  std::vector<std::pair<Json, std::vector<std::string>>> known;
  for (const Experiment& experiment : experiments) {
    const std::optional<Json> environment = read_environment(results / experiment.id / "environment.json");
    if (!environment) continue;
    const auto same = std::find_if(known.begin(), known.end(), [&](const auto& entry) {
      return machine_key(entry.first) == machine_key(*environment);
    });
    auto& entry = same == known.end() ? known.emplace_back(*environment, std::vector<std::string>{}) : *same;
    entry.second.push_back(experiment.id);
  }
  if (known.empty()) return "<p class=\"missing\">No environment.json: the machine is not known.</p>\n";
  std::string html;
  for (const auto& [environment, ids] : known) {
    const std::string names = fmt::format("{}", fmt::join(ids, ", "));
    if (known.size() > 1) html += "<p class=\"soft\">" + escape(names) + "</p>\n";
    html += machine_section(environment);
  }
  return html;
}

// ---------------------------------------------------------------------------------------------------------------------
// One experiment.

std::string joined_settings(const Settings& settings) {
  std::vector<std::string> parts;
  for (const auto& [key, setting] : settings) parts.push_back(key + " = " + setting.text);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string joined_values(const Axis& axis) {
  std::vector<std::string> values;
  for (const Setting& value : axis.values) values.push_back(value.text);
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string settings_row(const std::string& name, const std::string& value) {
  return "<tr><th>" + escape(name) + "</th><td>" + escape(value) + "</td></tr>\n";
}

std::string settings_table(const Experiment& experiment) {
  std::string html = "<details><summary>Settings</summary><div class=\"scroll\"><table>\n";
  html += settings_row("scenario", experiment.scenario);
  html += settings_row("all runs", joined_settings(experiment.defaults));
  for (const Axis& axis : experiment.sweep) html += settings_row("sweep of " + axis.name, joined_values(axis));
  for (const Series& series : experiment.series) {
    const std::string own = joined_settings(series.settings);
    html += settings_row("series " + series.name, series.structure + (own.empty() ? "" : ": " + own));
  }
  html += settings_row("phases", fmt::format("{}", fmt::join(experiment.phases, ", ")));
  html += settings_row("repetitions", std::to_string(experiment.repeats));
  return html + "</table></div></details>\n";
}

std::string figure_block(const FigureSpec& figure, const Experiment& experiment, const fs::path& plots) {
  const fs::path file = fs::path(experiment.id) / (figure.id + ".svg");
  const std::optional<std::string> svg = read_file(plots / file);
  const std::string caption = "Figure " + figure.id + (figure.title.empty() ? "" : ": " + figure.title);
  const std::string id = "figure-" + anchor(experiment.id) + "-" + anchor(figure.id);
  if (!svg) {
    return fmt::format("<figure id=\"{}\"><p class=\"missing\">{} has not been drawn.</p></figure>\n", id,
                       escape(caption));
  }
  // As an image and not inline: the ids inside two SVG files would clash on one page.
  return fmt::format(
      "<figure id=\"{}\"><a href=\"{}\"><img loading=\"lazy\" alt=\"{}\" src=\"data:image/svg+xml;base64,{}\"></a>"
      "<figcaption>{}</figcaption></figure>\n",
      id, url(file), escape(caption), base64(*svg), escape(caption));
}

bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  char *end_a = nullptr, *end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a);
  const double y = std::strtod(b.c_str(), &end_b);
  return !a.empty() && !b.empty() && *end_a == '\0' && *end_b == '\0' &&
         std::abs(x - y) <= 1e-12 * std::max(std::abs(x), std::abs(y));
}

std::optional<Summary> measured(const Published& published, const std::vector<Row>& rows) {
  const Metric& metric = find_metric(published.metric);
  std::vector<double> values;
  for (const Row& row : rows) {
    const bool here = row["series"] == published.series && row["phase"] == metric.phase &&
                      std::all_of(published.at.begin(), published.at.end(), [&](const auto& entry) {
                        return same_value(row.get(entry.first), entry.second);
                      });
    const std::optional<double> value = here ? metric.value(row) : std::nullopt;
    if (value) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return summarize(std::move(values));
}

std::string published_row(const Published& published, const std::vector<Row>& rows) {
  std::vector<std::string> at;
  for (const auto& [key, value] : published.at) at.push_back(key + " = " + value);
  const std::optional<Summary> ours = measured(published, rows);
  std::string numbers = "<td class=\"number\" colspan=\"2\">no rows</td>";
  if (ours) {
    const std::string ratio = published.value == 0 ? "" : fmt::format("{:.3g}", ours->median / published.value);
    numbers = fmt::format("<td class=\"number\">{:.4g} [{:.4g}, {:.4g}]</td><td class=\"number\">{}</td>",
                          ours->median, ours->low, ours->high, ratio);
  }
  return fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{:.5g}</td>{}<td>{}</td></tr>\n",
                     escape(find_metric(published.metric).label), escape(published.series),
                     escape(fmt::format("{}", fmt::join(at, ", "))), published.value, numbers,
                     escape(published.source));
}

std::string published_table(const Experiment& experiment, const std::vector<Row>& rows) {
  if (experiment.published.empty()) return "";
  std::string html =
      "<h4>Published and measured</h4><div class=\"scroll\"><table>\n<tr><th>quantity</th><th>series</th><th>at</th>"
      "<th class=\"number\">published</th><th class=\"number\">median measured [95 %]</th>"
      "<th class=\"number\">measured / published</th><th>source</th></tr>\n";
  for (const Published& published : experiment.published) html += published_row(published, rows);
  return html + "</table></div>\n";
}

std::string rows_line(const RowsFile& file) {
  std::map<std::string, int> by_status;
  for (const Row& row : file.rows) ++by_status[row["status"]];
  std::vector<std::string> parts;
  for (const auto& [status, count] : by_status) parts.push_back(fmt::format("{} {}", count, status));
  std::string html;
  if (!file.problem.empty()) html += "<p class=\"missing\">" + escape(file.problem) + "</p>\n";
  if (file.rows.empty()) {
    html += "<p class=\"missing\">There are no rows: this experiment has not been run.</p>\n";
  } else {
    html += fmt::format("<p class=\"soft\">{} rows: {}</p>\n", file.rows.size(),
                        escape(fmt::format("{}", fmt::join(parts, ", "))));
  }
  if (by_status.contains("false_negative")) {
    html += "<p class=\"missing\">Some answers missed a set that holds the key (status false_negative).</p>\n";
  }
  return html;
}

// Relative to a folder even if one path is absolute and the other is not.
fs::path relative_to(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path relative = fs::relative(path, folder, error);
  return error || relative.empty() ? path : relative;
}

std::string files_line(const Experiment& experiment, const fs::path& results, const fs::path& plots) {
  const auto link = [&](const fs::path& file) {
    // Shown from the project's folder, which holds the plots, so that no page names a folder of one machine.
    const fs::path shown = relative_to(file, fs::absolute(plots).lexically_normal().parent_path());
    return fmt::format("<a href=\"{}\"><code>{}</code></a>", url(relative_to(file, plots)),
                       escape(shown.generic_string()));
  };
  std::string html = "<p class=\"soft\">Rows: " + link(results / experiment.id / "rows.csv");
  if (!experiment.file.empty()) html += " · Config: " + link(experiment.file);
  return html + "</p>\n";
}

std::string source_line(const Source& source) {
  std::string text = source.section.empty() ? "" : "Section " + source.section;
  if (!source.figures.empty()) {
    text += fmt::format("{}figures {}", text.empty() ? "" : ", ", fmt::join(source.figures, ", "));
  }
  return text.empty() ? "" : "<p class=\"soft\">" + escape(text) + "</p>\n";
}

std::string experiment_section(const Experiment& experiment, const fs::path& results, const fs::path& plots) {
  const RowsFile file = read_rows(results / experiment.id / "rows.csv");
  std::string html = fmt::format("<section class=\"experiment\" id=\"{}\"><h3>{}</h3>\n", anchor(experiment.id),
                                 escape(experiment.id));
  if (!experiment.about.empty()) html += "<p>" + escape(experiment.about) + "</p>\n";
  html += source_line(experiment.source) + rows_line(file) + "<div class=\"figures\">\n";
  for (const FigureSpec& figure : experiment.figures) html += figure_block(figure, experiment, plots);
  html += "</div>\n" + published_table(experiment, file.rows);
  if (!experiment.notes.empty()) html += "<h4>Notes</h4><p class=\"notes\">" + escape(experiment.notes) + "</p>\n";
  return html + settings_table(experiment) + files_line(experiment, results, plots) + "</section>\n";
}

// ---------------------------------------------------------------------------------------------------------------------
// The page.

using Chapter = std::pair<std::string, std::vector<const Experiment*>>;

// Papers in the order in which they first appear.
std::vector<Chapter> chapters_of(const std::vector<Experiment>& experiments) {
  std::vector<Chapter> chapters;
  for (const Experiment& experiment : experiments) {
    const std::string title = experiment.source.paper.empty() ? "Other experiments" : experiment.source.paper;
    auto found =
        std::find_if(chapters.begin(), chapters.end(), [&](const Chapter& chapter) { return chapter.first == title; });
    if (found == chapters.end()) found = chapters.insert(chapters.end(), Chapter{title, {}});
    found->second.push_back(&experiment);
  }
  return chapters;
}

std::string contents(const std::vector<Chapter>& chapters) {
  std::string html = "<nav aria-label=\"Contents\">";
  for (const auto& [title, experiments] : chapters) {
    html += fmt::format("<p><a href=\"#paper-{}\">{}</a></p><ul>\n", anchor(title), escape(title));
    for (const Experiment* experiment : experiments) {
      html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", anchor(experiment->id), escape(experiment->id));
    }
    html += "</ul>";
  }
  return html + "</nav>\n";
}

void write_file(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw IoError("cannot write " + file.string());
}

}  // namespace

void write_report(const std::vector<Experiment>& experiments, const fs::path& results, const fs::path& plots) {
  const std::vector<Chapter> chapters = chapters_of(experiments);
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Bloomery report</title><style>";
  html += kStyle;
  html += "</style></head><body>\n<header><div><h1>Bloomery report</h1>\n";
  html += "<p class=\"soft\">Points are medians, bars their 95 % bootstrap intervals.</p>\n";
  html += machines(experiments, results) + contents(chapters) + "</div></header>\n<main>\n";
  for (const auto& [title, members] : chapters) {
    html += fmt::format("<h2 id=\"paper-{}\">{}</h2>\n", anchor(title), escape(title));
    for (const Experiment* experiment : members) html += experiment_section(*experiment, results, plots);
  }
  write_file(plots / "report.html", html + "</main></body></html>\n");
}

}  // namespace bloomery
