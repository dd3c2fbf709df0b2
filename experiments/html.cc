#include "experiments/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "experiments/report_assets.h"

namespace bloomery::html {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, escape(value));
}

std::string cell(const char* tag, const std::string& content, bool number) {
  return fmt::format("<{0}{1}>{2}</{0}>", tag, number ? " class=\"number\"" : "", content);
}

}  // namespace

std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string anchor(std::string_view text) {
  std::string id;
  for (const char c : text) id += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return id;
}

std::string url(const std::filesystem::path& path) {
  std::string text;
  for (const char c : path.generic_string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) || std::string_view("/._-").find(c) != std::string_view::npos;
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return text;
}

std::string svg_url(std::string_view svg) {
  std::string text = "data:image/svg+xml,";
  for (const char c : svg.substr(std::min(svg.find("<svg"), svg.size()))) {
    const bool space = std::isspace(static_cast<unsigned char>(c));
    if (space && text.back() == ' ') continue;
    if (space) {
      text += ' ';
    } else if (c == '"') {
      text += '\'';
    } else if (c == '\'') {
      text += "%26apos;";
    } else if (std::string_view("%#<>&").find(c) != std::string_view::npos) {
      text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  return text;
}

std::string script_json(std::string json) {
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at))
    json.replace(at, 1, "\\u003c");
  return json;
}

std::string paragraph(std::string_view text, std::string_view css_class) {
  return text.empty() ? "" : fmt::format("<p{}>{}</p>\n", attribute("class", css_class), escape(text));
}

std::string warning(std::string_view text) { return paragraph(text, "missing"); }

std::string badge(std::string_view text, std::string_view kind) {
  return fmt::format("<span class=\"badge {}\">{}</span>", kind, escape(text));
}

std::string link(const std::string& target, std::string_view text) {
  return fmt::format("<a href=\"{}\">{}</a>", target, escape(text));
}

std::string details(const std::string& summary, const std::string& body) {
  return fmt::format("<details><summary>{}</summary>{}</details>\n", summary, body);
}

std::string table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows, Rows order) {
  std::string html = "<div class=\"scroll\"><table";
  html += order == Rows::kSortable ? " class=\"sortable\">\n" : ">\n";
  if (!columns.empty()) {
    html += "<thead><tr>";
    for (const Column& column : columns) html += cell("th", column.title, column.number);
    html += "</tr></thead>\n";
  }
  html += "<tbody>";
  for (const std::vector<std::string>& row : rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool name = columns.empty() && i == 0;
      html += cell(name ? "th" : "td", row[i], i < columns.size() && columns[i].number);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string page(const std::string& title, const std::string& body) {
  // The policy says to the browser what the page promises its reader: nothing is loaded from anywhere.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{}</title>"
      "<link rel=\"icon\" href=\"data:,\">"
      "<style>{}</style><script>document.documentElement.classList.add(\"js\")</script></head>"
      "<body>\n{}<script>{}</script></body></html>\n",
      escape(title), kReportStyle, body, kReportScript);
}

}  // namespace bloomery::html
