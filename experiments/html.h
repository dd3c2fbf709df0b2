// Pieces of a page that needs nothing beside itself: no other file, no network.
#ifndef BLOOMERY_EXPERIMENTS_HTML_H_
#define BLOOMERY_EXPERIMENTS_HTML_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::html {

std::string escape(std::string_view text);
std::string anchor(std::string_view text);           // an id: letters, digits and dashes
std::string url(const std::filesystem::path& path);  // the target of a link: what is not plain in a URL becomes %XX
std::string svg_url(std::string_view svg);           // the same of a picture itself, for an attribute in double quotes
std::string script_json(std::string json);           // so that no text in it can end the script element it is in

// These escape their text.
std::string paragraph(std::string_view text, std::string_view css_class = "");
std::string warning(std::string_view text);
std::string badge(std::string_view text, std::string_view kind);  // kind: good, plain or bad
std::string link(const std::string& target, std::string_view text);

// These take HTML.
std::string details(const std::string& summary, const std::string& body);

struct Column {
  std::string title;
  bool number = false;
};
enum class Rows { kFixed, kSortable };  // by the reader

// Cells hold HTML. Without columns it has no head, and the first cell of a row names it.
std::string table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows,
                  Rows order = Rows::kFixed);

std::string page(const std::string& title, const std::string& body);  // with the style and scripts of the report

}  // namespace bloomery::html

#endif  // BLOOMERY_EXPERIMENTS_HTML_H_
