#include "experiments/advisor.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/html.h"

namespace bloomery {
namespace {

using Json = nlohmann::ordered_json;

Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

Json rounded(const std::optional<double>& value) { return value ? rounded(*value) : Json(); }

Json variant_data(const Variant& variant) {
  return {{"name", variant.name()},
          {"many", variant.many_sets},
          {"inserts", variant.concurrent_inserts},
          {"maintenance", variant.concurrent_maintenance},
          {"unsupported", variant.unsupported}};
}

// Rows under named columns: names once instead of a thousand times.
constexpr const char* kPointColumns[] = {"variant", "sets",   "keys",   "hit",   "threads", "batch",   "backend",
                                         "bits",    "k",      "search", "wrong", "trials",  "storage", "memory",
                                         "fill",    "insert", "update", "erase", "repeats"};

Json point_data(const MeasuredPoint& point) {
  const Workload& at = point.workload;
  return {point.variant,
          at.sets,
          at.keys,
          at.hit_rate,
          at.threads,
          at.batch,
          point.backend,
          rounded(point.bits),
          rounded(point.k),
          rounded(point.search_ns),
          point.false_positives,
          point.trials,
          point.storage_bytes,
          point.memory_bytes,
          rounded(point.fill_ns),
          rounded(point.insert_ns),
          rounded(point.update_ns),
          rounded(point.erase_ns),
          point.repetitions};
}

struct Field {
  const char* name;
  const char* label;
  const char* attributes;
};

constexpr Field kFields[] = {
    {"sets", "Sets, N", "min=\"1\" step=\"1\" required value=\"1000\""},
    {"keys", "Keys in each, n", "min=\"1\" step=\"1\" required value=\"100\""},
    {"hit", "Queries that hit (%)", "min=\"0\" max=\"100\" step=\"any\" required value=\"50\""},
    {"rate", "False positive rate at most (%)", "min=\"0\" max=\"100\" step=\"any\" placeholder=\"any\""},
    {"memory", "Memory at most (MB)", "min=\"0\" step=\"any\" placeholder=\"any\""},
    {"changes", "Changes per 1000 queries", "min=\"0\" step=\"any\" required value=\"0\""},
    {"threads", "Threads", "min=\"1\" step=\"1\" required value=\"1\""},
    {"batch", "Keys asked for at a time", "min=\"1\" step=\"1\" required value=\"64\""},
};

std::string form() {
  std::string html = "<form id=\"advisor-form\" class=\"only-js\">";
  for (const Field& field : kFields) {
    html += fmt::format("<label>{}<input type=\"number\" inputmode=\"decimal\" name=\"{}\" {}></label>\n", field.label,
                        field.name, field.attributes);
  }
  return html +
         "<label>What changes<select name=\"kind\"><option value=\"sets\">sets come and go</option>"
         "<option value=\"keys\">sets gain keys</option></select></label>\n"
         "<label class=\"tick\"><input type=\"checkbox\" name=\"together\"> while other threads query</label></form>\n";
}

}  // namespace

std::string advisor_data(const MeasuredPoints& points) {
  Json variants = Json::array(), rows = Json::array();
  for (const Variant& variant : points.variants) variants.push_back(variant_data(variant));
  for (const MeasuredPoint& point : points.points) rows.push_back(point_data(point));
  return html::script_json(Json{{"variants", variants}, {"columns", kPointColumns}, {"points", rows}}.dump());
}

std::string advisor_section(const MeasuredPoints& points) {
  if (points.points.empty()) return "";
  return "<h2 id=\"advisor\">Which structure?</h2>\n<section>" +
         html::paragraph(
             fmt::format("Answered from {} measured points, each the median of its repetitions, and from "
                         "nothing else. Between points it interpolates, and says which they are; a structure "
                         "that was measured nowhere near is left out.",
                         points.points.size()),
             "soft") +
         "<noscript><p>The advisor needs scripts; the table of structures above does not.</p></noscript>" + form() +
         "<div id=\"advisor-answer\" class=\"only-js\" aria-live=\"polite\"></div>"
         "<script type=\"application/json\" id=\"advisor-data\">" +
         advisor_data(points) + "</script></section>\n";
}

}  // namespace bloomery
