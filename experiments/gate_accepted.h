// Changes that are meant: kernels that may take longer than the base by so much, until the base is moved on.
#ifndef BLOOMERY_EXPERIMENTS_GATE_ACCEPTED_H_
#define BLOOMERY_EXPERIMENTS_GATE_ACCEPTED_H_

#include <filesystem>
#include <map>
#include <string>

namespace bloomery {

// Reads "base,kernel,ratio,why" and keeps what was written for this base: kernel to ratio. A missing file is an empty
// one. Throws InputError "file:line: ..." for an unknown kernel, a ratio that is none or no reason.
std::map<std::string, double> accepted_ratios(const std::filesystem::path& file, const std::string& base);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_GATE_ACCEPTED_H_
