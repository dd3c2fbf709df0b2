// Puts a picture on paper: the only file that draws with matplotlib-cpp.
#ifndef BLOOMERY_EXPERIMENTS_CANVAS_H_
#define BLOOMERY_EXPERIMENTS_CANVAS_H_

#include <filesystem>
#include <vector>

#include "experiments/picture.h"

namespace bloomery {

// Into each of the files (.svg, .png). The same picture gives the same bytes. Throws InputError, saying what to
// install, if Python cannot draw, and IoError.
void draw(const Picture& picture, const std::vector<std::filesystem::path>& files);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CANVAS_H_
