// A filter in a file: its rate and its pages, closed and reopened, killed, damaged and taken for something else.
#include "structures/external_blocked_bloom.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/structures/rates.h"

namespace bloomery::test {
namespace {

namespace fs = std::filesystem;

const std::vector<const char*> kWays = {"mmap", "pread"};

std::size_t found(const ExternalBlockedBloom& filter, Keys keys) {
  Matches out;
  filter.query<false>(keys, out);
  return out.size();
}

std::vector<Match> answers(const ExternalBlockedBloom& filter, Keys keys) {
  Matches out;
  filter.query<false>(keys, out);
  return sorted(out);
}

// A folder of its own for each test.
class ExternalBlockedBloomTest : public ::testing::Test {
 protected:
  ExternalBlockedBloomTest() {
    std::string name = (fs::temp_directory_path() / "bloomery-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~ExternalBlockedBloomTest() override { fs::remove_all(folder_); }

  std::string path() const { return (folder_ / "filter").string(); }
  const fs::path& folder() const { return folder_; }

  void with_filter(ParamMap values, const std::function<void(ExternalBlockedBloom&)>& body) const {
    values.try_emplace("path", path());
    Params params(values);
    ExternalBlockedBloom filter(params);
    body(filter);
  }
  void make_file(Keys keys, const ParamMap& values = {}) const {
    with_filter(values, [&](ExternalBlockedBloom& filter) { filter.insert(0, keys); });
  }
  std::string bytes() const {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& content) const { std::ofstream(path(), std::ios::binary) << content; }
  void flip(std::size_t offset) const {
    std::string content = bytes();
    content[offset] = static_cast<char>(content[offset] ^ 0x10);
    put(content);
  }

  // A ParamError about `path` that names the file and says `problem`; the file stays as it is.
  void expect_file_refused(const std::string& problem, const ParamMap& values = {}) const {
    const std::string before = bytes();
    try {
      with_filter(values, [](ExternalBlockedBloom&) {});
      ADD_FAILURE() << "opened a file that " << problem;
    } catch (const ParamError& error) {
      EXPECT_EQ(error.name(), "path");
      EXPECT_NE(std::string(error.what()).find(folder().string()), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
    }
    EXPECT_TRUE(bytes() == before) << "the file that was refused has changed";
  }

 private:
  fs::path folder_;
};

// --- what it answers -------------------------------------------------------------------------------------------------

constexpr std::size_t kQueries = 400000;

// Keys that are false positives at their turn take no place: a share below the rate, which moves it by less than k
// times itself. Hundreds of pages, so that the spread of the rate over filters (growth cells are small) is well below
// that of the queries.
TEST_F(ExternalBlockedBloomTest, MeetsTheory) {
  const std::vector<std::pair<ParamMap, std::size_t>> cases = {
      {{{"n_exp", "500000"}}, 500000},
      {{{"n_exp", "500000"}, {"io", "pread"}}, 500000},
      {{{"n_exp", "500000"}, {"k", "5"}}, 400000},
      {{{"n_exp", "500000"}, {"k", "6"}, {"page_bytes", "16384"}}, 500000},
      {{{"n_exp", "200000"}, {"k", "5"}, {"reserve", "0.3"}, {"fraction", "0.1"}}, 260000},
      {{{"n_exp", "200000"}, {"k", "5"}}, 600000},  // chains of pages
  };
  for (const auto& [values, keys] : cases) {
    SCOPED_TRACE(name_of({"external_blocked_bloom", values}));
    ParamMap unnamed = values;
    unnamed["path"] = "";
    with_filter(unnamed, [&](ExternalBlockedBloom& filter) {
      filter.insert(0, random_keys(keys, 11));
      const double rate = filter.expected_false_positive_rate(keys), sigma = binomial_deviation(rate, kQueries);
      const double measured = measured_rate(filter, kQueries);
      EXPECT_LE(measured, rate + 5 * sigma);
      EXPECT_GE(measured, rate * (1 - 7 * rate) - 5 * sigma);
      EXPECT_EQ(filter.validate(), "");
    });
  }
}

TEST_F(ExternalBlockedBloomTest, KeepsTheRateItWasMadeFor) {
  for (const char* rho : {"0.05", "0.01", "0.002"}) {
    with_filter({{"path", ""}, {"n_exp", "100000"}, {"rho", rho}}, [&](ExternalBlockedBloom& filter) {
      filter.insert(0, random_keys(100000, 3));
      const double rate = std::stod(rho);
      EXPECT_LE(measured_rate(filter, kQueries), 1.3 * rate + 5 * binomial_deviation(rate, kQueries));
    });
  }
}

// At n_exp keys hardly a page has another chained to it.
TEST_F(ExternalBlockedBloomTest, ALookupReadsOnePage) {
  for (const char* io : kWays) {
    with_filter({{"path", ""}, {"n_exp", "200000"}, {"io", io}}, [&](ExternalBlockedBloom& filter) {
      filter.insert(0, random_keys(200000, 3));
      const std::vector<Key> keys = random_keys(20000, 4);
      Matches out;
      const Cost cost = filter.query<true>(keys, out);
      EXPECT_GE(cost.bf_checks, keys.size());
      EXPECT_LE(cost.bf_checks, keys.size() * 102 / 100);
      const Footprint footprint = filter.footprint();
      EXPECT_EQ(footprint.storage_bytes, (footprint.nodes + 1) * 4096);
      EXPECT_LE(footprint.nodes, filter.blocks() * 102 / 100 + 1);
    });
  }
}

TEST_F(ExternalBlockedBloomTest, GrowsLikeAnExactSet) {
  for (const char* io : kWays) {
    grow_against_an_exact_set({"external_blocked_bloom", {{"n_exp", "500"}, {"k", "9"}, {"io", io}}}, 15000);
  }
}

// In few pages, so that the threads meet in them all the time, also where one is chained to another.
TEST_F(ExternalBlockedBloomTest, ThreadsFindWhatTheyInserted) {
  for (const char* io : kWays) {
    with_filter({{"path", ""}, {"n_exp", "1000"}, {"k", "12"}, {"io", io}}, [&](ExternalBlockedBloom& filter) {
      const auto insert_and_look = [&](std::uint64_t seed) {
        for (std::uint64_t round = 0; round < 150; ++round) {
          const std::vector<Key> keys = random_keys(40, seed + round);
          filter.insert(0, keys);
          EXPECT_EQ(found(filter, keys), keys.size());
        }
      };
      { const std::jthread one(insert_and_look, 1000), other(insert_and_look, 2000); }
      for (std::uint64_t round = 0; round < 150; ++round) {
        for (const std::uint64_t seed : {1000, 2000}) EXPECT_EQ(found(filter, random_keys(40, seed + round)), 40U);
      }
      EXPECT_EQ(filter.validate(), "");
      EXPECT_GT(filter.footprint().height, 0U);
    });
  }
}

TEST_F(ExternalBlockedBloomTest, BothWaysWriteTheSameFile) {
  const std::vector<Key> keys = random_keys(30000, 1);
  std::string files[2];
  for (int way = 0; way < 2; ++way) {
    make_file(keys, {{"n_exp", "5000"}, {"io", kWays[way]}});
    files[way] = bytes();
    fs::remove(path());
  }
  EXPECT_GT(files[0].size(), 5 * 4096U);
  EXPECT_TRUE(files[0] == files[1]);
}

TEST_F(ExternalBlockedBloomTest, WithoutANameItLeavesNothing) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", folder().c_str(), 1);
  with_filter({{"path", ""}}, [&](ExternalBlockedBloom& filter) {
    filter.insert(0, random_keys(1000, 1));
    EXPECT_TRUE(fs::is_empty(folder()));
  });
  EXPECT_TRUE(fs::is_empty(folder()));
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

// --- closed and reopened ---------------------------------------------------------------------------------------------

TEST_F(ExternalBlockedBloomTest, ReopensAsItWasClosed) {
  const std::vector<Key> first = random_keys(6000, 1), second = random_keys(6000, 2), probes = random_keys(50000, 3);
  std::vector<Match> wanted;
  with_filter({{"n_exp", "2000"}}, [&](ExternalBlockedBloom& filter) {
    filter.insert(0, first);
    wanted = answers(filter, probes);
  });
  const std::string closed = bytes();
  for (const char* io : kWays) {
    with_filter({{"n_exp", "2000"}, {"io", io}}, [&](ExternalBlockedBloom& filter) {
      EXPECT_EQ(found(filter, first), first.size());
      EXPECT_EQ(answers(filter, probes), wanted);
    });
    EXPECT_TRUE(bytes() == closed) << "a file that was only asked has changed";
  }
  with_filter({{"n_exp", "2000"}}, [&](ExternalBlockedBloom& filter) { filter.insert(0, second); });
  with_filter({{"n_exp", "2000"}}, [&](ExternalBlockedBloom& filter) {
    EXPECT_EQ(found(filter, first), first.size());
    EXPECT_EQ(found(filter, second), second.size());
    EXPECT_EQ(filter.validate(), "");
  });
}

TEST_F(ExternalBlockedBloomTest, FlushedItIsAFileThatCanBeCopiedAndOpened) {
  const std::vector<Key> keys = random_keys(3000, 1);
  std::string flushed, written;
  with_filter({}, [&](ExternalBlockedBloom& filter) {
    filter.insert(0, keys);
    filter.flush();
    filter.flush();
    flushed = bytes();
    filter.insert(0, random_keys(100, 2));
    written = bytes();
    filter.flush();
  });
  put(flushed);
  with_filter({}, [&](ExternalBlockedBloom& filter) { EXPECT_EQ(found(filter, keys), keys.size()); });
  put(written);  // marked as open: its checksums are not looked at
  with_filter({}, [&](ExternalBlockedBloom& filter) { EXPECT_EQ(found(filter, keys), keys.size()); });
  with_filter({}, [&](ExternalBlockedBloom& filter) { EXPECT_EQ(found(filter, keys), keys.size()); });
}

// A child inserts, says so after every batch, and is killed while it goes on.
TEST_F(ExternalBlockedBloomTest, KeepsEveryKeyThatWasInWhenItIsKilled) {
  constexpr std::uint64_t kReports = 200, kBatch = 50;
  const auto batch = [](std::uint64_t number) { return random_keys(kBatch, 100 + number); };
  for (const char* io : kWays) {
    SCOPED_TRACE(io);
    const ParamMap values = {{"n_exp", "2000"}, {"io", io}};
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      with_filter(values, [&](ExternalBlockedBloom& filter) {
        for (std::uint64_t number = 0;; ++number) {
          filter.insert(0, batch(number));
          if (write(ends[1], &number, sizeof number) != sizeof number) _exit(1);
        }
      });
    }
    close(ends[1]);
    std::uint64_t last = 0;
    while (last < kReports && read(ends[0], &last, sizeof last) == sizeof last) {
    }
    kill(child, SIGKILL);
    while (read(ends[0], &last, sizeof last) == sizeof last) {
    }
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    ASSERT_GE(last, kReports);
    for (int opened = 0; opened < 2; ++opened) {  // as it was left, and closed in good order
      with_filter(values, [&](ExternalBlockedBloom& filter) {
        for (std::uint64_t number = 0; number <= last; ++number) ASSERT_EQ(found(filter, batch(number)), kBatch);
        EXPECT_EQ(filter.validate(), "");
      });
    }
    fs::remove(path());
  }
}

// --- refused ---------------------------------------------------------------------------------------------------------

TEST_F(ExternalBlockedBloomTest, RefusesADamagedFile) {
  make_file(random_keys(8000, 1));
  const std::string whole = bytes();
  const auto expect = [&](const std::string& problem) {
    expect_file_refused(problem);
    put(whole);
  };
  for (const std::size_t page : {1, 2, 3}) {
    for (const std::size_t offset : {0, 8, 16, 2000, 4095}) {
      flip(page * 4096 + offset);
      expect("the checksum of page " + std::to_string(page));
    }
  }
  flip(0);
  expect("is no filter file");
  flip(8);
  expect("byte order");
  flip(12);
  expect("version");
  flip(900);
  expect("checksum of its header");
  flip(1024);  // the number of pages
  expect("does not add up");
  for (const std::size_t size : {whole.size() - 1, whole.size() - 4096, std::size_t{4096}, std::size_t{2000}}) {
    put(whole.substr(0, size));
    expect("truncated");
  }
  for (const std::size_t size : {0, 8, 1000}) {
    put(whole.substr(0, size));
    expect("is no filter file");
  }
  with_filter({}, [](ExternalBlockedBloom& filter) { EXPECT_EQ(filter.validate(), ""); });
}

// Whoever killed the program may also have damaged the file; a head that leads nowhere is not followed.
TEST_F(ExternalBlockedBloomTest, RefusesAKilledFileWhoseHeadsAreDamaged) {
  make_file({});
  const std::string closed = bytes();
  for (const std::size_t byte : {2, 3, 4, 7}) {  // places, cells, link
    std::string open = closed;
    std::fill_n(open.begin() + 1032, 8, '\0');  // the mark of a closed file
    open[4096 + byte] = '\x7f';
    put(open);
    expect_file_refused("page 1 ");
  }
}

TEST_F(ExternalBlockedBloomTest, RefusesOtherFiles) {
  put(std::string(20000, 'x'));
  expect_file_refused("is no filter file");
  put(std::string(20000, '\0'));
  expect_file_refused("is no filter file");
  expect_file_refused("Is a directory", {{"path", folder().string()}});
  expect_file_refused("No such file", {{"path", (folder() / "none" / "filter").string()}});
}

TEST_F(ExternalBlockedBloomTest, RefusesOtherParametersAndSaysWhich) {
  const ParamMap made = {{"n_exp", "20000"}, {"k", "7"}};
  make_file(random_keys(100, 1), made);
  for (const auto& [name, value] : ParamMap{{"n_exp", "20001"},
                                            {"k", "8"},
                                            {"c", "11"},
                                            {"ratio", "0.4"},
                                            {"extra", "1"},
                                            {"rounding", "none"},
                                            {"page_bytes", "8192"},
                                            {"reserve", "0.2"},
                                            {"fraction", "0.1"},
                                            {"seed", "2"}}) {
    ParamMap other = made;
    other[name] = value;
    expect_file_refused(name + "=", other);
  }
  expect_file_refused("k=7 there and k=9 here", {{"n_exp", "20000"}, {"k", "9"}});
  with_filter({{"n_exp", "20000"}, {"k", "7"}, {"io", "pread"}, {"atomic", "false"}, {"readahead", "false"}},
              [](ExternalBlockedBloom& filter) { EXPECT_EQ(found(filter, random_keys(100, 1)), 100U); });
}

TEST_F(ExternalBlockedBloomTest, RefusesAFileThatIsInUse) {
  with_filter({}, [&](ExternalBlockedBloom& filter) {
    filter.insert(0, random_keys(100, 1));
    expect_file_refused("in use");
    EXPECT_EQ(found(filter, random_keys(100, 1)), 100U);
  });
}

TEST_F(ExternalBlockedBloomTest, RefusesWhatCannotBe) {
  const std::string name = "external_blocked_bloom";
  expect_refused(name, {{"n_exp", "0"}}, "n_exp");
  expect_refused(name, {{"n_exp", "68719476736"}, {"c", "9000"}}, "n_exp");
  expect_refused(name, {{"rho", "0"}}, "rho");
  expect_refused(name, {{"k", "65"}}, "k");
  expect_refused(name, {{"page_bytes", "512"}}, "page_bytes");
  expect_refused(name, {{"page_bytes", "5000"}}, "page_bytes");
  expect_refused(name, {{"reserve", "0.95"}}, "reserve");
  expect_refused(name, {{"fraction", "0"}}, "fraction");
  expect_refused(name, {{"io", "tape"}}, "io");
  expect_refused(name, {{"path", path()}, {"n_exp", "60000000000"}, {"c", "100"}}, "path");  // no such disk
  EXPECT_TRUE(fs::is_empty(folder()));
}

}  // namespace
}  // namespace bloomery::test
