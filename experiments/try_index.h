// The index file that `bloomery build` makes, beside the structures that `bloomery try` measures.
#ifndef BLOOMERY_EXPERIMENTS_TRY_INDEX_H_
#define BLOOMERY_EXPERIMENTS_TRY_INDEX_H_

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/config.h"
#include "experiments/rows.h"

namespace bloomery {

inline const std::string kSavedIndex = "saved_index";

// Makes the file, asks it what the experiment's structures were asked, on as many threads, and checks every answer.
// Rows like theirs, of the series saved_index; `file` is left there.
std::vector<Row> index_rows(const Experiment& experiment, double rate, const std::filesystem::path& file);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_TRY_INDEX_H_
