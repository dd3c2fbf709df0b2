#include "experiments/report_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "experiments/axes.h"
#include "experiments/curves.h"
#include "experiments/html.h"
#include "experiments/metrics.h"
#include "experiments/report_claims.h"
#include "experiments/report_figure.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

template <typename Parts>
std::string joined(const Parts& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

// ---------------------------------------------------------------------------------------------------------------------
// The state of an experiment's rows.

struct Status {
  const char* name;
  const char* kind;  // of a badge
  const char* meaning;
};

const Status& status_of(const std::string& name) {
  static const std::array<Status, 6> kStatuses = {{
      {"ok", "good", ""},
      {"unsupported", "plain", "the structure cannot do this"},
      {"skipped", "plain", "an earlier phase failed"},
      {"false_negative", "bad", "an answer missed a set that holds the key: the structure is wrong"},
      {"error", "bad", "the measurement failed"},
      {"", "bad", "not a status that is known"},
  }};
  const auto found =
      std::find_if(kStatuses.begin(), kStatuses.end(), [&](const Status& status) { return name == status.name; });
  return found == kStatuses.end() ? kStatuses.back() : *found;
}

// A wrong answer counts as one even if the row says otherwise.
std::string status_name(const Row& row) {
  return row.number("false_negatives").value_or(0) > 0 ? "false_negative" : row["status"];
}

std::map<std::string, int> count_by_status(const std::vector<Row>& rows) {
  std::map<std::string, int> counts;
  for (const Row& row : rows) ++counts[status_name(row)];
  return counts;
}

// Which series could not do what, or failed, and why.
std::string trouble_table(const std::vector<Row>& rows) {
  struct Trouble {
    int count = 0;
    std::string message;
  };
  std::map<std::array<std::string, 3>, Trouble> found;
  for (const Row& row : rows) {
    const std::string status = status_name(row);
    if (status == "ok") continue;
    Trouble& trouble = found[{status, row["series"], row["phase"]}];
    ++trouble.count;
    if (trouble.message.empty()) trouble.message = row.get("error");
  }
  if (found.empty()) return "";
  std::vector<std::vector<std::string>> cells;
  for (const auto& [key, trouble] : found) {
    const Status& status = status_of(key[0]);
    cells.push_back({html::badge(key[0], status.kind), html::escape(key[1]), html::escape(key[2]),
                     std::to_string(trouble.count),
                     html::escape(trouble.message.empty() ? status.meaning : trouble.message)});
  }
  return html::table({{"status"}, {"series"}, {"phase"}, {"rows", true}, {"meaning"}}, cells);
}

std::string rows_part(const RowsFile& file) {
  std::string html;
  if (!file.problem.empty()) html += html::warning(file.problem);
  if (file.rows.empty()) return html + html::warning("There are no rows: this experiment has not been run.");
  std::vector<std::string> parts;
  const std::map<std::string, int> counts = count_by_status(file.rows);
  for (const auto& [status, count] : counts) parts.push_back(fmt::format("{} {}", count, status));
  html += html::paragraph(fmt::format("{} rows: {}", file.rows.size(), joined(parts)), "soft");
  if (counts.contains("false_negative")) {
    html +=
        html::warning("Some answers missed a set that holds the key (status false_negative): a structure is wrong.");
  }
  if (counts.contains("error")) html += html::warning("Some measurements failed (status error).");
  return html + trouble_table(file.rows);
}

// ---------------------------------------------------------------------------------------------------------------------
// Settings.

std::string joined_settings(const Settings& settings) {
  std::vector<std::string> parts;
  for (const auto& [key, setting] : settings) parts.push_back(key + " = " + setting.text);
  return joined(parts);
}

std::string settings_part(const Experiment& experiment) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& name, const std::string& value) {
    rows.push_back({html::escape(name), html::escape(value)});
  };
  add("scenario", experiment.scenario);
  add("defaults", joined_settings(experiment.defaults));
  for (const Axis& axis : experiment.sweep) {
    std::vector<std::string> values;
    for (const Setting& value : axis.values) values.push_back(value.text);
    add("sweep of " + axis.name, joined(values));
  }
  for (const Series& series : experiment.series) {
    const std::string own = joined_settings(series.settings);
    add("series " + series.name, series.structure + (own.empty() ? "" : ": " + own));
  }
  add("phases", joined(experiment.phases));
  add("repetitions", std::to_string(experiment.repeats));
  return html::details("Settings", html::table({}, rows));
}

// ---------------------------------------------------------------------------------------------------------------------
// Published numbers.

std::vector<std::string> published_row(const Published& published, const std::vector<Row>& rows) {
  constexpr int kDigits = 4;
  std::vector<std::string> at;
  for (const auto& [key, value] : published.at) at.push_back(key + " = " + readable(value));
  const std::optional<Summary> ours = measured(published, rows);
  std::string median = "no rows", ratio;
  if (ours) {
    median = short_number(ours->median, kDigits);
    if (ours->low < ours->high) {
      median += fmt::format(" [{}, {}]", short_number(ours->low, kDigits), short_number(ours->high, kDigits));
    }
    if (published.value != 0) ratio = fmt::format("{:.3g}", ours->median / published.value);
  }
  return {html::escape(find_metric(published.metric).label),
          html::escape(published.series),
          html::escape(joined(at)),
          readable(fmt::format("{:g}", published.value)),
          median,
          ratio,
          html::escape(published.source)};
}

std::string published_part(const Experiment& experiment, const std::vector<Row>& rows) {
  if (experiment.published.empty()) return "";
  std::vector<std::vector<std::string>> cells;
  for (const Published& published : experiment.published) cells.push_back(published_row(published, rows));
  return "<h4>Published and ours</h4>" + html::table({{"quantity"},
                                                      {"series"},
                                                      {"at"},
                                                      {"published", true},
                                                      {"ours, median [95 %]", true},
                                                      {"ours / published", true},
                                                      {"source"}},
                                                     cells);
}

// ---------------------------------------------------------------------------------------------------------------------
// One experiment.

// Relative to a folder even if one path is absolute and the other is not.
fs::path relative_to(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path relative = fs::relative(path, folder, error);
  return error || relative.empty() ? path : relative;
}

std::string files_part(const Experiment& experiment, const fs::path& results, const fs::path& plots) {
  const auto file_link = [&](const fs::path& file) {
    // Shown from the project's folder, which holds the plots, so that no page names a folder of one machine.
    const fs::path shown = relative_to(file, fs::absolute(plots).lexically_normal().parent_path());
    return html::link(html::url(relative_to(file, plots)), shown.generic_string());
  };
  std::string html = "<p class=\"soft\">Rows: " + file_link(results / experiment.id / "rows.csv");
  if (!experiment.file.empty()) html += " · Config: " + file_link(experiment.file);
  return html + "</p>\n";
}

std::string source_part(const Source& source) {
  std::vector<std::string> parts;
  if (!source.paper.empty()) parts.push_back("paper " + source.paper);
  if (!source.section.empty()) parts.push_back("section " + source.section);
  if (!source.figures.empty()) parts.push_back("figures " + joined(source.figures));
  return parts.empty() ? "" : html::paragraph("Source: " + joined(parts), "soft");
}

// Those of a figure of ours, or those that are about none.
std::string claims_about(const std::string& figure, const Result& result) {
  const std::vector<FigureSpec>& figures = result.experiment->figures;
  std::vector<const EvaluatedClaim*> found;
  for (const EvaluatedClaim& claim : result.claims) {
    const bool drawn = std::ranges::find(figures, claim.figure, &FigureSpec::id) != figures.end();
    if (drawn ? claim.figure == figure : figure.empty()) found.push_back(&claim);
  }
  return claim_list(found);
}

}  // namespace

Result read_result(const Experiment& experiment, const fs::path& results) {
  RowsFile file = read_rows(results / experiment.id / "rows.csv");
  std::vector<EvaluatedClaim> claims = evaluate_claims(experiment, file.rows);
  return {&experiment, std::move(file), std::move(claims)};
}

std::string badges(const RowsFile& file) {
  std::vector<std::string> parts;
  if (!file.problem.empty()) parts.push_back(html::badge("file damaged", "bad"));
  if (file.rows.empty()) parts.push_back(html::badge("not run", "bad"));
  for (const auto& [status, count] : count_by_status(file.rows)) {
    parts.push_back(html::badge(fmt::format("{} {}", readable(std::to_string(count)), status), status_of(status).kind));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string experiment_part(const Result& result, const fs::path& results, const fs::path& plots) {
  const Experiment& experiment = *result.experiment;
  std::string html =
      fmt::format("<section id=\"{}\"><h3>{}</h3>\n", html::anchor(experiment.id), html::escape(experiment.id));
  html += html::paragraph(experiment.about) + source_part(experiment.source) + rows_part(result.file);
  html += "<div class=\"figures\">\n";
  for (const FigureSpec& figure : experiment.figures) {
    html += figure_part(figure, experiment, result.file.rows, plots, claims_about(figure.id, result));
  }
  const std::string others = claims_about("", result);
  html += "</div>\n";
  if (!others.empty()) html += "<h4>Claims</h4>" + others;
  html += published_part(experiment, result.file.rows);
  if (!experiment.notes.empty()) html += "<h4>Notes</h4>" + html::paragraph(experiment.notes, "notes");
  return html + settings_part(experiment) + files_part(experiment, results, plots) + "</section>\n";
}

}  // namespace bloomery
