#include "experiments/figures.h"

#include <system_error>

#include "experiments/canvas.h"
#include "experiments/errors.h"
#include "experiments/picture.h"

namespace bloomery {
namespace {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError("cannot create " + folder.string() + ": " + error.message());
}

}  // namespace

std::vector<std::filesystem::path> draw_figures(const Experiment& experiment, const std::vector<Row>& rows,
                                                const std::filesystem::path& folder, const std::string& only) {
  std::vector<std::filesystem::path> written;
  for (const FigureSpec& figure : experiment.figures) {
    if (!only.empty() && figure.id != only) continue;
    const Picture picture = lay_out(figure, experiment, rows);  // throws before anything is written
    make_folder(folder);
    const std::vector<std::filesystem::path> files = {folder / (figure.id + ".svg"), folder / (figure.id + ".png")};
    draw(picture, files);
    written.insert(written.end(), files.begin(), files.end());
  }
  return written;
}

}  // namespace bloomery
