#include "experiments/html.h"

#include <fmt/format.h>

#include <cctype>
#include <cstddef>
#include <cstdint>

namespace bloomery::html {
namespace {

// Figures are drawn on white, so they keep a white card in the dark.
constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--ink:#1d2329;--soft:#59636d;--line:#dde2e7;--back:#f6f7f9;--card:#fff;--accent:#0065a0;
--good:#00694c;--good-back:#e3f4ee;--bad:#8f2d00;--bad-back:#fdebe2;--plain-back:#eceff2}
@media(prefers-color-scheme:dark){:root{--ink:#e4e7ea;--soft:#a3adb7;--line:#363d45;--back:#14181c;--card:#1d2227;
--accent:#6cb8ec;--good:#7fd9b8;--good-back:#12352b;--bad:#ffb18a;--bad-back:#46210f;--plain-back:#2b3138}}
*{box-sizing:border-box}
html{scroll-padding-top:.5rem}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
main,header>div{max-width:76rem;margin:0 auto;padding:1rem}
header{background:var(--card);border-bottom:1px solid var(--line)}
h1{font-size:1.7rem;margin:.4rem 0}h2{font-size:1.35rem;margin:2.2rem 0 .8rem}h3{font-size:1.15rem;margin:0 0 .3rem}
h4{font-size:.95rem;margin:1.2rem 0 .4rem}h1,h2,h3,code{overflow-wrap:anywhere}
p{margin:.4rem 0;max-width:46rem}a{color:var(--accent)}code{font-size:.9em}
.soft{color:var(--soft);font-size:.92rem}
.facts{display:flex;flex-wrap:wrap;gap:.4rem;padding:0;margin:.6rem 0;list-style:none}
.facts li{background:var(--plain-back);border-radius:.4rem;padding:.1rem .6rem;font-size:.9rem}
.index{list-style:none;padding:0;margin:.3rem 0;display:grid;gap:.4rem 2rem;
grid-template-columns:repeat(auto-fill,minmax(min(100%,30rem),1fr))}
.index li{border-top:1px solid var(--line);padding:.4rem 0 0}.index p{margin:0}
.badge{display:inline-block;border-radius:.4rem;padding:0 .5rem;font-size:.82rem;white-space:nowrap}
.good{background:var(--good-back);color:var(--good)}.plain{background:var(--plain-back);color:var(--soft)}
.bad{background:var(--bad-back);color:var(--bad);font-weight:600}
section{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1rem;margin:0 0 1.2rem}
.figures{display:flex;flex-wrap:wrap;gap:1rem;margin:1rem 0}
figure{margin:0;border:1px solid var(--line);border-radius:.4rem;padding:.6rem;min-width:0;background:#fff;
color:#1d2329}
figure img{display:block;max-width:100%;height:16rem;object-fit:contain}
figcaption{font-size:.88rem;color:#59636d;margin-top:.3rem;width:0;min-width:100%}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem}
th,td{text-align:left;padding:.25rem .9rem .25rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600}td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.missing{border-left:.25rem solid #d55e00;background:var(--bad-back);color:var(--bad);padding:.4rem .7rem;
margin:.6rem 0}
.notes{border-left:.25rem solid var(--line);padding-left:.7rem;white-space:pre-line}
details{margin:.6rem 0}summary{cursor:pointer;color:var(--accent)}
@media(max-width:40rem){main,header>div{padding:.6rem}section{padding:.7rem;border-radius:0;margin:0 -.6rem 1rem}
figure,figure img{height:auto;width:100%}table:has(thead) td{white-space:nowrap}}
@media print{:root{color-scheme:light;--ink:#000;--soft:#444;--line:#bbb;--back:#fff;--card:#fff;--accent:#000;
--good:#000;--good-back:#fff;--bad:#000;--bad-back:#fff;--plain-back:#fff}
body{font-size:10pt}section{border:0;padding:0;border-top:1px solid #bbb;padding-top:.6rem}
figure{border:0;padding:0}figure img{height:5cm}figure,tr,.missing{break-inside:avoid}h2,h3,h4{break-after:avoid}
.badge{border:1px solid #888}.scroll{overflow:visible}table{font-size:8pt}
header details{display:none}section details::details-content{content-visibility:visible;display:block}}
)";

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

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return text;
}

std::string paragraph(std::string_view text, std::string_view css_class) {
  const std::string attribute = css_class.empty() ? "" : fmt::format(" class=\"{}\"", css_class);
  return text.empty() ? "" : fmt::format("<p{}>{}</p>\n", attribute, escape(text));
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

std::string table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::string html = "<div class=\"scroll\"><table>\n";
  if (!columns.empty()) {
    html += "<thead><tr>";
    for (const Column& column : columns) html += cell("th", column.title, column.number);
    html += "</tr></thead>\n";
  }
  for (const std::vector<std::string>& row : rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool name = columns.empty() && i == 0;
      html += cell(name ? "th" : "td", row[i], i < columns.size() && columns[i].number);
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\"><title>{}</title><style>{}</style></head>"
      "<body>\n{}</body></html>\n",
      escape(title), kStyle, body);
}

}  // namespace bloomery::html
