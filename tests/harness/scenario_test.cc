// The two scenarios beside the papers' experiments: a moving window of days, and the provenance of documents.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "experiments/measure.h"
#include "experiments/provenance.h"
#include "experiments/window.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

std::vector<Row> measured(const std::vector<Unit>& units) {
  std::vector<Row> all;
  measure(units, [&](const Unit&, const std::vector<Row>& rows) { all.insert(all.end(), rows.begin(), rows.end()); });
  return all;
}

std::vector<Row> rows_of(const std::vector<Row>& rows, const std::string& series) {
  std::vector<Row> own;
  std::ranges::copy_if(rows, std::back_inserter(own), [&](const Row& row) { return row["series"] == series; });
  return own;
}

// The window.

const std::string kWindow = R"(experiment: moving
scenario: window
defaults: {N: 40, n: 6, m: 64, k: 2, days: 50, sample_every: 20}
series:
  - {name: Exact, structure: exact}
  - {name: Naive, structure: naive}
  - {name: Flat, structure: flat_bloofi}
  - {name: Bloofi, structure: bloofi}
  - {name: Rebuilt, structure: bloofi, rebuild: true}
  - {name: Rebuilt flat, structure: flat_bloofi, rebuild: true}
measure: {search: {queries: 300, hit_rate: 0.5}}
)";

using WindowTest = FolderTest;

TEST_F(WindowTest, EverySampledDayHasARowTheLastIncluded) {
  const std::vector<Unit> units = plan(kWindow);
  EXPECT_EQ(window_steps(units.front()), std::vector<std::string>(4, "window"));
  const std::vector<Row> rows = measured(units);
  ASSERT_EQ(rows.size(), units.size() * 4);
  for (const Unit& unit : units) {
    std::vector<std::string> days;
    for (const Row& row : rows_of(rows, unit.series)) days.push_back(row.get("day"));
    EXPECT_EQ(days, (std::vector<std::string>{"0", "20", "40", "50"})) << unit.series;
  }
}

TEST_F(WindowTest, DaysBetweenMeasurementsDefaultToATenth) {
  EXPECT_EQ(window_steps(plan(kWindow, "default", {{"sample_every", "0"}}).front()).size(), 11U);
  EXPECT_EQ(window_steps(plan(kWindow, "default", {{"sample_every", "0"}, {"days", "3"}}).front()).size(), 4U);
}

TEST_F(WindowTest, EveryDayIsSearchedWithoutAFalseNegative) {
  for (const Row& row : measured(plan(kWindow))) {
    EXPECT_EQ(row["status"], "ok") << row["series"];
    EXPECT_EQ(row["phase"], "window");
    EXPECT_EQ(row["ops"], "300");
    EXPECT_EQ(row["false_negatives"], "0") << row["series"] << " " << row.get("day");
    EXPECT_GT(row.number("seconds").value_or(0), 0);
  }
}

// A filter that was erased, or one that was not, would show in the matches.
TEST_F(WindowTest, AllIndexesAnswerAlikeOnEveryDayMovedOrRebuilt) {
  const std::vector<Row> rows = measured(plan(kWindow));
  const std::vector<Row> naive = rows_of(rows, "Naive");
  EXPECT_GT(naive.front().number("false_positives").value_or(0), 0);
  for (const std::string series : {"Flat", "Bloofi", "Rebuilt", "Rebuilt flat"}) {
    const std::vector<Row> other = rows_of(rows, series);
    for (std::size_t i = 0; i < naive.size(); ++i) {
      EXPECT_EQ(other.at(i)["matches"], naive[i]["matches"]) << series << " " << i;
      EXPECT_EQ(other.at(i)["false_positives"], naive[i]["false_positives"]) << series << " " << i;
    }
  }
  for (const Row& row : rows_of(rows, "Exact")) EXPECT_EQ(row["matches"], "150");
}

TEST_F(WindowTest, MovingCostsAndStandingStillDoesNot) {
  const std::vector<Row> rows = measured(plan(kWindow));
  const std::vector<Row> bloofi = rows_of(rows, "Bloofi");
  EXPECT_EQ(bloofi[0]["filters_cost"], "");
  for (std::size_t i = 1; i < bloofi.size(); ++i) EXPECT_GT(bloofi[i].number("filters_cost").value_or(0), 0) << i;
  for (const Row& row : bloofi) EXPECT_GT(row.number("bf_cost").value_or(0), 0);
}

TEST_F(WindowTest, RebuiltRowsSaySo) {
  const std::vector<Row> rows = measured(plan(kWindow));
  for (const Row& row : rows_of(rows, "Rebuilt")) EXPECT_EQ(row.get("rebuild"), "true");
  for (const Row& row : rows_of(rows, "Bloofi")) EXPECT_EQ(row.get("rebuild"), "false");
}

// Documents and their ancestors.

constexpr std::uint64_t kSites = 12;

ProvenanceSpec small_world(std::uint64_t seed = 1) {
  return {.sites = kSites, .documents = 400, .bundle = 3, .seed = seed, .repeat = 0};
}

// By following parents until nothing is new.
std::vector<Document> ancestors_by_search(const DocumentWorld& world, Document document) {
  std::set<Document> found;
  std::vector<Document> open = {document};
  while (!open.empty()) {
    const Document next = open.back();
    open.pop_back();
    if (!found.insert(next).second) continue;
    open.insert(open.end(), world.parents(next).begin(), world.parents(next).end());
  }
  return {found.begin(), found.end()};
}

TEST(DocumentWorld, AncestorsAreWhatParentsLeadTo) {
  const DocumentWorld world(small_world());
  ASSERT_EQ(world.documents(), 400U);
  std::size_t most = 0;
  for (Document document = 0; document < world.documents(); ++document) {
    EXPECT_EQ(world.ancestors(document), ancestors_by_search(world, document));
    most = std::max(most, world.ancestors(document).size());
  }
  EXPECT_GT(most, 3U);  // there is something to follow
}

TEST(DocumentWorld, WhoMakesADocumentKnowsItAndItsParents) {
  const DocumentWorld world(small_world());
  for (Document document = 0; document < world.documents(); ++document) {
    EXPECT_TRUE(world.knows(world.made_at(document), document));
    for (const Document parent : world.parents(document)) {
      EXPECT_LT(parent, document);
      EXPECT_TRUE(world.knows(world.made_at(document), parent));
    }
  }
}

TEST(DocumentWorld, KeysOfASiteAreThoseOfWhatItKnows) {
  const DocumentWorld world(small_world());
  const KeySets sites = world.site_keys();
  ASSERT_EQ(sites.size(), kSites);
  std::set<Key> all;
  for (SetId site = 0; site < kSites; ++site) {
    std::set<Key> expected;
    for (Document document = 0; document < world.documents(); ++document) {
      all.insert(world.key_of(document));
      if (world.knows(site, document)) expected.insert(world.key_of(document));
    }
    EXPECT_EQ(std::set<Key>(sites[site].begin(), sites[site].end()), expected);
    EXPECT_EQ(sites[site].size(), expected.size());
  }
  EXPECT_EQ(all.size(), world.documents());
}

TEST(DocumentWorld, SeedDecides) {
  const auto parents = [](const ProvenanceSpec& spec) {
    const DocumentWorld world(spec);
    std::vector<std::vector<Document>> all;
    for (Document document = 0; document < world.documents(); ++document) all.push_back(world.parents(document));
    return all;
  };
  EXPECT_EQ(parents(small_world()), parents(small_world()));
  EXPECT_NE(parents(small_world()), parents(small_world(2)));
}

// Queries over them.

const std::string kProvenance = R"(experiment: origins
scenario: provenance
defaults: {N: 12, documents: 400, m: 1024, k: 2}
series:
  - {name: No index, structure: "null"}
  - {name: Naive, structure: naive}
  - {name: Flat, structure: flat_bloofi}
  - {name: Bloofi, structure: bloofi}
  - {name: Oracle, structure: exact}
measure: {search: {queries: 25}}
)";

class ProvenanceTest : public FolderTest {
 protected:
  ProvenanceTest() {
    for (const Row& row : measured(plan(kProvenance))) {
      if (row["phase"] == "provenance") rows_[row["series"]] = row;
    }
    Random random(1, 0, Random::kQueries);
    for (int i = 0; i < 25; ++i) asked_.push_back(static_cast<Document>(random.below(world_.documents())));
  }

  double number(const std::string& series, const std::string& column) {
    return rows_[series].number(column).value_or(-1);
  }

  const DocumentWorld world_{small_world()};
  std::vector<Document> asked_;
  std::map<std::string, Row> rows_;
};

TEST_F(ProvenanceTest, EveryAncestorIsFoundWhateverTheIndex) {
  EXPECT_EQ(rows_.size(), 5U);
  for (auto& [series, row] : rows_) {
    EXPECT_EQ(row["status"], "ok") << series;
    EXPECT_EQ(row["false_negatives"], "0") << series;
    EXPECT_EQ(row["ops"], "25") << series;
  }
}

TEST_F(ProvenanceTest, OracleSendsPreciselyTheMessagesNeeded) {
  double needed = 0;
  for (const Document document : asked_) {
    for (const Document ancestor : world_.ancestors(document)) {
      for (SetId site = 0; site < kSites; ++site) needed += world_.knows(site, ancestor);
    }
  }
  EXPECT_EQ(number("Oracle", "matches"), needed);
  EXPECT_EQ(number("Oracle", "false_positives"), 0);
}

TEST_F(ProvenanceTest, WithoutAnIndexEverySiteIsAskedAboutEveryDocument) {
  double documents = 0;
  for (const Document document : asked_) documents += static_cast<double>(world_.ancestors(document).size());
  EXPECT_EQ(number("No index", "matches"), documents * kSites);
  EXPECT_EQ(rows_["No index"].number("documents_asked_about"), documents);
}

TEST_F(ProvenanceTest, FiltersLieInBetweenAndAgree) {
  for (const std::string series : {"Naive", "Flat", "Bloofi"}) {
    EXPECT_GT(number(series, "matches"), number("Oracle", "matches")) << series;
    EXPECT_LT(number(series, "matches"), number("No index", "matches")) << series;
    EXPECT_EQ(number(series, "matches") - number(series, "false_positives"), number("Oracle", "matches")) << series;
    EXPECT_EQ(number(series, "matches"), number("Naive", "matches")) << series;
  }
}

}  // namespace
}  // namespace bloomery
