// A user's own data: every format against what its lines say, every kind of damage against what is said about it.
#include "experiments/data.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "experiments/data_load.h"
#include "experiments/errors.h"
#include "structures/hash.h"
#include "tests/harness/program.h"

namespace bloomery {
namespace {

using Contents = std::map<std::string, std::multiset<Key>>;

Key text_key(const std::string& text) { return key_of_bytes(text.data(), text.size()); }

std::multiset<Key> text_keys(const std::vector<std::string>& texts) {
  std::multiset<Key> keys;
  for (const std::string& text : texts) keys.insert(text_key(text));
  return keys;
}

std::string packed(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

std::string integers(const std::vector<std::uint64_t>& values) {
  std::string bytes(values.size() * 8, '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class DataTest : public ProgramTest {
 protected:
  DataTest() { std::filesystem::create_directories(folder_ / "d"); }

  std::string put(const std::string& name, const std::string& text) const { return write("d/" + name, text).string(); }
  std::string data() const { return (folder_ / "d").string(); }

  static Contents contents(DataSource& source, const Executor& executor = {}) {
    std::vector<std::multiset<Key>> sets(source.names().size());
    source.read(
        [&](SetId set, Keys keys) {
          if (set >= sets.size()) sets.resize(set + 1);  // one thread, where this happens
          sets[set].insert(keys.begin(), keys.end());
        },
        executor);
    sets.resize(source.names().size());
    Contents result;
    for (std::size_t i = 0; i < sets.size(); ++i) result[source.names()[i]] = sets[i];
    return result;
  }
  static Contents contents(DataOptions options) {
    DataSource source(std::move(options));
    return contents(source);
  }
  static Contents contents(const std::string& path) { return contents(DataOptions{.paths = {path}}); }

  // What is said about these data, with the folder left out; "" if they can be read.
  std::string complaint(DataOptions options) const {
    try {
      contents(std::move(options));
      return "";
    } catch (const std::exception& e) {
      std::string text = e.what();
      for (std::size_t at; (at = text.find(data() + "/")) != text.npos;) text.erase(at, data().size() + 1);
      return text;
    }
  }
  std::string complaint(const std::string& path) const { return complaint(DataOptions{.paths = {path}}); }

  std::vector<std::string> notes(const std::string& path) const {
    DataSource source(DataOptions{.paths = {path}});
    contents(source);
    return source.notes().take();
  }
};

// --- text ------------------------------------------------------------------------------------------------------------

TEST_F(DataTest, AFolderHasASetAFile) {
  put("a.txt", "one\ntwo\n");
  put("b", "two\r\n\nthree");  // no line end at the end, an empty line, Windows
  std::filesystem::create_directories(folder_ / "d/sub");
  put("sub/c.list", "four\n");
  put(".hidden", "five\n");
  const Contents expected = {
      {"a", text_keys({"one", "two"})}, {"b", text_keys({"two", "three"})}, {"sub/c", text_keys({"four"})}};
  EXPECT_EQ(contents(data()), expected);
}

TEST_F(DataTest, APatternAndALeadingFileNameTheirSets) {
  put("a.txt", "one\n");
  put("b.txt", "two\n");
  put("c.doc", "three\n");
  EXPECT_EQ(contents(data() + "/*.txt"), (Contents{{"a", text_keys({"one"})}, {"b", text_keys({"two"})}}));
  EXPECT_EQ(contents(put("x*y.txt", "star\n")), (Contents{{"x*y", text_keys({"star"})}}));  // a name that is there
}

TEST_F(DataTest, ThreadsReadTheSame) {
  for (int i = 0; i < 50; ++i) {
    std::string text;
    for (int j = 0; j < 500; ++j) text += std::to_string(i * 400 + j) + "x\n";
    put("set" + std::to_string(i), text);
  }
  DataSource one(DataOptions{.paths = {data()}}), four(DataOptions{.paths = {data()}});
  EXPECT_EQ(contents(one), contents(four, Executor(Backend::kTbb, 4)));
  EXPECT_EQ(contents(one), contents(one));  // a second pass
}

TEST_F(DataTest, LinesThatLieAcrossBlocks) {
  std::string text;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 3000; ++i) {
    lines.push_back(std::string(i % 701, static_cast<char>('a' + i % 26)) + std::to_string(i));
    text += lines.back() + "\n";
  }
  lines.push_back(std::string(kLongestLine, 'z'));  // just allowed
  text += lines.back() + "\n";
  put("a", text);
  EXPECT_EQ(contents(data()).at("a"), text_keys(lines));
}

TEST_F(DataTest, IntegersAreFoundAndMixed) {
  put("a", "1\n0x10\n18446744073709551615\n");
  EXPECT_EQ(contents(data()).at("a"), (std::multiset<Key>{mix64(1), mix64(16), mix64(~0ULL)}));
  EXPECT_EQ(contents(DataOptions{.paths = {data()}, .keys = "text"}).at("a"),
            text_keys({"1", "0x10", "18446744073709551615"}));
  put("a", "ff\n10\n");
  EXPECT_EQ(contents(DataOptions{.paths = {data()}, .keys = "hex"}).at("a"),
            (std::multiset<Key>{mix64(255), mix64(16)}));
  std::string late;
  for (int i = 0; i < 1500; ++i) late += "7\n";
  put("a", late + "eight\n");
  EXPECT_EQ(
      complaint(data()),
      "a:1501: 'eight' is not a decimal or 0x hexadecimal integer of 64 bits; if the keys are text, say keys: text "
      "(--keys text)");
  put("a", "1\n18446744073709551616\n");  // one too many: the first lines are looked at
  EXPECT_EQ(contents(data()).at("a"), text_keys({"1", "18446744073709551616"}));
}

TEST_F(DataTest, GzipIsUnpacked) {
  const std::string text = "one\ntwo\nthree\n";
  put("a.txt.gz", packed(text) + packed("four\n"));  // two members, as cat makes
  EXPECT_EQ(contents(data()), (Contents{{"a", text_keys({"one", "two", "three", "four"})}}));
  std::string large;
  for (int i = 0; i < 20000; ++i) large += std::to_string(mix64(static_cast<std::uint64_t>(i))) + "x\n";
  const std::string bytes = packed(large);
  for (const std::size_t size : {bytes.size() - 1, bytes.size() - 9, bytes.size() / 2, std::size_t{20}}) {
    put("a.txt.gz", bytes.substr(0, size));
    EXPECT_TRUE(
        has(complaint(DataOptions{.paths = {data()}, .format = "text", .keys = "text"}), "the gzip file is truncated"))
        << size;
  }
  std::string damaged = bytes;
  damaged[damaged.size() / 2] ^= 0x10;
  put("a.txt.gz", damaged);
  const std::string said = complaint(DataOptions{.paths = {data()}, .format = "text", .keys = "text"});
  EXPECT_TRUE(said.starts_with("a.txt.gz:") && has(said, "the gzip file is damaged")) << said;
}

TEST_F(DataTest, UnusualBytesAreKeysAndNoted) {
  put("a", "fine\nM\xc3\xbcller\ncaf\xe9\n\xff\nnul\n");
  EXPECT_EQ(contents(data()).at("a"), text_keys({"fine", "M\xc3\xbcller", "caf\xe9", "\xff", "nul"}));
  ASSERT_EQ(notes(data()).size(), 1U);
  EXPECT_TRUE(has(notes(data())[0], "a:3: not UTF-8; keys are bytes, and these are taken as they are (and 1 more)"));
  const std::string with_nul("x\ny\0z\n", 6);
  put("a", with_nul);
  EXPECT_TRUE(complaint(data()).starts_with("a:2: a NUL byte, so this is hardly text")) << complaint(data());
  const DataOptions text{.paths = {data()}, .format = "text"};
  EXPECT_EQ(contents(text).at("a"), text_keys({"x", std::string("y\0z", 3)}));
  DataSource source(text);
  contents(source);
  EXPECT_TRUE(has(source.notes().take().at(0), "a:2: NUL bytes in a key"));
}

TEST(DataBytes, Utf8IsToldFromOtherBytes) {
  for (const char* good : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xef\xbf\xbf",
                           "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xc2"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

TEST_F(DataTest, BadTextIsLocated) {
  put("a", "x\n" + std::string(kLongestLine + 1, 'y') + "\nz\n");
  EXPECT_EQ(complaint(data()), "a:2: the line is longer than 1 MiB; is this a file of text?");
  put("a", "x\n" + std::string(3 * kLongestLine, 'y'));
  EXPECT_EQ(complaint(data()), "a:2: the line is longer than 1 MiB; is this a file of text?");
  put("a", "");
  EXPECT_TRUE(has(complaint(data()), "all files are empty"));
  EXPECT_TRUE(has(complaint(data() + "/*.none"), "*.none: no file matches this pattern"));
  EXPECT_TRUE(has(complaint(data() + "x"), "dx: no such file or folder"));
  EXPECT_TRUE(has(complaint("/dev/zero"), "/dev/zero: is not a regular file"));
  put("a.txt", "x\n");
  put("a.list", "x\n");
  EXPECT_EQ(complaint(data() + "/a.*"), "a.list and a.txt would both be the set 'a'; rename one");
}

TEST_F(DataTest, EmptySetsStay) {
  put("a", "x\n");
  put("b", "");
  put("c", "\n\n");
  EXPECT_EQ(contents(data()), (Contents{{"a", text_keys({"x"})}, {"b", {}}, {"c", {}}}));
  EXPECT_EQ(notes(data()).size(), 2U);
  EXPECT_TRUE(has(notes(data())[0], "d/b: no keys in it; the set is empty and never matches"));
  std::filesystem::create_directories(folder_ / "d/none");
  EXPECT_TRUE(has(complaint(data() + "/none"), "none: no files in it"));
}

TEST_F(DataTest, AFileThatChangesOrVanishesIsToldOf) {
  const std::string file = put("a", "x\n");
  DataSource source(DataOptions{.paths = {data()}});
  contents(source);
  put("a", "x\ny\n");
  EXPECT_THROW(
      try { contents(source); } catch (const IoError& e) {
        EXPECT_TRUE(has(e.what(), "d/a: changed while it was read; run it again")) << e.what();
        throw;
      },
      IoError);
  std::filesystem::remove(file);
  EXPECT_THROW(
      try { contents(source); } catch (const IoError& e) {
        EXPECT_TRUE(has(e.what(), "d/a: vanished while the data was read")) << e.what();
        throw;
      },
      IoError);
}

// --- other formats ---------------------------------------------------------------------------------------------------

TEST_F(DataTest, TwoColumns) {
  put("a.csv", "set,key\ned,apple\n\"a, b\",\"say \"\"hi\"\"\"\r\ned,pear\n");
  EXPECT_EQ(contents(data()), (Contents{{"ed", text_keys({"apple", "pear"})}, {"a, b", text_keys({"say \"hi\""})}}));
  EXPECT_EQ(contents(put("b.tsv", "x\t1\ny\t2\nx\t3\n")), (Contents{{"x", {mix64(1), mix64(3)}}, {"y", {mix64(2)}}}));
  put("a.csv.gz", packed("q,1\n"));
  EXPECT_EQ(contents(data() + "/a.csv.gz"), (Contents{{"q", {mix64(1)}}}));
}

TEST_F(DataTest, BadColumnsAreLocated) {
  const std::map<std::string, std::string> cases = {
      {"a,b\nc\n", "a.csv:2: 1 column, where a set and a key should be"},
      {"a,b\nc,d,e\n", "a.csv:2: more than 2 columns, where a set and a key should be"},
      {"a,b\n,d\n", "a.csv:2: the set has no name"},
      {"a,b\nc,\n", "a.csv:2: the key is empty"},
      {"a,b\n\"c,d\n", "a.csv:2: a quote is not closed on its line"},
      {"a,b\n\"c\"x,d\n", "a.csv:2: text after a closing quote"},
      {"a,b\nc\"x,d\n", "a.csv:2: a quote in a column that does not begin with one"},
  };
  for (const auto& [text, said] : cases) EXPECT_EQ(complaint(put("a.csv", text)), said);
}

// The k-mers of a sequence by substrings, as one would write them down.
std::multiset<Key> kmers(const std::string& sequence, std::size_t k, bool canonical) {
  std::multiset<Key> keys;
  const KeyEncoding encoding{KeyEncoding::kKmer, k, canonical};
  for (std::size_t i = 0; i + k <= sequence.size(); ++i) {
    const std::string one = sequence.substr(i, k);
    std::string other(one.rbegin(), one.rend());
    for (char& c : other) c = c == 'A' ? 'T' : c == 'T' ? 'A' : c == 'C' ? 'G' : 'C';
    const auto key = encoding.key_of(one);
    if (!key) continue;
    EXPECT_EQ(*key == *encoding.key_of(other), canonical || one == other);
    keys.insert(*key);
  }
  return keys;
}

TEST_F(DataTest, KmersOfSequences) {
  const std::string one = "ACGTTGCAAGCTNACGGATTACA", two = "TTGACCAGTGTTT";
  put("a.fa", ">first of all\n" + one.substr(0, 9) + "\r\n" + one.substr(9) + "\n>second\n" + two);
  for (const std::uint64_t k : {1U, 5U, 12U}) {
    for (const bool canonical : {true, false}) {
      const DataOptions options{.paths = {data() + "/a.fa"}, .kmer = k, .canonical = canonical};
      EXPECT_EQ(contents(options),
                (Contents{{"first", kmers(one, k, canonical)}, {"second", kmers(two, k, canonical)}}));
    }
  }
  put("b.fa", ">x\n" + two + "\n");
  std::multiset<Key> both = kmers(one, 5, true);
  both.merge(kmers(two, 5, true));
  EXPECT_EQ(contents(DataOptions{.paths = {data()}, .kmer = 5}), (Contents{{"a", both}, {"b", kmers(two, 5, true)}}));
  const std::string longest(40, 'G');
  put("c.fa", ">x\n" + longest + "\n");
  EXPECT_EQ(contents(DataOptions{.paths = {data() + "/c.fa"}, .kmer = 32}).at("x"), kmers(longest, 32, true));
}

TEST_F(DataTest, Fastq) {
  const std::string reads = "@r1\nACGTACGA\n+\n@IIII+II\n@r2\nGGGTTT\n+r2\n@@@@@@\n";
  std::multiset<Key> expected = kmers("ACGTACGA", 4, true);
  expected.merge(kmers("GGGTTT", 4, true));
  put("s.fq", reads);
  EXPECT_EQ(contents(DataOptions{.paths = {data()}, .kmer = 4}), (Contents{{"s", expected}}));
  std::filesystem::remove(folder_ / "d/s.fq");
  put("s", reads);  // by content
  EXPECT_EQ(contents(DataOptions{.paths = {data()}, .kmer = 4}), (Contents{{"s", expected}}));
  put("s", "@r1\nACGTACGA\n+\nIII\n@r2\nGG\n+\nII\n");  // the @ is a quality; then there are too many
  EXPECT_FALSE(complaint(data()).empty());
  EXPECT_EQ(complaint(DataOptions{.paths = {put("t.fq", "@r1\nACGT\n+\nII\n")}}),
            "t.fq:5: the file ends in the middle of a record");
  EXPECT_EQ(complaint(DataOptions{.paths = {put("t.fa", "ACGT\n")}}), "t.fa:1: a record should begin with '>' here");
  EXPECT_EQ(complaint(DataOptions{.paths = {put("t.fa", ">a\nAC1T\n")}}), "t.fa:2: byte 0x31 in a sequence");
  EXPECT_EQ(complaint(DataOptions{.paths = {put("t.fa", ">a\nA\n>a\nA\n")}}),
            "t.fa:3: there are two records 'a'; rename one");
}

TEST_F(DataTest, BinaryIntegers) {
  put("k.bin", integers({5, 6, 7, 8}));
  put("k.bin.offsets", integers({0, 1, 1, 4}));
  const Contents expected = {{"0", {mix64(5)}}, {"1", {}}, {"2", {mix64(6), mix64(7), mix64(8)}}};
  EXPECT_EQ(contents(data() + "/k.bin"), expected);
  EXPECT_EQ(contents(data()), expected);
  put("k.bin.offsets", integers({0, 1, 5}));
  EXPECT_TRUE(has(complaint(data()), "k.bin: 4 keys, but k.bin.offsets ends with 5"));
  put("k.bin.offsets", integers({0, 3}));
  EXPECT_TRUE(has(complaint(data()), "k.bin: more keys than the 3 that k.bin.offsets ends with"));
  put("k.bin.offsets", integers({0, 3, 2}));
  EXPECT_TRUE(has(complaint(data()), "k.bin.offsets: offset 2 is 2; offsets begin with 0 and never fall"));
  put("k.bin.offsets", integers({0, 4}) + "abc");
  EXPECT_TRUE(has(complaint(data()), "k.bin.offsets: 3 bytes are left over"));
  std::filesystem::remove(folder_ / "d/k.bin.offsets");
  EXPECT_TRUE(has(complaint(data()), "k.bin.offsets: No such file or directory"));
}

TEST_F(DataTest, FormatsDoNotMixAndNamesAreKnown) {
  put("a.fa", ">x\nACGT\n");
  put("b.csv", "a,b\n");
  EXPECT_EQ(complaint(data()), "b.csv looks like csv but a.fa like fasta; say which with format (--format)");
  EXPECT_TRUE(
      has(complaint(DataOptions{.paths = {data()}, .format = "cvs"}), "format is 'cvs'; known names: auto, text, csv"));
  EXPECT_TRUE(has(complaint(DataOptions{.paths = {data()}, .keys = "txt"}), "keys is 'txt'; did you mean 'text'?"));
  EXPECT_TRUE(has(complaint(DataOptions{.paths = {data()}, .kmer = 33}), "kmer is 33; it must be from 1 to 32"));
}

TEST(DataKeys, EncodingsSurviveBeingWritten) {
  for (const KeyEncoding& keys : {KeyEncoding{}, KeyEncoding{KeyEncoding::kInteger}, KeyEncoding{KeyEncoding::kHex},
                                  KeyEncoding{KeyEncoding::kKmer, 21, false}, KeyEncoding{KeyEncoding::kFlow}}) {
    const auto parsed = KeyEncoding::parse(keys.text());
    ASSERT_TRUE(parsed) << keys.text();
    EXPECT_EQ(parsed->text(), keys.text());
  }
  for (const char* bad : {"", "tex", "kmer", "kmer 40 canonical", "kmer 3 both", "text text"}) {
    EXPECT_FALSE(KeyEncoding::parse(bad)) << bad;
  }
}

// --- in experiments --------------------------------------------------------------------------------------------------

const char* const kOwn = R"(experiment: own
workload: {kind: files, path: d}
defaults: {rho: 0.01, hash: double}
series:
  - {name: Exact, structure: exact}
  - {name: Bloofi, structure: bloofi}
  - {name: Flat, structure: flat_bloofi}
measure: {search: {queries: 200, hit_rate: 0.5}, maintain: [insert, update, erase], repeats: 2}
figures: [{id: f, x: memory, y: search_time}]
)";

TEST_F(DataTest, AnExperimentOverFiles) {
  put("a", "x\ny\nz\nx\n");
  put("b", "y\nq\n");
  put("c", "");
  write("own.yaml", kOwn);
  const Outcome outcome = run("run own.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  const std::vector<Row> all = rows("own");
  EXPECT_EQ(all.size(), 2U * 3 * 5);
  for (const Row& row : all) {
    EXPECT_EQ(row["status"], "ok") << row["series"] << row["phase"] << row.get("error");
    EXPECT_EQ(row["N"], "3");
    EXPECT_EQ(row["n"], "2");  // five keys, each counted once, in three sets
    EXPECT_EQ(row.get("data"), "d");
    if (row["series"] != "Exact") {
      EXPECT_EQ(row.get("n_exp"), "3");
    }
    if (row["phase"] == "search" && row["series"] == "Exact") {
      EXPECT_EQ(row["false_positives"], "0");
      EXPECT_GE(row.number("matches").value(), 100);
      EXPECT_LE(row.number("matches").value(), 200);
    }
  }
  EXPECT_TRUE(has(run("run own.yaml").out, " 0 to measure"));
  put("b", "y\nother\n");  // the same number of keys
  EXPECT_TRUE(has(run("run own.yaml").out, " 6 to measure"));
}

TEST_F(DataTest, QueriesOfTheirOwnAndFewerSets) {
  put("a", "x\ny\n");
  put("b", "y\nq\n");
  write("asked", "y\nnot there\n");
  write("own.yaml", replaced(replaced(replaced(kOwn, "path: d}", "path: d, queries: asked}"),
                                      ", maintain: [insert, update, erase]", ""),
                             "double}", "double, rho: 0.0000001}\nsweep: {N: [1, 2]}"));
  write("own.yaml", replaced(slurp(folder_ / "own.yaml"), "rho: 0.01, ", ""));
  ASSERT_EQ(run("run own.yaml").code, 0);
  for (const Row& row : rows("own")) {
    if (row["phase"] != "search") continue;
    EXPECT_EQ(row["ops"], "2");
    EXPECT_EQ(row["hit_rate"], "");
    EXPECT_EQ(row["matches"], row["N"]);  // y is in both sets
  }
  expect_message(run("run own.yaml --set N=3"), 2, "N is 3, but the data have 2 sets");
}

TEST_F(DataTest, BadWorkloadsAreLocated) {
  put("a", "x\n");
  const auto said = [&](const std::string& from, const std::string& to) {
    return ProgramTest::complaint(replaced(kOwn, from, to));
  };
  EXPECT_TRUE(has(said("kind: files", "kind: file"), ":2:18: unknown kind 'file'; did you mean 'files'?"))
      << said("kind: files", "kind: file");
  EXPECT_TRUE(has(said("path: d", "path: d, formt: csv"), ":2:"));
  EXPECT_TRUE(has(said("path: d", "path: d, kmer: 99"), ": kmer must be an integer from 1 to 32"));
  EXPECT_TRUE(has(said("workload", "scenario: filter\nworkload"), ":3:11: scenario filter makes its own keys"));
  EXPECT_THROW(said("path: d", "path: nowhere"), IoError);
}

TEST_F(DataTest, TryMeasuresEveryStructureAndRecommends) {
  for (int i = 0; i < 70; ++i) {
    std::string text = "shared\n";
    for (int j = 0; j <= i; ++j) text += std::to_string(i) + "/" + std::to_string(j) + "\n";
    put("set" + std::to_string(i), text);
  }
  const Outcome outcome = run("try d --rate 0.001");
  EXPECT_EQ(outcome.code, 0) << slurp(folder_ / "err");
  for (const char* text :
       {"70 sets, 2555 keys, ", "largest 71 (set69); keys are text", "exact ", "naive ", "bloofi ", "flat_bloofi ",
        "sliced_bloofi ", "yoon_tree ", "saved_index ", "\nTake ", "search_and_memory.svg"}) {
    EXPECT_TRUE(has(outcome.out, text)) << text << "\n" << outcome.out;
  }
  for (const Row& row : rows("try_d")) EXPECT_EQ(row["status"], "ok") << row["series"] << " " << row.get("error");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "plots/try_d/search_and_memory.png"));
  EXPECT_EQ(run("validate results/try_d/try.yaml").code, 0);  // a file of its own
  EXPECT_TRUE(has(run("query results/try_d/index.bloomery 65/3").out, "65/3\tset65\n"));
  expect_message(run("try nothing"), 5, "nothing: no such file or folder");
}

}  // namespace
}  // namespace bloomery
