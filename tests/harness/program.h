// Running the real program in a folder of its own.
#ifndef BLOOMERY_TESTS_HARNESS_PROGRAM_H_
#define BLOOMERY_TESTS_HARNESS_PROGRAM_H_

#include <sys/wait.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/harness/support.h"

namespace bloomery {

struct Outcome {
  int code = -1;  // of the exit; -1 if a signal ended the program
  std::string out;
  std::vector<std::string> errors;  // lines of stderr but for the warning that this is not a release build
};

class ProgramTest : public FolderTest {
 protected:
  // Tests run side by side; those of times look at none.
  ProgramTest() {
    write("small.yaml", kSmall);
    ::setenv("BLOOMERY_SHARE_HOST", "1", 0);
  }

  // `before` is shell that runs in the same process before the program takes it over: limits, traps.
  Outcome run(const std::string& arguments, const std::string& before = ":") const {
    const std::string command =
        "cd '" + folder_.string() + "' && (" + before + "; exec " + program() + " " + arguments + ") >out 2>err";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder_ / "out"), lines(slurp(folder_ / "err"))};
  }

  static std::string program() { return std::string("'") + BLOOMERY_PROGRAM + "'"; }

  std::filesystem::path rows_file(const std::string& experiment = "small") const {
    return folder_ / "results" / experiment / "rows.csv";
  }
  std::vector<Row> rows(const std::string& experiment = "small") const { return read_rows(rows_file(experiment)).rows; }

  // Everything below the folder but the program's own output, to see that nothing was written.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      const std::string name = std::filesystem::relative(entry.path(), folder_).string();
      if (name != "out" && name != "err") names.push_back(name);
    }
    return names;
  }

  // One line on stderr that says this.
  static void expect_message(const Outcome& outcome, int code, const std::string& text) {
    EXPECT_EQ(outcome.code, code) << text;
    ASSERT_EQ(outcome.errors.size(), 1U) << text;
    EXPECT_TRUE(outcome.errors[0].starts_with("bloomery: ")) << outcome.errors[0];
    EXPECT_TRUE(has(outcome.errors[0], text)) << outcome.errors[0];
  }

 private:
  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with("***")) result.push_back(line);
    }
    return result;
  }
};

}  // namespace bloomery

#endif  // BLOOMERY_TESTS_HARNESS_PROGRAM_H_
