// What the regression gate makes of its measurements, and the program on builds with planted mistakes. No time is
// asserted: tests/gate_trials.sh has the long trials with real builds.
#include "experiments/gate_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "experiments/errors.h"
#include "experiments/gate_accepted.h"
#include "experiments/gate_build.h"
#include "experiments/gate_instructions.h"
#include "experiments/workload.h"
#include "structures/registry.h"
#include "tests/harness/program.h"

namespace bloomery {
namespace {

// Log ratios as a busy machine gives them: each placement off by up to 1 %, each epoch by up to 5 %, and one in eight
// interrupted, on either side.
std::vector<std::vector<double>> ratios(double ratio, std::uint64_t seed) {
  Random random(seed, 0, Random::kQueries);
  const auto within = [&](double most) { return (2 * random.unit() - 1) * most; };
  std::vector<std::vector<double>> groups(8);
  for (std::vector<double>& group : groups) {
    const double place = within(0.01);
    for (int i = 0; i < 20; ++i) group.push_back(std::log(ratio) + place + within(random.below(8) == 0 ? 1.0 : 0.05));
  }
  return groups;
}

TimeVerdict judged(double head, double control, std::uint64_t seed) {
  return judge_times({ratios(head, seed), ratios(control, seed + 1000)}, 1.05, 1.04).verdict;
}

TEST(GateTime, EqualBuildsNeverRegressAndSlowOnesDo) {
  int slow_found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_NE(judged(1, 1, seed), TimeVerdict::kSlower) << seed;
    slow_found += judged(1.10, 1, seed) == TimeVerdict::kSlower;
    EXPECT_NE(judged(1.10, 1, seed), TimeVerdict::kEqual) << seed;
    EXPECT_EQ(judged(0.8, 1, seed), TimeVerdict::kFaster) << seed;
  }
  EXPECT_GE(slow_found, 19);
}

TEST(GateTime, UnequalControlIsNoVerdict) {
  for (const double control : {0.9, 1.1}) {
    for (const double head : {0.8, 1.0, 2.0}) EXPECT_EQ(judged(head, control, 5), TimeVerdict::kNoisy);
  }
}

TEST(GateTime, LimitInsideTheIntervalIsUnclear) { EXPECT_EQ(judged(1.05, 1, 3), TimeVerdict::kUnclear); }

TEST(GateTime, GivesRatios) {
  const TimeResult result = judge_times({ratios(2, 1), ratios(1, 2)}, 1.05, 1.04);
  EXPECT_NEAR(result.head.median, 2, 0.05);
  EXPECT_NEAR(result.control.median, 1, 0.025);
  EXPECT_LT(result.head.low, result.head.median);
  EXPECT_LT(result.head.median, result.head.high);
}

// Every kernel names a structure and parameters that exist, and its keys are distinct.
TEST(GateKernels, CanBeMade) {
  EXPECT_GE(gate_kernels().size(), 30U);
  for (const KernelSpec& spec : gate_kernels()) {
    std::map<std::string, std::string> values;
    std::istringstream in(spec.params);
    for (std::string item; std::getline(in, item, ';');) {
      values[item.substr(0, item.find('='))] = item.substr(item.find('=') + 1);
    }
    EXPECT_NO_THROW(make_structure(spec.structure, Params(values))) << spec.name;
  }
  std::set<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 200'000; ++i) keys.insert(gate_key(i));
  EXPECT_EQ(keys.size(), 200'000U);
}

class GateFiles : public FolderTest {};

TEST_F(GateFiles, CallgrindCountsAreRead) {
  InstructionCounts counts;
  read_callgrind(write("counts.1", "version: 1\ndesc: Trigger: Client Request: bloom hit\nevents: Ir\nsummary: 1234\n"),
                 counts);
  read_callgrind(write("counts.2", "desc: Trigger: Program termination\nsummary: 99\n"), counts);
  EXPECT_EQ(counts, (InstructionCounts{{"bloom hit", 1234}}));
}

TEST_F(GateFiles, AcceptedRatiosHoldForTheirBase) {
  const auto file = write(
      "accepted.csv", "base,kernel,ratio,why\nabc,bloom hit,1.2,\"checks more, on purpose\"\ndef,bloom miss,1.3,x\n");
  EXPECT_EQ(accepted_ratios(file, "abc"), (std::map<std::string, double>{{"bloom hit", 1.2}}));
  EXPECT_TRUE(accepted_ratios(folder_ / "none.csv", "abc").empty());
  for (const std::string bad :
       {"kernel\n", "base,kernel,ratio,why\nabc,bloom hit,0.9,x\n", "base,kernel,ratio,why\nabc,bloom hitt,1.2,x\n",
        "base,kernel,ratio,why\nabc,bloom hit,1.2,\n", "base,kernel,ratio,why\nabc,bloom hit,1.2,x"}) {
    EXPECT_THROW(accepted_ratios(write("bad.csv", bad), "abc"), InputError) << bad;
  }
}

TEST_F(GateFiles, ToolsThatFailAreNamed) {
  EXPECT_NO_THROW(run_tool({"true"}, folder_ / "log", "nothing"));
  for (const std::string tool : {"false", "bloomery-no-such-tool"}) {
    try {
      run_tool({tool}, folder_ / "log", "trying");
      FAIL() << tool;
    } catch (const InputError& e) {
      EXPECT_TRUE(has(e.what(), "trying failed: " + tool)) << e.what();
    }
  }
}

class GateProgram : public ProgramTest {
 protected:
  Outcome gate(const std::string& part, const std::string& head, const std::string& against,
               const std::string& more = "") const {
    const std::string fakes = BLOOMERY_GATE_FAKES;
    return run("gate --folder builds --only " + part + " --head " + fakes + "/libgate_" + head + ".so --against " +
               fakes + "/libgate_" + against + ".so " + more);
  }
};

TEST_F(GateProgram, WrongAnswersAreInvalidBeforeTheirTimeIsTaken) {
  const Outcome outcome = gate("time", "denies", "sound");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(count(outcome.out, "INVALID: 1 keys that are in are not found"), gate_kernels().size()) << outcome.out;
}

TEST_F(GateProgram, NothingMeasuredIsThree) {
  expect_message(gate("time", "sound", "empty"), 3, "the base has none of these kernels");
  expect_message(gate("instructions", "sound", "empty", "--kernels 'bloom hit'"), 3,
                 "the base has none of these kernels");
  expect_message(gate("time", "sound", "sound", "--kernels nonesuch"), 3, "no kernel has 'nonesuch' in its name");
  EXPECT_EQ(gate("time", "empty", "sound").code, 1);  // what HEAD has lost is worse
}

TEST_F(GateProgram, InstructionsAreHeldToOnePercent) {
  const Outcome same = gate("instructions", "sound", "sound", "--kernels hit");
  EXPECT_EQ(same.code, 0) << same.out;
  EXPECT_EQ(count(same.out, " 1.0000  as before"), 13U) << same.out;
  const Outcome more = gate("instructions", "more", "sound", "--kernels 'bloofi hit'");
  EXPECT_EQ(more.code, 1);
  EXPECT_TRUE(has(more.out, "MORE")) << more.out;
  EXPECT_EQ(gate("instructions", "sound", "more", "--kernels 'bloofi hit'").code, 0);
}

TEST_F(GateProgram, BadUsageIsTwo) {
  expect_message(gate("time", "version", "sound"), 2, "is of version 0 of the gate's interface");
  expect_message(gate("time", "missing", "sound"), 2, "libgate_missing.so: no such file");
  write("text.so", "no object");
  expect_message(run("gate --only time --folder b --head text.so --against text.so"), 2, "cannot load ");
  EXPECT_EQ(run("gate --only fast").code, 2);
  EXPECT_EQ(run("gate --head text.so").code, 2);
}

}  // namespace
}  // namespace bloomery
