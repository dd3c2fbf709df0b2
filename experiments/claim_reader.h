// Claims from YAML, and what can be said of them before anything runs.
#ifndef BLOOMERY_EXPERIMENTS_CLAIM_READER_H_
#define BLOOMERY_EXPERIMENTS_CLAIM_READER_H_

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/claim.h"
#include "experiments/config.h"

namespace bloomery {

// The `claims` of an experiment whose series, settings and phases are known. Throws MarkedError at the character that
// is wrong.
std::vector<Claim> read_claims(const YAML::Node& list, const Experiment& experiment, const std::filesystem::path& file);

// Every claim must name points that some profile runs; where this one does not, the claim learns which does. Throws
// MarkedError.
void check_claims(Experiment& experiment, const std::string& profile, bool overridden);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_CLAIM_READER_H_
