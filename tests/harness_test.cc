// The harness from YAML to rows: plans, checks, resuming and the results file.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "experiments/commands.h"
#include "experiments/config.h"
#include "experiments/environment.h"
#include "experiments/errors.h"
#include "experiments/plan.h"
#include "experiments/rows.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

const std::string kConfig = R"(experiment: small
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

class HarnessTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("bloomery_" + std::string(info->name()) + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  Experiment load(const std::string& text, const std::string& profile = "default", const Overrides& set = {}) const {
    return load_experiment(write("c.yaml", text), profile, set);
  }
  Options options() const {
    Options options;
    options.paths = {write("c.yaml", kConfig)};
    options.results = folder_ / "results";
    options.plots = folder_ / "plots";
    return options;
  }
  fs::path rows_path() const { return folder_ / "results" / "small" / "rows.csv"; }

  fs::path folder_;
};

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Unit sample_unit() {
  Unit unit;
  unit.run_id = "0123456789abcdef";
  unit.experiment = "golden";
  unit.scenario = "index";
  unit.series = "Bloofi, \"AU\"";
  unit.structure = "bloofi";
  unit.phases = {"build"};
  unit.repeat = 3;
  unit.settings = {{"N", "10"}, {"d", "2"}, {"layout", "rows"}, {"after_updates", "true"}, {"seed", "1"}};
  return unit;
}

// Plans.

TEST_F(HarnessTest, PlanIsPointsThenRepeatsThenSeries) {
  const std::vector<Unit> plan = make_plan(load(kConfig));
  ASSERT_EQ(plan.size(), 2u * 2 * 2 * 2);
  std::vector<std::string> order;
  for (std::size_t i = 0; i < 6; ++i) {
    order.push_back(plan[i].settings.at("N") + " " + plan[i].settings.at("d") + " " + std::to_string(plan[i].repeat) +
                    " " + plan[i].series);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"2 2 0 Naive", "2 2 0 Bloofi", "2 2 1 Naive", "2 2 1 Bloofi",
                                             "2 3 0 Naive", "2 3 0 Bloofi"}));
}

TEST_F(HarnessTest, PhasesComeInOneOrder) {
  EXPECT_EQ(load(kConfig).phases, (std::vector<std::string>{"build", "search", "insert", "erase"}));
}

TEST_F(HarnessTest, UnitHasEverySettingAndTheStructureItsOwn) {
  const Unit unit = make_plan(load(kConfig)).at(1);
  EXPECT_EQ(unit.settings.at("k"), "7");
  EXPECT_EQ(unit.settings.at("m"), "1024");  // 100 * 7 / ln 2 in whole words
  EXPECT_EQ(unit.settings.at("queries"), "20");
  EXPECT_EQ(unit.settings.at("batch"), "64");
  EXPECT_EQ(unit.structure_params.at("d"), "2");
  EXPECT_FALSE(unit.structure_params.contains("queries"));
  EXPECT_EQ(unit.settings.at("seed"), "1");
}

TEST_F(HarnessTest, RepetitionsDrawOtherHashesAndSeriesTheSame) {
  const std::vector<Unit> plan = make_plan(load(kConfig));
  EXPECT_EQ(plan[0].structure_params.at("seed"), plan[1].structure_params.at("seed"));
  EXPECT_NE(plan[0].structure_params.at("seed"), plan[2].structure_params.at("seed"));
}

TEST_F(HarnessTest, EverySettingChangesTheRunId) {
  const std::string base = make_plan(load(kConfig)).front().run_id;
  for (const HarnessSetting& setting : harness_settings()) {
    std::string value = setting.options.empty() ? "3" : setting.options.back();
    if (setting.type == "flag") value = "true";
    if (setting.type == "real") value = "0.25";
    const std::vector<Unit> plan = make_plan(load(kConfig, "default", {{setting.name, value}}));
    EXPECT_EQ(plan.front().settings.at(setting.name), value);
    EXPECT_NE(plan.front().run_id, base) << setting.name;
  }
}

TEST_F(HarnessTest, RunIdsAreUniqueAndStable) {
  std::set<std::string> ids;
  for (const Unit& unit : make_plan(load(kConfig))) ids.insert(unit.run_id);
  EXPECT_EQ(ids.size(), 16u);
  for (const Unit& unit : make_plan(load(kConfig))) EXPECT_TRUE(ids.contains(unit.run_id));
  EXPECT_EQ(ids.begin()->size(), 16u);
}

TEST_F(HarnessTest, SeriesThatFixesASweptSettingRunsOnce) {
  const std::string config = replaced(kConfig, "{name: Naive, structure: naive}", "{name: Naive, structure: naive, N: 3}");
  std::size_t naive = 0;
  for (const Unit& unit : make_plan(load(config))) naive += unit.series == "Naive";
  EXPECT_EQ(naive, 2u * 2);  // d and repetitions
}

TEST_F(HarnessTest, NumbersHaveOneSpelling) {
  const std::string other = replaced(kConfig, "n_exp: 100,", "n_exp: 1e2,");
  EXPECT_EQ(make_plan(load(kConfig)).front().run_id, make_plan(load(other)).front().run_id);
}

// Profiles and --set.

TEST_F(HarnessTest, ProfileLiesOnTopOfTheFile) {
  const Experiment quick = load(kConfig, "quick");
  ASSERT_EQ(quick.series.size(), 1u);
  EXPECT_EQ(quick.series[0].name, "Bloofi");
  EXPECT_EQ(quick.repeats, 1);
  EXPECT_EQ(quick.defaults.at("queries").text, "7");
  EXPECT_EQ(make_plan(quick).size(), 2u);  // N: 4, d: 2 and 3
  EXPECT_EQ(make_plan(load(kConfig, "paper")).size(), 16u);
}

TEST_F(HarnessTest, SetReplacesDefaultsAndSweeps) {
  const Experiment experiment = load(kConfig, "default", {{"N", "7"}, {"repeats", "1"}, {"batch", "1,2,3"}});
  EXPECT_EQ(make_plan(experiment).size(), 2u * 3 * 2);
  EXPECT_EQ(make_plan(experiment).front().settings.at("N"), "7");
}

TEST_F(HarnessTest, ThreadsOfMeasureAreAnAxis) {
  const std::string config = replaced(kConfig, "repeats: 2}", "repeats: 2, threads: [1, 2], backend: tbb}");
  EXPECT_EQ(make_plan(load(config)).size(), 32u);
}

TEST_F(HarnessTest, SetOfAnUnknownNameIsRefused) {
  try {
    load(kConfig, "default", {{"quories", "3"}});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'queries'?"), std::string::npos) << e.what();
  }
}

TEST_F(HarnessTest, SetOfABadValueSaysSo) {
  EXPECT_THROW(load(kConfig, "default", {{"N", "0"}}), InputError);
  EXPECT_THROW(load(kConfig, "default", {{"d", "1"}}), InputError);
  EXPECT_THROW(load(kConfig, "huge"), InputError);
}

// Bad input: what is replaced in the config, and what the message must contain.

struct BadConfig {
  std::string name, from, to, place, text;
};

class BadConfigTest : public HarnessTest, public testing::WithParamInterface<BadConfig> {};

TEST_P(BadConfigTest, IsRefusedWithItsPlace) {
  const BadConfig& bad = GetParam();
  try {
    load(replaced(kConfig, bad.from, bad.to));
    FAIL() << "accepted";
  } catch (const InputError& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find("c.yaml:" + bad.place + ": "), std::string::npos) << message;
    EXPECT_NE(message.find(bad.text), std::string::npos) << message;
  }
}

const BadConfig kBadConfigs[] = {
    {"UnknownKey", "about:", "abuot:", "2:1", "unknown key 'abuot' of an experiment; did you mean 'about'?"},
    {"UnknownSetting", "{N: 10, n: 5", "{N: 10, qeries: 5", "3:19", "did you mean 'queries'?"},
    {"UnknownSweep", "d: [2, 3]", "dd: [2, 3]", "4:20", "unknown setting 'dd'; did you mean"},
    {"UnknownSeriesKey", "structure: naive}", "structure: naive, d: 3}", "6:37", "naive takes no 'd'"},
    {"UnknownStructure", "structure: naive", "structure: naiv", "6:29", "did you mean 'naive'?"},
    {"UnknownMetric", "y: search_time", "y: serch_time", "9:29", "did you mean 'search_time'?"},
    {"UnmeasuredMetric", "y: search_time", "y: update_time", "9:29", "needs the phase update"},
    {"UnknownX", "x: N", "x: Q", "9:23", "unknown x 'Q'"},
    {"UnknownCurve", "search_time}", "search_time, curves: [ideal_ful]}", "9:51", "did you mean 'ideal_full'?"},
    {"UnknownPhase", "[erase, insert]", "[erase, insrt]", "8:70", "did you mean 'insert'?"},
    {"UnknownProfile", "quick:", "quik:", "11:3", "did you mean 'quick'?"},
    {"UnknownProfileSeries", "series: [Bloofi]", "series: [Blofi]", "11:49", "did you mean 'Bloofi'?"},
    {"UnknownFigureSeries", "search_time}", "search_time, series: [Blofi]}", "9:51", "did you mean 'Bloofi'?"},
    {"UnknownScenario", "about: a small one", "scenario: indx", "2:11", "did you mean 'index'?"},
    {"UnknownPublished", "profiles:", "published: [{series: Naiv, metric: search_time, value: 1}]\nprofiles:", "10:22",
     "did you mean 'Naive'?"},
    {"PublishedValue", "profiles:", "published: [{series: Naive, metric: search_time, value: x}]\nprofiles:", "10:57",
     "must be a number"},
    {"WrongType", "N: 10,", "N: ten,", "3:15", "N is 'ten'; it must be an integer from 1 to 100000000"},
    {"ListForValue", "N: 10,", "N: [10],", "3:15", "N is a list; it must be a single value"},
    {"ValueForList", "N: [2, 10]", "N: 2", "4:12", "it must be a list"},
    {"ValueForMap", "{N: 10, n: 5, n_exp: 100, rho: 0.01}", "10", "3:11", "defaults is '10'; it must be a map"},
    {"EmptySweep", "N: [2, 10]", "N: []", "4:12", "the sweep of N is empty"},
    {"NoSweep", "{N: [2, 10], d: [2, 3]}", "{}", "4:8", "sweep is empty"},
    {"SameValueTwice", "[2, 10]", "[2, 2]", "4:16", "twice"},
    {"ZeroSets", "[2, 10]", "[0, 10]", "4:13", "N is '0'; it must be an integer from 1"},
    {"Fraction", "[2, 10]", "[2.5, 10]", "4:13", "N is '2.5'; it must be an integer"},
    {"SmallOrder", "d: [2, 3]", "d: [2, 1]", "4:27", "d is 1"},
    {"RhoOne", "rho: 0.01", "rho: 1", "3:39", "rho is 1"},
    {"RhoZero", "rho: 0.01", "rho: 0", "3:39", "rho is 0"},
    {"ManyHashes", "rho: 0.01", "k: 65", "3:37", "k is 65"},
    {"HitRate", "hit_rate: 0.5", "hit_rate: 1.5", "8:43", "hit_rate is '1.5'; it must be a number from 0 to 1"},
    {"Repeats", "repeats: 2}", "repeats: 0}", "8:89", "repeats is '0'"},
    {"Memory", "n_exp: 100,", "n_exp: 10000000000, hash: double,", "3:28", "GiB"},
    {"PlainFilterOfMany", "structure: naive", "structure: bloom", "4:13", "bloom holds one set; it must be 1"},
    {"SameKeyTwice", "about: a small one", "experiment: other", "2:1", "'experiment' is given twice"},
    {"SameSeriesTwice", "name: Bloofi,", "name: Naive,", "7:12", "two series named 'Naive'"},
    {"SameFigureTwice", "search_time}", "search_time}, {id: 5a, x: N, y: search_time}", "9:48", "two figures with id '5a'"},
    {"BadId", "experiment: small", "experiment: ../small", "1:13", "names files"},
    {"NoSeriesName", "name: Bloofi, ", "", "7:5", "has no 'name'"},
    {"BrokenYaml", "N: [2, 10]", "N: [2, 10", "5:7", "not valid YAML"},
    {"GivenTwice", "N: 10, n: 5", "queries: 10, n: 5", "8:28", "keep one of them"},
};

INSTANTIATE_TEST_SUITE_P(Table, BadConfigTest, testing::ValuesIn(kBadConfigs),
                         [](const auto& info) { return info.param.name; });

TEST_F(HarnessTest, MissingAndEmptyFilesAreRefused) {
  EXPECT_THROW(load_experiment(folder_ / "none.yaml", "default", {}), InputError);
  EXPECT_THROW(load(""), InputError);
  EXPECT_THROW(find_configs(folder_ / "none"), InputError);
}

// Rows.

TEST_F(HarnessTest, GoldenRow) {
  Row row = row_for(sample_unit());
  row["cores"] = "2";
  row["phase"] = "build";
  row["status"] = "ok";
  row["seconds"] = "0.5";
  RowWriter(folder_ / "rows.csv").append({row});
  EXPECT_EQ(slurp(folder_ / "rows.csv"),
            "schema,run_id,experiment,series,structure,N,d,m,k,n,rho,metric,distribution,construction,hash,threads,cores,"
            "backend,batch,seed,repeat,phase,status,ops,seconds,ns_per_op,bf_cost,filters_cost,nodes_cost,words,nodes,"
            "height,storage_bytes,memory_bytes,matches,false_positives,false_negatives,hit_rate,params\n"
            "1,0123456789abcdef,golden,\"Bloofi, \"\"AU\"\"\",bloofi,10,2,,,,,,,,,,2,,,1,3,build,ok,,0.5,,,,,,,,,,,,,,"
            "after_updates=true;layout=rows\n");
}

TEST_F(HarnessTest, RowFindsColumnsAndParams) {
  const Row row = row_for(sample_unit());
  EXPECT_EQ(row.get("layout"), "rows");
  EXPECT_EQ(row.get("N"), "10");
  EXPECT_EQ(row.get("lay"), "");
  EXPECT_EQ(row.number("N"), 10.0);
  EXPECT_FALSE(row.number("layout"));
  EXPECT_FALSE(row.number("seconds"));
  EXPECT_THROW(row["layout"], std::out_of_range);
}

TEST_F(HarnessTest, QuotingSurvivesTheRoundTrip) {
  std::vector<Row> rows;
  for (const std::string text : {"plain", "a,b", "say \"x\"", "two\nlines", "cr\r\nlf", "\"", ""}) {
    rows.push_back(row_for(sample_unit()));
    rows.back()["series"] = text;
  }
  RowWriter(folder_ / "rows.csv").append(rows);
  const RowsFile read = read_rows(folder_ / "rows.csv");
  EXPECT_EQ(read.problem, "");
  EXPECT_EQ(read.rows, rows);
}

TEST_F(HarnessTest, TruncatedFileIsKeptAsideAndItsSoundRowsUsed) {
  const fs::path file = folder_ / "rows.csv";
  const Row row = row_for(sample_unit());
  RowWriter(file).append({row, row, row});
  fs::resize_file(file, fs::file_size(file) - 5);
  const std::string damaged = slurp(file);
  RowWriter writer(file);
  EXPECT_NE(writer.note().find("row 3 is cut short"), std::string::npos) << writer.note();
  EXPECT_EQ(writer.existing().size(), 2u);
  EXPECT_EQ(slurp(folder_ / "rows.csv.damaged-1"), damaged);
  writer.append({row});
  EXPECT_EQ(read_rows(file).rows.size(), 3u);
  EXPECT_EQ(read_rows(file).problem, "");
}

TEST_F(HarnessTest, ForeignFilesAreKeptAside) {
  for (const std::string text : {"a,b\n1,2\n", "not a csv", "schema,run_id\n"}) {
    const fs::path file = write("rows.csv", text);
    RowWriter writer(file);
    EXPECT_NE(writer.note(), "");
    EXPECT_TRUE(writer.existing().empty());
  }
  EXPECT_EQ(slurp(folder_ / "rows.csv.damaged-1"), "a,b\n1,2\n");
  EXPECT_EQ(slurp(folder_ / "rows.csv.damaged-3"), "schema,run_id\n");
}

TEST_F(HarnessTest, KeepOnlyDropsOtherRuns) {
  Row stale = row_for(sample_unit());
  stale["run_id"] = "stale";
  RowWriter writer(folder_ / "rows.csv");
  writer.append({stale, row_for(sample_unit())});
  writer.keep_only({sample_unit().run_id});
  const std::vector<Row> rows = read_rows(folder_ / "rows.csv").rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["run_id"], sample_unit().run_id);
}

TEST_F(HarnessTest, FolderThatCannotBeWrittenIsAnIoError) {
  write("file", "");
  EXPECT_THROW(RowWriter(folder_ / "file" / "rows.csv"), IoError);  // also for root, whom permissions do not stop
  EXPECT_THROW(write_environment(folder_ / "none" / "environment.json"), IoError);
}

TEST_F(HarnessTest, FullDiskLeavesTheRowsSoFar) {
  const fs::path file = folder_ / "rows.csv";
  RowWriter writer(file);
  writer.append({row_for(sample_unit())});
  const std::string before = slurp(file);
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit tight{before.size() + 20, old.rlim_max};  // room for a part of a row
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THROW(writer.append({row_for(sample_unit())}), IoError);
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(slurp(file), before);
}

// The commands.

TEST_F(HarnessTest, SecondRunMeasuresNothing) {
  ASSERT_EQ(run_command(options()), kOk);
  const std::string first = slurp(rows_path());
  EXPECT_EQ(read_rows(rows_path()).rows.size(), 16u * 4);
  ASSERT_EQ(run_command(options()), kOk);
  EXPECT_EQ(slurp(rows_path()), first);  // the times in it would differ
}

TEST_F(HarnessTest, InterruptedRunMeasuresOnlyWhatIsMissing) {
  ASSERT_EQ(run_command(options()), kOk);
  const std::vector<Row> first = read_rows(rows_path()).rows;
  fs::resize_file(rows_path(), fs::file_size(rows_path()) - 3);  // as if killed while writing the last unit
  ASSERT_EQ(run_command(options()), kOk);
  const std::vector<Row> second = read_rows(rows_path()).rows;
  ASSERT_EQ(second.size(), first.size());
  EXPECT_TRUE(std::equal(first.begin(), first.end() - 4, second.begin()));
  EXPECT_TRUE(fs::exists(rows_path().string() + ".damaged-1"));
}

TEST_F(HarnessTest, OtherSettingsReplaceStaleRows) {
  ASSERT_EQ(run_command(options()), kOk);
  Options other = options();
  other.set = {"N=3"};
  ASSERT_EQ(run_command(other), kOk);
  const std::vector<Row> rows = read_rows(rows_path()).rows;
  EXPECT_EQ(rows.size(), 8u * 4);
  for (const Row& row : rows) EXPECT_EQ(row["N"], "3");
}

TEST_F(HarnessTest, DryRunAndBadConfigWriteNothing) {
  Options dry = options();
  dry.dry_run = true;
  EXPECT_EQ(run_command(dry), kOk);
  Options bad = options();
  bad.paths.push_back(write("z.yaml", "experiment: z\nseris: []\n"));
  EXPECT_THROW(run_command(bad), InputError);
  EXPECT_FALSE(fs::exists(folder_ / "results"));
}

TEST_F(HarnessTest, OnlyOfAnUnknownIdIsRefused) {
  Options only = options();
  only.only = "5b";
  EXPECT_THROW(run_command(only), InputError);
  only.only = "5a";
  only.dry_run = true;
  EXPECT_EQ(run_command(only), kOk);
}

}  // namespace
}  // namespace bloomery
