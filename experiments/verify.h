// The truth about a workload, and how far an answer is from it.
#ifndef BLOOMERY_EXPERIMENTS_VERIFY_H_
#define BLOOMERY_EXPERIMENTS_VERIFY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "experiments/workload.h"
#include "structures/any_structure.h"

namespace bloomery {

struct Verdict {
  std::uint64_t matches = 0;
  std::uint64_t false_positives = 0;  // a set named twice for one key counts as one
  std::uint64_t false_negatives = 0;

  Verdict& operator+=(const Verdict& other) {
    matches += other.matches;
    false_positives += other.false_positives;
    false_negatives += other.false_negatives;
    return *this;
  }
};

// Which sets hold each query: asked once of the registry's `exact`, which is let go of afterwards.
class Answers {
 public:
  Answers(Sets sets, Keys queries, SetId first_id = 0);  // set i has the id first_id + i

  // Judges the matches of the `count` queries from number `begin` on. Any number of threads may call it.
  Verdict judge(std::size_t begin, std::size_t count, const Matches& matches) const;

 private:
  std::span<const Match> expected(std::size_t begin, std::size_t count) const;

  std::vector<Match> pairs_;          // {query, set}, sorted
  std::vector<std::size_t> offsets_;  // pairs_ of query i begin at offsets_[i]
};

// A key and a set that holds it.
struct Member {
  Key key;
  SetId set;
};

// How many of these the structure denies.
std::uint64_t count_denied(const AnyStructure& structure, std::span<const Member> members);

// The last workload and its answers. The series of one point ask for the same one after the other.
class Inputs {
 public:
  std::shared_ptr<const Workload> workload(const WorkloadSpec& spec);
  std::shared_ptr<const Answers> answers(const WorkloadSpec& spec);

 private:
  std::optional<WorkloadSpec> spec_;
  std::shared_ptr<const Workload> workload_;
  std::shared_ptr<const Answers> answers_;
};

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_VERIFY_H_
