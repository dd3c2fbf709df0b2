// What is said about a config that is wrong: where, what, and what would be right.
#include "experiments/config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>

#include "tests/harness/support.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

using ConfigTest = FolderTest;

// What is replaced in kSmall and by what, and a part of the complaint. An @ marks the place that it must name; it is
// taken out before the config is read.
struct BadConfig {
  std::string name, from, to, text;
  friend std::ostream& operator<<(std::ostream& out, const BadConfig& bad) { return out << bad.to; }
};

class BadConfigTest : public FolderTest, public testing::WithParamInterface<BadConfig> {};

// "line:column" of the @, counted from 1.
std::string place_of(const std::string& marked) {
  const std::string before = marked.substr(0, marked.find('@'));
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 on the first line, as npos + 1 is
  return fmt::format("{}:{}", count(before, "\n") + 1, before.size() - line_start + 1);
}

TEST_P(BadConfigTest, IsRefusedWithItsPlace) {
  const BadConfig& bad = GetParam();
  const std::string marked = replaced(kSmall, bad.from, bad.to);
  const std::string message = complaint(replaced(marked, "@", ""));
  EXPECT_TRUE(message.starts_with(fmt::format("{}:{}: ", (folder_ / "c.yaml").string(), place_of(marked)))) << message;
  EXPECT_TRUE(has(message, bad.text)) << message;
  EXPECT_FALSE(has(message, "\n")) << message;
}

const std::string kValue = "published: [{series: Naive, metric: search_time, value: ";

const BadConfig kBadConfigs[] = {
    // Names that are not known.
    {"Key", "about:", "@abou:", "unknown key 'abou' of an experiment; did you mean 'about'?"},
    {"Setting", "{N: 10, n: 5", "{N: 10, @qeries: 5", "unknown setting 'qeries'; did you mean 'queries'?"},
    {"SettingOfAnotherStructure", "{N: 10, n: 5", "{N: 10, @layout: rows", "unknown setting 'layout'; "},
    {"Swept", "d: [2, 3]", "@metrik: [2, 3]", "unknown setting 'metrik'; did you mean 'metric'?"},
    {"SeriesKey", "structure: naive}", "structure: naive, @d: 3}", "naive takes no 'd'; "},
    {"Structure", "structure: naive", "structure: @naiv", "unknown structure 'naiv'; did you mean 'naive'?"},
    {"Measure", "repeats: 2", "@repeat: 2", "unknown key 'repeat' of measure; did you mean 'repeats'?"},
    {"Search", "queries: 20", "@querys: 20", "unknown key 'querys' of search; did you mean 'queries'?"},
    {"Metric", "y: search_time", "y: @serch_time", "unknown metric 'serch_time'; did you mean 'search_time'?"},
    {"X", "x: N", "x: @repeet", "unknown x 'repeet'; did you mean 'repeat'?"},
    {"Scale", "x: N", "x: N, xscale: @lag", "unknown xscale 'lag'; did you mean 'log'?"},
    {"Kind", "x: N", "x: N, kind: @pie", "unknown kind 'pie'; known names: line, bar"},
    {"Base", "search_time}", "search_time, relative_to: @Naiv}", "did you mean 'Naive'?"},
    {"TwoBases", "search_time}", "search_time, relative_to: Naive, speedup_over: @Naive}", "keep one of them"},
    {"Curve", "search_time}", "search_time, curves: [@ideal_ful]}", "did you mean 'ideal_full'?"},
    {"FigureSeries", "search_time}", "search_time, series: [@Blofi]}",
     "unknown series 'Blofi'; did you mean 'Bloofi'?"},
    {"FigureKey", "x: N", "@X: N", "unknown key 'X' of a figure; "},
    {"Where", "x: N", "x: N, where: {@phse: 2}", "unknown column 'phse'; did you mean 'phase'?"},
    {"Phase", "[erase, insert]", "[erase, @insrt]", "unknown phase 'insrt'; did you mean 'insert'?"},
    {"Profile", "quick:", "@quik:", "unknown profile 'quik'; did you mean 'quick'?"},
    {"ProfileKey", "repeats: 1", "@figures: []", "unknown key 'figures' of a profile; known names: defaults, "},
    {"ProfileSeries", "series: [Bloofi]", "series: [@Blofi]", "did you mean 'Bloofi'?"},
    {"Scenario", "about: a small one", "scenario: @indx", "unknown scenario 'indx'; did you mean 'index'?"},
    {"PublishedSeries",
     "profiles:", "published: [{series: @Naiv, metric: search_time, value: 1}]\nprofiles:", "did you mean 'Naive'?"},
    // Values of the wrong kind.
    {"Word", "N: 10,", "N: @ten,", "N is 'ten'; it must be an integer from 1 to 100000000"},
    {"Negative", "N: 10,", "N: @-1,", "N is '-1'; it must be an integer from 1"},
    {"Fraction", "[2, 10]", "[@2.5, 10]", "N is '2.5'; it must be an integer from 1"},
    {"ListForValue", "N: 10,", "N: @[10],", "N is a list; it must be a single value"},
    {"MapForValue", "N: 10,", "N: @{a: 1},", "N is a map; it must be a single value"},
    {"NullForStructure", "structure: naive", "structure: @null", "structure is empty; give it a value (the word null "},
    {"ValueForList", "N: [2, 10]", "N: @2", "sweep of N is '2'; it must be a list"},
    {"ValueForMap", "{N: 10, n: 5, n_exp: 100, rho: 0.01}", "@10", "defaults is '10'; it must be a map"},
    {"ListForName", "experiment: small", "experiment: @[small]", "experiment is a list; it must be a single value"},
    {"KeyThatIsAList", "about: a small one", "? @[a, b]\n: c", "a key is a list; it must be a name"},
    {"Choice", "n: 5,", "distribution: @randm,", "distribution is 'randm'; did you mean 'random'?"},
    {"ChoiceOfAStructure", "n: 5,", "metric: @haming,", "metric is 'haming'; did you mean 'hamming'?"},
    {"Flag", "structure: naive", "structure: naive, after_updates: @maybe", "known names: true, false"},
    {"PublishedValue", "profiles:", kValue + "@x}]\nprofiles:", "value is 'x'; it must be a number"},
    // Values out of range.
    {"EmptySweepOfASetting", "N: [2, 10]", "N: @[]", "the sweep of N is empty; give it at least one value"},
    {"EmptySweep", "{N: [2, 10], d: [2, 3]}", "@{}", "sweep is empty; give it a setting"},
    {"ZeroSets", "[2, 10]", "[@0, 10]", "N is '0'; it must be an integer from 1"},
    {"SmallOrder", "d: [2, 3]", "d: [2, @1]", "d is 1; it must be 2 to "},
    {"RhoZero", "rho: 0.01", "rho: @0", "rho is 0; it must be over 0 and under 1"},
    {"RhoOne", "rho: 0.01", "rho: @1", "rho is 1; it must be over 0 and under 1"},
    {"RhoAboveOne", "rho: 0.01", "rho: @1.5", "rho is 1.5; it must be over 0 and under 1"},
    {"RhoNotANumber", "rho: 0.01", "rho: @nan", "it must be over 0 and under 1"},
    {"ManyHashes", "rho: 0.01", "k: @65", "k is 65; it must be 1 to 64"},
    {"HitRate", "hit_rate: 0.5", "hit_rate: @1.5", "hit_rate is '1.5'; it must be a number from 0 to 1"},
    {"Repeats", "repeats: 2}", "repeats: @0}", "repeats is '0'; it must be an integer from 1 to 1000"},
    {"RepeatsOfAProfile", "repeats: 1,", "repeats: @1.5,", "repeats is '1.5'; it must be an integer from 1 to 1000"},
    {"Memory", "n_exp: 100,", "n_exp: @10000000000, hash: double,", "make m, n_exp, N or n smaller"},
    {"MemoryOfBits", "rho: 0.01", "m: @1e12, hash: double", "GiB"},
    {"BitsOutOfReach", "rho: 0.01", "hash: @multiplicative, m: 1e10", "use double for a larger m"},
    {"SeveralSetsInAFilter", "[2, 10], d: [2, 3]}\nseries:\n  - {name: Naive, structure: naive}",
     "[1, @10], d: [2, 3]}\nseries:\n  - {name: One, structure: bloom}",
     "N is 10 but bloom holds one set; it must be 1"},
    {"ThreadsOfSerial", "repeats: 2}", "repeats: 2, threads: @2}", "set backend to openmp or tbb"},
    // Shapes.
    {"SameKeyTwice", "about: a small one", "@experiment: other", "'experiment' is given twice; keep one of them"},
    {"SameSettingTwice", "{N: 10, n: 5", "{N: 10, @N: 5", "'N' is given twice; keep one of them"},
    {"SameValueTwice", "[2, 10]", "[2, @2]", "N is swept over 2 twice; keep one of them"},
    {"SameSeriesTwice", "name: Bloofi,", "name: @Naive,", "there are two series named 'Naive'; rename one"},
    {"SameFigureTwice", "search_time}", "search_time}, {id: @5a, x: N, y: search_time}",
     "there are two figures with id '5a'; rename one"},
    {"InMeasureAndDefaults",
     "defaults: {N: 10, n: 5, n_exp: 100, rho: 0.01}\nsweep: {N: [2, 10], d: [2, 3]}\nseries:\n"
     "  - {name: Naive, structure: naive}\n  - {name: Bloofi, structure: bloofi}\nmeasure: {search: {queries: 20",
     "defaults: {queries: 10}\nseries:\n  - {name: Naive, structure: naive}\nmeasure: {search: {queries: @20",
     "queries is given in measure and in defaults or sweep; keep one of them"},
    {"DefaultOfAProfileThatIsSwept", "quick: {sweep: {N: [4]}", "quick: {defaults: {@N: 4}",
     "N is swept, so a default does nothing; give the profile a sweep of it"},
    {"UnmeasuredMetric", "y: search_time", "y: @update_time", "measured here: build, search, insert, erase"},
    {"PhaseThatAProfileLeavesOut", "y: search_time}]\nprofiles:\n  quick: {sweep: {N: [4]}",
     "y: insert_time}]\nprofiles:\n  quick: @{measure: {maintain: erase}}\n  paper: {sweep: {N: [4]}",
     "insert_time needs the phase insert, which is not measured"},
    {"BadId", "experiment: small", "experiment: @../small", "use letters, digits, _ and -"},
    {"BadFigureId", "id: 5a", "id: @a/b", "use letters, digits, _ and -"},
    {"NoName", "{name: Bloofi, ", "@{", "the series has no 'name'; add one"},
    {"NoSeries", "series:\n  - {name: Naive, structure: naive}\n  - {name: Bloofi, structure: bloofi}", "series: @[]",
     "series is empty; give it at least one {name, structure}"},
    {"NoExperiment", "experiment: small\n", "@", "the file has no 'experiment'; add one"},
    {"NoX", "{id: 5a, x: N, ", "@{id: 5a, ", "the figure has no 'x'; add one"},
    // Not YAML, or not one experiment.
    {"OpenBracket", "sweep: {N: [2, 10], d: [2, 3]}", "sweep: {N: [2, 10, d: [2, 3]@}", "this is not valid YAML: "},
    {"Tab", "  - {name: Naive", "\t@- {name: Naive", "indent with spaces, not tabs"},
    {"SecondDocument", "about: a small one", "---\n@experiment: b", "give each a file of its own"},
    {"AliasOfItself", "about: a small one", "about: @&a [*a]", "nested too deeply"},
    {"MergeKey", "about: a small one", "@<<: {about: x}", "unknown key '<<'"},
};

INSTANTIATE_TEST_SUITE_P(Table, BadConfigTest, testing::ValuesIn(kBadConfigs),
                         [](const auto& bad) { return bad.param.name; });

TEST_F(ConfigTest, WhatTheTableBreaksIsSound) { EXPECT_EQ(complaint(kSmall), ""); }

TEST_F(ConfigTest, FilesThatHoldNoExperiment) {
  const std::string start = (folder_ / "c.yaml").string() + ":1:1: ";
  for (const std::string text : {"", "\n\n", "# only a comment\n"}) {
    EXPECT_EQ(complaint(text), start + "the file is empty; it must describe an experiment");
  }
  EXPECT_TRUE(has(complaint("just words\n"), start + "an experiment is 'just words'; it must be a map"));
  EXPECT_TRUE(has(complaint("- a\n- b\n"), start + "an experiment is a list; it must be a map"));
  EXPECT_NE(complaint(std::string("\0\x01\xff{", 4)), "");
}

TEST_F(ConfigTest, FilesThatAreNotThere) {
  const fs::path none = folder_ / "none.yaml";
  for (const fs::path& path : {none, folder_}) {
    try {
      load_experiment(path, "default", {});
      FAIL() << path;
    } catch (const InputError& e) {
      EXPECT_EQ(e.what(), path.string() + ": no such file; give a .yaml file");
    }
  }
  EXPECT_THROW(find_configs(folder_ / "none"), InputError);
}

TEST_F(ConfigTest, UnknownProfileIsRefusedWithTheNearestName) {
  EXPECT_EQ(complaint(kSmall, "quik"), "unknown profile 'quik'; did you mean 'quick'?");
  EXPECT_EQ(complaint(kSmall, "huge"), "unknown profile 'huge'; known names: quick, default, paper");
}

TEST_F(ConfigTest, MistakeInAProfileShowsInAnyProfile) {
  EXPECT_NE(complaint(replaced(kSmall, "N: [4]", "M: [4]"), "paper"), "");
}

TEST_F(ConfigTest, SetIsCheckedLikeAFile) {
  const std::string start = (folder_ / "c.yaml").string() + " with --set: ";
  EXPECT_EQ(complaint(kSmall, "default", {{"N", "0"}}), start + "N is '0'; it must be an integer from 1 to 100000000");
  EXPECT_TRUE(has(complaint(kSmall, "default", {{"d", "1"}}), start + "series 'Bloofi': d is 1; it must be 2 to "));
  EXPECT_TRUE(has(complaint(kSmall, "default", {{"N", "1,,2"}}), start + "N is ''; it must be an integer"));
  EXPECT_TRUE(has(complaint(kSmall, "default", {{"repeats", "x"}}), start + "repeats is 'x'; it must be"));
  EXPECT_TRUE(has(complaint(kSmall, "default", {{"threads", "2"}}), "set backend to openmp or tbb"));
  EXPECT_EQ(complaint(kSmall, "default", {{"quories", "3"}}),
            "--set quories: unknown setting; did you mean 'queries'?");
}

// What one structure refuses is found even where another one, which does not read it, comes first.
TEST_F(ConfigTest, SweptWordIsFoundBehindAStructureThatDoesNotReadIt) {
  const std::string config =
      replaced(replaced(kSmall, "structure: naive", "structure: exact"), "d: [2, 3]", "m: [abc]");
  EXPECT_TRUE(has(complaint(config), ":4:25: series 'Bloofi': m is 'abc'; it must be an integer")) << complaint(config);
}

TEST_F(ConfigTest, PlanWithoutEndIsRefused) {
  std::string values = "1";
  for (int i = 2; i <= 1000; ++i) values += fmt::format(",{}", i);
  EXPECT_TRUE(has(complaint(kSmall, "default", {{"N", values}, {"seed", values}}), "keep them under 1000000"));
}

TEST_F(ConfigTest, ProfileThatKeepsSomeSeriesDropsTheFiguresOfTheOthers) {
  const std::string figures =
      "[{id: a, x: N, y: search_time, series: [Naive]}, {id: b, x: N, y: search_time, series: "
      "[Naive, Bloofi]}, {id: c, x: N, y: search_time}]";
  const Experiment quick = load(replaced(kSmall, "[{id: 5a, x: N, y: search_time}]", figures), "quick");
  ASSERT_EQ(quick.figures.size(), 2U);
  EXPECT_EQ(quick.figures[0].id, "b");
  EXPECT_EQ(quick.figures[0].series, std::vector<std::string>{"Bloofi"});
  EXPECT_EQ(quick.figures[1].id, "c");
}

TEST_F(ConfigTest, FoldersAreSearchedForYaml) {
  fs::create_directories(folder_ / "b");
  write("b/2.yaml", "");
  write("a.yaml", "");
  write("notes.txt", "");
  EXPECT_EQ(find_configs(folder_), (std::vector<fs::path>{folder_ / "a.yaml", folder_ / "b/2.yaml"}));
  EXPECT_EQ(find_configs(folder_ / "notes.txt"), std::vector<fs::path>{folder_ / "notes.txt"});
}

TEST(ShippedConfigs, AreValidInEveryProfile) {
  const std::vector<fs::path> files = find_configs(BLOOMERY_CONFIGS);
  EXPECT_GE(files.size(), 13U);
  for (const fs::path& file : files) {
    for (const std::string& profile : profile_names()) EXPECT_NO_THROW(load_experiment(file, profile, {})) << file;
  }
}

TEST(ShippedConfigs, EveryFigureHasATitleAndEveryExperimentAnAbout) {
  for (const fs::path& file : find_configs(BLOOMERY_CONFIGS)) {
    const Experiment experiment = load_experiment(file, "default", {});
    EXPECT_NE(experiment.about, "") << file;
    EXPECT_FALSE(experiment.figures.empty()) << file;
    for (const FigureSpec& figure : experiment.figures) EXPECT_NE(figure.title, "") << file << " " << figure.id;
  }
}

// What the documentation says, held to it.

std::string document(const std::string& name) { return slurp(fs::path(BLOOMERY_CONFIGS).parent_path() / name); }

TEST_F(ConfigTest, ExampleOfTheReadmeIsValid) {
  const std::string readme = document("README.md");
  const std::size_t start = readme.find("```yaml\n");
  ASSERT_NE(start, std::string::npos) << "there is no example";
  const std::size_t from = start + 8;
  EXPECT_EQ(complaint(readme.substr(from, readme.find("```", from) - from)), "");
}

TEST_F(ConfigTest, EverySettingOfTheHarnessIsDocumented) {
  const std::string text = document("docs/experiments.md");
  for (const HarnessSetting& setting : harness_settings())
    EXPECT_TRUE(has(text, "`" + setting.name + "`")) << setting.name;
}

}  // namespace
}  // namespace bloomery
