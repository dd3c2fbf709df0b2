// Saved indexes: against the sets that went in, against every kind of damage, and against being killed at any time.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "experiments/data_keys.h"
#include "structures/hash.h"
#include "structures/index_writer.h"
#include "tests/harness/program.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;
using Model = std::map<std::string, std::vector<Key>>;

std::vector<Key> keys_of(std::uint64_t first, std::uint64_t count) {
  std::vector<Key> keys;
  for (std::uint64_t i = 0; i < count; ++i) keys.push_back(mix64(first + i));
  return keys;
}

class IndexTest : public ProgramTest {
 protected:
  std::string path() const { return (folder_ / "i.bloomery").string(); }

  static std::vector<NewSet> sizes_of(const Model& model) {
    std::vector<NewSet> sets;
    for (const auto& [name, keys] : model) sets.push_back({name, keys.size()});
    return sets;
  }
  static void fill(IndexWriter writer, const Model& model) {
    std::size_t number = 0;
    for (const auto& [name, keys] : model) writer.insert(number++, keys);
    writer.commit();
  }
  void create(const Model& model, std::uint64_t k = 14) const {
    fill(IndexWriter::create(path(), {k, 1, "text"}, sizes_of(model)), model);
  }

  // `count` sets of very different sizes, empty ones among them.
  static Model many(std::size_t count, std::uint64_t first = 0) {
    Model model;
    for (std::size_t i = 0; i < count; ++i) {
      model["set" + std::to_string(first) + "." + std::to_string(i)] =
          keys_of(first * 1'000'000 + i * 1000, i % 7 == 3 ? 0 : (i * i * 37) % (i % 5 == 0 ? 900 : 30));
    }
    return model;
  }

  // Every key's sets are named; wrong names are as rare as asked for; nothing else is there.
  static void expect_holds(const std::string& file, const Model& model, std::uint64_t k = 14) {
    const IndexFile index(file);
    index.verify();
    std::set<std::string> names;
    for (SetId id = 0; id < index.size(); ++id) names.insert(std::string(index.name(id)));
    EXPECT_EQ(names.size(), index.size());
    EXPECT_EQ(index.size(), model.size());
    std::vector<Key> all;
    std::vector<std::string> owner;
    for (const auto& [name, keys] : model) {
      EXPECT_TRUE(names.contains(name)) << name;
      all.insert(all.end(), keys.begin(), keys.end());
      owner.resize(all.size(), name);
    }
    Matches matches;
    index.query<false>(all, matches);
    std::vector<char> found(all.size());
    std::uint64_t wrong = 0;
    for (const Match& match : matches.view()) {
      const std::string name(index.name(match.set));
      ASSERT_TRUE(model.contains(name));
      if (name == owner[match.index]) {
        found[match.index] = 1;
      } else {
        ++wrong;
      }
    }
    EXPECT_EQ(std::ranges::count(found, 0), 0) << "false negatives";
    const double pairs = static_cast<double>(all.size()) * static_cast<double>(std::max<std::size_t>(model.size(), 1));
    EXPECT_LE(static_cast<double>(wrong), 5 + 3 * pairs / static_cast<double>(std::uint64_t{1} << k)) << pairs;
  }

  static std::string refusal(const std::string& file, bool verify = false) {
    try {
      const IndexFile index(file);
      if (verify) index.verify();
      return "";
    } catch (const IndexFileError& error) {
      return error.what();
    }
  }
};

TEST_F(IndexTest, HoldsWhatWentIn) {
  for (const std::size_t sets : {1U, 2U, 63U, 64U, 65U, 128U, 700U}) {
    create(many(sets));
    expect_holds(path(), many(sets));
  }
  create({});
  expect_holds(path(), {});
}

// Few sets in a block have several columns each; one large set among small ones makes none of them larger.
TEST_F(IndexTest, LargeSetsAreStriped) {
  for (const std::size_t large : {1U, 3U, 40U}) {
    Model model = many(100);
    double keys = 0;
    for (std::uint64_t i = 0; i < large; ++i)
      model["large" + std::to_string(i)] = keys_of(1'000'000'000 + i * 10'000, 5000 + i);
    for (const auto& [name, own] : model) keys += static_cast<double>(own.size());
    create(model);
    expect_holds(path(), model);
    EXPECT_LT(static_cast<double>(IndexFile(path()).bytes()), 40'000 + 2.2 * keys * 14 / 0.69 / 8);
    Model other;  // in the columns of a set that went
    other["other"] = keys_of(2'000'000'000, 5000);
    fill(IndexWriter::update(path(), {"large0"}, sizes_of(other), "text"), other);
    model.erase("large0");
    model["other"] = other["other"];
    expect_holds(path(), model);
  }
  EXPECT_FALSE(fs::exists(path() + ".new"));
}

TEST_F(IndexTest, CountsWhatItReads) {
  create(many(65));
  const IndexFile index(path());
  Matches counted, timed;
  const std::vector<Key> keys = keys_of(0, 500);
  const Cost cost = index.query<true>(keys, counted);
  index.query<false>(keys, timed);
  EXPECT_TRUE(std::ranges::equal(counted.view(), timed.view()));
  EXPECT_GT(cost.words, 500U);
  EXPECT_GT(cost.bf_checks, 500U * 65);
}

TEST_F(IndexTest, ACopyInMemoryAnswersTheSame) {
  create(many(130));
  const IndexFile mapped(path()), copied(path(), IndexFile::Held::kCopied);
  fs::remove(path());
  Matches a, b;
  mapped.query<false>(keys_of(0, 3000), a);
  copied.query<false>(keys_of(0, 3000), b);
  EXPECT_GT(a.size(), 0U);
  EXPECT_TRUE(std::ranges::equal(a.view(), b.view()));
}

TEST_F(IndexTest, RatesFollowTheHashes) {
  for (const double rate : {0.1, 0.01, 0.001}) {
    const std::uint64_t k = index_hashes_for(rate);
    Model model;
    for (std::uint64_t i = 0; i < 40; ++i) model[std::to_string(i)] = keys_of(i * 1000, 200 + i * 5);
    create(model, k);
    const IndexFile index(path());
    Matches matches;
    const std::vector<Key> strangers = keys_of(1'000'000, 20'000);
    index.query<false>(strangers, matches);
    const double found = static_cast<double>(matches.size()) / (20'000.0 * 40);
    EXPECT_LT(found, rate * 1.1) << "rate " << rate;
    EXPECT_GT(found, rate / 20) << "rate " << rate;  // nobody pays for far more than was asked for
  }
}

TEST_F(IndexTest, BlocksHoldEverySetOnceAndWasteLittle) {
  std::vector<NewSet> sets;
  for (std::uint64_t i = 0; i < 500; ++i) sets.push_back({"", i % 50 == 0 ? 100'000 + i : i % 90});
  const std::vector<BlockPlan> plans = plan_blocks(sets, 10);
  std::vector<int> seen(sets.size());
  std::uint64_t last = 0, bits = 0, single = 0;
  for (const BlockPlan& plan : plans) {
    EXPECT_GE(plan.keys, last);
    last = plan.keys;
    std::uint64_t most = 0;
    for (const std::size_t i : plan.sets) {
      ++seen[i];
      most = std::max(most, sets[i].keys);
    }
    EXPECT_EQ(plan.keys, most);
    bits += plan.keys * plan.sets.size();
    single += most * sets.size();
  }
  EXPECT_TRUE(std::ranges::all_of(seen, [](int count) { return count == 1; }));
  EXPECT_GT(plans.size(), 1U);
  EXPECT_LT(bits, single / 10);
  EXPECT_TRUE(plan_blocks({}, 10).empty());
}

TEST_F(IndexTest, ManyThreadsFillIt) {
  Model model = many(300);
  IndexWriter writer = IndexWriter::create(path(), {14, 1, "text"}, sizes_of(model));
  std::vector<const std::vector<Key>*> lists;
  for (const auto& [name, keys] : model) lists.push_back(&keys);
  Executor(Backend::kTbb, 4).for_chunks(lists.size(), 1, [&](std::size_t begin, std::size_t, int) {
    writer.insert(begin, *lists[begin]);
  });
  writer.commit();
  expect_holds(path(), model);
}

// --- changes ---------------------------------------------------------------------------------------------------------

TEST_F(IndexTest, SetsComeGoAndChange) {
  Model model = many(130);
  create(model);
  std::uint64_t state = 7;
  for (std::uint64_t round = 1; round <= 12; ++round) {
    std::vector<std::string> removed;
    for (const auto& [name, keys] : model) {
      if (mix64(++state) % 4 == 0) removed.push_back(name);
    }
    Model added = many(mix64(++state) % 40, round);
    for (std::size_t i = 0; i < removed.size(); i += 2)
      added[removed[i]] = keys_of(round * 5'000'000 + i * 100, i % 90);  // replaced
    fill(IndexWriter::update(path(), removed, sizes_of(added), "text"), added);
    for (const std::string& name : removed) model.erase(name);
    for (const auto& [name, keys] : added) model[name] = keys;
    expect_holds(path(), model);
  }
}

TEST_F(IndexTest, SlotsAreReusedAndEmptyBlocksGo) {
  Model model;
  for (int i = 0; i < 64; ++i) model[std::to_string(i) + "a"] = keys_of(static_cast<std::uint64_t>(i) * 100, 50);
  create(model);
  const std::uint64_t bytes = IndexFile(path()).bytes();
  for (std::uint64_t round = 0; round < 5; ++round) {
    const Model other = {{"7a", keys_of(1'000'000 + round * 100, 50)}};
    fill(IndexWriter::update(path(), {"7a"}, sizes_of(other)), other);
    model["7a"] = other.at("7a");
    expect_holds(path(), model);
    EXPECT_EQ(IndexFile(path()).bytes(), bytes);
  }
  std::vector<std::string> all;
  for (const auto& [name, keys] : model) all.push_back(name);
  IndexWriter::update(path(), all, {}).commit();
  expect_holds(path(), {});
  EXPECT_EQ(IndexFile(path()).blocks().size(), 0U);
  fill(IndexWriter::update(path(), {}, sizes_of(model)), model);
  expect_holds(path(), model);
}

TEST_F(IndexTest, AReaderKeepsTheFileThatItOpened) {
  create(many(10));
  const IndexFile before(path());
  IndexWriter::update(path(), {"set0.0"}, {}).commit();
  EXPECT_EQ(before.size(), 10U);
  before.verify();
  EXPECT_EQ(IndexFile(path()).size(), 9U);
}

TEST_F(IndexTest, WrongChangesAreRefusedAndChangeNothing) {
  create(many(3));
  const std::string bytes = slurp(path());
  const auto said = [&](const std::vector<std::string>& removed, std::vector<NewSet> added,
                        const std::string& keys = "") {
    try {
      IndexWriter::update(path(), removed, std::move(added), keys).commit();
      return std::string();
    } catch (const IndexFileError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_TRUE(has(said({"nobody"}, {}), "i.bloomery: has no set 'nobody'"));
  EXPECT_TRUE(has(said({}, {{"set0.1", 5}}), "has a set 'set0.1' already"));
  EXPECT_TRUE(has(said({}, {{"x", 5}, {"x", 5}}), "has a set 'x' already"));
  EXPECT_TRUE(has(said({}, {{"x", 5}}, "integer"), "its keys are text, those of the data are integer"));
  {
    const IndexWriter writing = IndexWriter::update(path(), {}, {{"x", 5}});
    EXPECT_TRUE(has(said({}, {{"y", 5}}), "another program is writing this index"));
  }
  EXPECT_EQ(slurp(path()), bytes);
  EXPECT_FALSE(fs::exists(path() + ".new"));  // neither did the one that was not committed leave anything
}

// --- damage ----------------------------------------------------------------------------------------------------------

TEST_F(IndexTest, EveryDamagedByteIsFound) {
  create(many(20), 5);
  const std::string good = slurp(path());
  IndexHeader header;
  std::memcpy(&header, good.data(), sizeof header);
  for (std::size_t i = 0; i < sizeof header; ++i) {
    std::string bad = good;
    bad[i] ^= 0x20;
    EXPECT_TRUE(has(refusal(write("bad", bad)), "bad: ")) << i;
  }
  for (std::size_t i = header.directory_offset; i < good.size(); i += 3) {
    std::string bad = good;
    bad[i] ^= 1;
    EXPECT_TRUE(has(refusal(write("bad", bad)), "the checksum of its directory is wrong")) << i;
  }
  const IndexFile index(path());
  for (std::size_t block = 0; block < index.blocks().size(); ++block) {
    for (const std::uint64_t at :
         {std::uint64_t{0}, index.blocks()[block].bytes() / 2, index.blocks()[block].bytes() - 1}) {
      std::string bad = good;
      bad[index.blocks()[block].offset + at] ^= 4;
      write("bad", bad);
      EXPECT_EQ(refusal((folder_ / "bad").string()), "");  // not read at opening
      EXPECT_TRUE(has(refusal((folder_ / "bad").string(), true),
                      "the checksum of block " + std::to_string(block + 1) + " of "));
    }
  }
}

TEST_F(IndexTest, TruncatedAndForeignFilesAreRefused) {
  create(many(20), 5);
  const std::string good = slurp(path());
  for (std::size_t size = 0; size < good.size(); size += 1 + size / 7) {
    const std::string said = refusal(write("bad", good.substr(0, size)));
    EXPECT_TRUE(has(said, size < kIndexPage ? "is no index: " : "is truncated: ")) << size << said;
  }
  EXPECT_TRUE(has(refusal(write("bad", good + "x")), "is damaged: "));
  EXPECT_TRUE(has(refusal(write("bad", std::string(5000, 'x'))), "bad: is no index of bloomery"));
  EXPECT_TRUE(has(refusal((folder_ / "none").string()), "none: No such file or directory"));
  EXPECT_TRUE(has(refusal(folder_.string()), "is not a regular file"));
  IndexHeader header;
  std::memcpy(&header, good.data(), sizeof header);
  const auto with = [&](IndexHeader changed) {
    changed.checksum = header_checksum(changed);
    std::string bad = good;
    std::memcpy(bad.data(), &changed, sizeof changed);
    return refusal(write("bad", bad));
  };
  IndexHeader changed = header;
  changed.version = 9;
  EXPECT_TRUE(has(with(changed), "is of version 9 of the format; this program reads version 1"));
  // Lies with the right checksum point nowhere outside.
  for (std::uint64_t IndexHeader::*field : {&IndexHeader::directory_offset, &IndexHeader::directory_bytes,
                                            &IndexHeader::sets, &IndexHeader::blocks, &IndexHeader::k}) {
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1} << 20, ~std::uint64_t{0}, header.*field + 1}) {
      changed = header;
      changed.*field = value;
      const std::string said = with(changed);
      const bool harmless =
          field == &IndexHeader::sets && value < header.sets;  // a directory may be longer than it needs
      const bool other_k = field == &IndexHeader::k && value > 0 && value <= 64;
      const bool other_blocks = field == &IndexHeader::blocks && value == 0;
      if (!harmless && !other_k && !other_blocks) {
        EXPECT_TRUE(has(said, "is damaged")) << value << said;
      }
    }
  }
  std::string directory = good.substr(header.directory_offset);
  for (std::size_t word = 0; word + 8 <= std::min<std::size_t>(directory.size(), 400); word += 8) {
    std::string lie = directory;
    std::memset(lie.data() + word, 0xff, 8);
    changed = header;
    changed.directory_checksum = bytes_checksum(reinterpret_cast<const std::byte*>(lie.data()), lie.size());
    changed.checksum = header_checksum(changed);
    std::string bad = good;
    std::memcpy(bad.data(), &changed, sizeof changed);
    bad.replace(header.directory_offset, lie.size(), lie);
    write("bad", bad);
    if (refusal((folder_ / "bad").string()).empty()) {  // what is left, can be asked
      Matches matches;
      IndexFile((folder_ / "bad").string()).query<true>(keys_of(0, 100), matches);
    }
  }
}

// --- crashes ---------------------------------------------------------------------------------------------------------

// Runs `work` in a child and kills it at its stop number `stop`: before or after one of its system calls. False if it
// was through before.
template <class Work>
bool killed_at(int stop, Work work) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    work();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSTOPPED(status)) << "a child cannot be traced here";
  for (int i = 0; i < stop; ++i) {
    EXPECT_EQ(ptrace(PTRACE_SYSCALL, child, nullptr, nullptr), 0);
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) return false;
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return true;
}

TEST_F(IndexTest, AWriterKilledAnywhereLeavesTheOldOrTheNew) {
  const Model old_sets = many(20), added = many(5, 1);
  Model new_sets = old_sets;
  new_sets.erase("set0.2");
  for (const auto& [name, keys] : added) new_sets[name] = keys;
  create(old_sets, 5);
  const std::string before = slurp(path());
  int old_ones = 0, new_ones = 0;
  for (int stop = 0;; ++stop) {
    write("i.bloomery", before);
    const bool killed = killed_at(stop, [&] { fill(IndexWriter::update(path(), {"set0.2"}, sizes_of(added)), added); });
    const bool is_old = slurp(path()) == before;
    expect_holds(path(), is_old ? old_sets : new_sets, 5);
    ++(is_old ? old_ones : new_ones);
    if (!killed) break;
    ASSERT_LT(stop, 2000);
  }
  EXPECT_GT(old_ones, 20);
  EXPECT_GT(new_ones, 1);                                                     // killed after the rename, too
  fill(IndexWriter::create(path(), {5, 1, "text"}, sizes_of(added)), added);  // what is left over is in nobody's way
  expect_holds(path(), added, 5);
  EXPECT_FALSE(fs::exists(path() + ".new"));
}

TEST_F(IndexTest, AFirstWriterKilledAnywhereLeavesAllOrNothing) {
  const Model sets = many(5);
  for (int stop = 0;; ++stop) {
    fs::remove(path());
    const bool killed = killed_at(stop, [&] { create(sets, 5); });
    if (fs::exists(path())) expect_holds(path(), sets, 5);
    if (!killed) break;
    ASSERT_LT(stop, 2000);
  }
  expect_holds(path(), sets, 5);
}

// --- the program -----------------------------------------------------------------------------------------------------

class IndexProgramTest : public IndexTest {
 protected:
  IndexProgramTest() {
    fs::create_directories(folder_ / "d");
    write("d/fruit.txt", "apple\npear\nplum\n");
    write("d/trees.txt", "apple\npear\noak\nash\n");
    write("d/none.txt", "");
  }
};

TEST_F(IndexProgramTest, BuildsAndAnswersWithNames) {
  Outcome outcome = run("build d -o i.bloomery");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.out, "i.bloomery: 3 sets, 7 keys, ")) << outcome.out;
  EXPECT_EQ(run("query i.bloomery apple oak nothing").out, "apple\tfruit\napple\ttrees\noak\ttrees\nnothing\t\n");
  write("asked", "plum\n\nash\r\npear");
  EXPECT_EQ(run("query i.bloomery - --verify <asked").out, "plum\tfruit\nash\ttrees\npear\tfruit\npear\ttrees\n");
  EXPECT_EQ(run("index list i.bloomery").out, "fruit\t3\nnone\t0\ntrees\t4\n");
  EXPECT_EQ(run("index verify i.bloomery").code, 0);
}

TEST_F(IndexProgramTest, SetsAreAddedReplacedAndRemoved) {
  ASSERT_EQ(run("build d -o i.bloomery").code, 0);
  write("fish.txt", "carp\n");
  write("fruit.txt", "fig\n");
  EXPECT_EQ(run("index add i.bloomery fish.txt").code, 0);
  expect_message(run("index add i.bloomery fruit.txt"), 5, "i.bloomery: has a set 'fruit' already");
  EXPECT_EQ(run("index replace i.bloomery fruit.txt").code, 0);
  EXPECT_EQ(run("query i.bloomery carp fig apple").out, "carp\tfish\nfig\tfruit\napple\ttrees\n");
  EXPECT_EQ(run("index remove i.bloomery trees none").code, 0);
  EXPECT_EQ(run("query i.bloomery carp oak").out, "carp\tfish\noak\t\n");
  const std::string bytes = slurp(path());
  expect_message(run("index remove i.bloomery trees"), 5, "i.bloomery: has no set 'trees'");
  expect_message(run("index replace i.bloomery d/trees.txt"), 5, "i.bloomery: has no set 'trees'");
  EXPECT_EQ(run("index remove i.bloomery").code, 2);
  EXPECT_EQ(run("index list i.bloomery more").code, 2);
  EXPECT_EQ(run("index rename i.bloomery more").code, 2);
  EXPECT_EQ(slurp(path()), bytes);
}

TEST_F(IndexProgramTest, KeysAreAskedForAsTheyWereWritten) {
  write("n.csv", "a,1\nb,0x10\na,16\n");
  ASSERT_EQ(run("build n.csv -o n.bloomery").code, 0);
  EXPECT_EQ(run("query n.bloomery 16 0x1").out, "16\ta\n16\tb\n0x1\ta\n");
  expect_message(run("query n.bloomery 1 one"), 2, "key 2: 'one' is not a decimal or 0x hexadecimal integer");
  expect_message(run("query n.bloomery - <n.csv"), 2, "stdin:1: 'a,1' is not a decimal");
  expect_message(run("index add n.bloomery d/fruit.txt"), 2, "fruit.txt:1: 'apple' is not a decimal");
  write("s.fa", ">one\nACGTACGTTT\n>two\nGGGGGGGG\n");
  ASSERT_EQ(run("build s.fa --kmer 6 -o s.bloomery").code, 0);
  EXPECT_EQ(run("query s.bloomery CCCCCC AAACGT gggggg").out, "CCCCCC\ttwo\nAAACGT\tone\ngggggg\ttwo\n");
  expect_message(run("query s.bloomery ACG"), 2, "key 1: 'ACG' is not 6 letters of A, C, G and T");
  ASSERT_EQ(run("build s.fa --kmer 6 --as-written -o s.bloomery").code, 0);
  EXPECT_EQ(run("query s.bloomery CCCCCC GGGGGG").out, "CCCCCC\t\nGGGGGG\ttwo\n");
}

TEST_F(IndexProgramTest, BadFilesAreToldOfAndKept) {
  const std::string precious(9000, 'p');
  write("i.bloomery", precious);
  expect_message(run("build d -o i.bloomery"), 5,
                 "is no index of bloomery; it is left as it is: remove it, or give another name");
  EXPECT_EQ(slurp(path()), precious);
  expect_message(run("query i.bloomery x"), 5, "i.bloomery: is no index of bloomery");
  expect_message(run("query nowhere x"), 5, "nowhere: No such file or directory");
  fs::remove(path());
  fs::remove(folder_ / "d/none.txt");  // which would be noted
  expect_message(run("build d -o nowhere/i"), 5, "nowhere/i.new: cannot be made: No such file or directory");
  expect_message(run("build 'd/*.doc' -o i.bloomery"), 2, "d/*.doc: no file matches this pattern");
  write("d/bad.csv", "a,b\nc\n");
  expect_message(run("build d/bad.csv -o i.bloomery"), 2, "d/bad.csv:2: 1 column");
  EXPECT_FALSE(fs::exists(path()));
  fs::remove(folder_ / "d/bad.csv");
  ASSERT_EQ(run("build d -o i.bloomery").code, 0);
  std::string bytes = slurp(path());
  bytes[kIndexPage + 3] ^= 1;
  write("i.bloomery", bytes);
  expect_message(run("query i.bloomery x"), 5, "i.bloomery: is damaged: the checksum of block 1 of ");
  expect_message(run("index add i.bloomery d/fruit.txt"), 5, "i.bloomery: is damaged: the checksum of block 1 of ");
}

TEST_F(IndexProgramTest, AFullDiskLosesNothing) {
  ASSERT_EQ(run("build d -o i.bloomery").code, 0);
  const std::string bytes = slurp(path());
  std::string large;
  for (int i = 0; i < 50'000; ++i) large += std::to_string(i) + "x\n";
  write("large.txt", large);
  expect_message(run("index add i.bloomery large.txt", "ulimit -f 64"), 5, "no room for ");
  expect_message(run("build large.txt -o i.bloomery", "ulimit -f 64"), 5, "File too large; the index is as it was");
  EXPECT_EQ(slurp(path()), bytes);
  EXPECT_FALSE(fs::exists(path() + ".new"));
}

}  // namespace
}  // namespace bloomery
