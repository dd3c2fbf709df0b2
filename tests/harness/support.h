// What the tests of the harness share: a folder of their own, small experiments and rows.
#ifndef BLOOMERY_TESTS_HARNESS_SUPPORT_H_
#define BLOOMERY_TESTS_HARNESS_SUPPORT_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "experiments/config.h"
#include "experiments/errors.h"
#include "experiments/plan.h"
#include "experiments/rows.h"

namespace bloomery {

// Small enough to measure in a moment, and with something of everything: a sweep of two, a profile, figures.
inline const std::string kSmall = R"(experiment: small
about: a small one
defaults: {N: 10, n: 5, n_exp: 100, rho: 0.01}
sweep: {N: [2, 10], d: [2, 3]}
series:
  - {name: Naive, structure: naive}
  - {name: Bloofi, structure: bloofi}
measure: {search: {queries: 20, hit_rate: 0.5}, maintain: [erase, insert], repeats: 2}
figures: [{id: 5a, x: N, y: search_time}]
profiles:
  quick: {sweep: {N: [4]}, repeats: 1, series: [Bloofi], measure: {search: {queries: 7}}}
)";

inline std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

// The first `from`, which must be there, becomes `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// A test with an empty folder, gone afterwards. Tests may run side by side, so no two share one.
class FolderTest : public testing::Test {
 protected:
  FolderTest() : folder_(std::filesystem::temp_directory_path() / ("bloomery_" + unique_name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FolderTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  Experiment load(const std::string& text, const std::string& profile = "default", const Overrides& set = {}) const {
    return load_experiment(write("c.yaml", text), profile, set);
  }

  std::vector<Unit> plan(const std::string& text, const std::string& profile = "default",
                         const Overrides& set = {}) const {
    return make_plan(load(text, profile, set));
  }

  // What is said about a config, "" if nothing is wrong with it.
  std::string complaint(const std::string& text, const std::string& profile = "default",
                        const Overrides& set = {}) const {
    try {
      load(text, profile, set);
      return "";
    } catch (const InputError& e) {
      return e.what();
    }
  }

  const std::filesystem::path folder_;

 private:
  static std::string unique_name() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test.test_suite_name()) + "_" + test.name() + "_" + std::to_string(::getpid());
    for (char& c : name) c = c == '/' ? '_' : c;
    return name;
  }
};

}  // namespace bloomery

#endif  // BLOOMERY_TESTS_HARNESS_SUPPORT_H_
