// Scenario intersection: two sets of a size and share that are asked for, from numbers or from a capture of packets.
#include "experiments/intersection.h"

#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "experiments/measure.h"
#include "experiments/metrics.h"
#include "experiments/trace.h"
#include "tests/harness/support.h"

namespace bloomery {
namespace {

const std::string kBoth = R"(experiment: both
scenario: intersection
defaults: {n: 4000, shared: 0.25, hashing: independent, trace: none, trace_key: packet}
series:
  - {name: Tree, structure: bloom_tree}
  - {name: Standard, structure: bloom_tree, rival: bloom, rival_by: sent}
  - {name: Compressed, structure: bloom_tree, rival: compressed_bloom, rival_by: sent}
measure: {search: {queries: 30000}, batch: 1024}
)";

using Packet = std::vector<std::uint8_t>;

// An Ethernet frame with TCP over IPv4, of a flow and with a number of its own.
Packet packet_of(std::uint8_t flow, std::uint16_t number) {
  Packet packet(60, 0);
  packet[12] = 0x08;
  packet[14] = 0x45;
  packet[18] = static_cast<std::uint8_t>(number >> 8);
  packet[19] = static_cast<std::uint8_t>(number);
  packet[23] = 6;
  packet[26] = 10;
  packet[29] = flow;
  packet[34] = 0x1f;
  packet[37] = 80;
  return packet;
}

class IntersectionTest : public FolderTest {
 protected:
  std::filesystem::path write_capture(const std::string& name, const std::vector<Packet>& packets,
                                      int link = DLT_EN10MB) const {
    pcap_t* dead = pcap_open_dead(link, 65535);
    pcap_dumper_t* dumper = pcap_dump_open(dead, (folder_ / name).c_str());
    for (const Packet& packet : packets) {
      pcap_pkthdr header{};
      header.caplen = header.len = static_cast<bpf_u_int32>(packet.size());
      pcap_dump(reinterpret_cast<u_char*>(dumper), &header, packet.data());
    }
    pcap_dump_close(dumper);
    pcap_close(dead);
    return folder_ / name;
  }

  std::map<std::string, Row> rows(const std::string& config, const Overrides& set = {}) const {
    std::map<std::string, Row> result;
    measure(plan(config, "default", set), [&](const Unit&, const std::vector<Row>& of_unit) {
      for (const Row& row : of_unit) result[row["series"]] = row;
    });
    return result;
  }

  std::string trace_complaint(const std::filesystem::path& file, PacketKey by = PacketKey::kPacket) const {
    try {
      read_trace(file, by);
      return "";
    } catch (const InputError& e) {
      return e.what();
    }
  }
};

std::vector<Packet> some_packets(std::uint16_t count, std::uint8_t flows) {
  std::vector<Packet> packets;
  for (std::uint16_t i = 0; i < count; ++i) packets.push_back(packet_of(static_cast<std::uint8_t>(i % flows), i));
  return packets;
}

TEST_F(IntersectionTest, SetsHaveTheSizesAndShareAskedForAndQueriesAreInNeither) {
  for (const std::string other : {"0", "1000"}) {
    const TwoSets sets = make_two_sets(plan(kBoth, "default", {{"n_other", other}}).front());
    const std::size_t second = other == "0" ? 4000 : 1000;
    EXPECT_EQ(sets.both, second / 4);
    EXPECT_EQ(sets.shared().size() + sets.first_only().size(), 4000U);
    EXPECT_EQ(sets.shared().size() + sets.second_only().size(), second);
    const std::set<Key> in(sets.keys.begin(), sets.keys.end());
    EXPECT_EQ(in.size(), sets.keys.size());
    EXPECT_EQ(sets.queries.size(), 30000U);
    EXPECT_TRUE(std::ranges::none_of(sets.queries, [&](Key key) { return in.contains(key); }));
  }
}

TEST_F(IntersectionTest, EveryShareKeepsEveryKeyOfBothSets) {
  for (const std::string shared : {"0", "0.5", "1"}) {
    for (const auto& [series, row] : rows(kBoth, {{"shared", shared}})) {
      EXPECT_EQ(row["status"], "ok") << series << " " << shared;
      EXPECT_EQ(row["false_negatives"], "0") << series;
      EXPECT_EQ(row["ops"], "30000") << series;
    }
  }
}

TEST_F(IntersectionTest, RivalsAreSentInAsManyBitsAndKeysOfOneSetAreWorseThanOthers) {
  const auto all = rows(kBoth);
  const double tree = *all.at("Tree").number("sent_bits");
  for (const std::string series : {"Standard", "Compressed"}) {
    EXPECT_NEAR(*all.at(series).number("sent_bits"), tree, 0.01 * tree) << series;
  }
  for (const auto& [series, row] : all) {
    const auto one_sided = find_metric("one_sided_rate").value(row), rate = find_metric("measured_rate").value(row);
    EXPECT_GT(one_sided.value(), rate.value()) << series;
    EXPECT_EQ(row.get("one_sided_keys"), "6000") << series;
  }
}

TEST_F(IntersectionTest, ARivalThatIsFarTooLargeIsUnsupported) {
  const auto all = rows(kBoth, {{"n", "100"}, {"n_exp", "4000"}});
  EXPECT_EQ(all.at("Tree")["status"], "ok");
  EXPECT_EQ(all.at("Compressed")["status"], "unsupported");
  EXPECT_EQ(all.at("Compressed").get("why"), "it would take more than 16 times the memory");
}

// An item in both sets and an item in neither are told apart as well as the smaller filter can.
TEST_F(IntersectionTest, TheIntersectionOfEqualSetsIsTheFilterItself) {
  const Row both = rows(kBoth, {{"shared", "1"}}).at("Tree");
  const std::string alone =
      replaced(replaced(kBoth, "scenario: intersection", "scenario: transfer"),
               ", shared: 0.25, hashing: independent, trace: none, trace_key: packet", ", hashing: independent");
  const Row one = [&] {
    Row worth;
    measure({plan(alone).front()}, [&](const Unit&, const std::vector<Row>& of_unit) { worth = of_unit.back(); });
    return worth;
  }();
  EXPECT_EQ(both.get("sent_bits"), one.get("sent_bits"));
}

TEST_F(IntersectionTest, WhatCannotBeIntersectedIsUnsupportedAndOtherRivalsAreRefused) {
  const std::string blocked =
      replaced(kBoth, "{name: Tree, structure: bloom_tree}", "{name: B, structure: blocked_bloom}");
  EXPECT_EQ(rows(blocked).at("B")["status"], "unsupported");
  const std::string by_rate = replaced(kBoth, "rival_by: sent", "rival_by: measured");
  EXPECT_TRUE(has(complaint(by_rate), "c.yaml:6:")) << complaint(by_rate);
  EXPECT_TRUE(has(complaint(by_rate), "set to sent"));
}

TEST_F(IntersectionTest, PacketsAreKeysByTheirBytesOrByTheirFlow) {
  std::vector<Packet> packets = some_packets(300, 7);
  packets.push_back(packets.front());  // sent again
  const std::vector<Key> keys = read_trace(write_capture("a.pcap", packets), PacketKey::kPacket);
  ASSERT_EQ(keys.size(), 301U);
  EXPECT_EQ(keys.back(), keys.front());
  EXPECT_EQ(std::set<Key>(keys.begin(), keys.end()).size(), 300U);
  const std::vector<Key> flows = read_trace(folder_ / "a.pcap", PacketKey::kFlow);
  EXPECT_EQ(flows.size(), 301U);
  EXPECT_EQ(std::set<Key>(flows.begin(), flows.end()).size(), 7U);
}

TEST_F(IntersectionTest, FlowsLookBehindTagsAndLeaveOutWhatIsNotIp) {
  Packet tagged = packet_of(1, 1);
  const std::array<std::uint8_t, 4> tag = {0x81, 0x00, 0x00, 0x05};
  tagged.insert(tagged.begin() + 12, tag.begin(), tag.end());
  Packet arp(60, 0);
  arp[12] = 0x08, arp[13] = 0x06;
  const std::vector<Packet> packets = {packet_of(1, 1), tagged, arp, Packet(3, 0), Packet(20, 0x45)};
  const std::vector<Key> flows = read_trace(write_capture("a.pcap", packets), PacketKey::kFlow);
  ASSERT_EQ(flows.size(), 2U);
  EXPECT_EQ(flows[0], flows[1]);
  EXPECT_TRUE(has(trace_complaint(write_capture("arp.pcap", {arp}), PacketKey::kFlow), "has no IP packet"));
}

TEST_F(IntersectionTest, ACaptureThatIsEmptyCutShortOrNoneIsRefused) {
  EXPECT_TRUE(has(trace_complaint(write_capture("empty.pcap", {})), "empty.pcap: has no packet"));
  const std::string whole = slurp(write_capture("whole.pcap", some_packets(20, 3)));
  for (const std::size_t cut : {std::size_t{1}, std::size_t{30}, std::size_t{75}}) {
    const std::string text = trace_complaint(write("cut.pcap", whole.substr(0, whole.size() - cut)));
    EXPECT_TRUE(has(text, "is cut short or damaged after 1")) << cut << ": " << text;
  }
  EXPECT_TRUE(has(trace_complaint(write("head.pcap", whole.substr(0, 10))), "cannot be read as a capture"));
  EXPECT_TRUE(has(trace_complaint(write("text.pcap", "not packets, but a text")), "cannot be read as a capture"));
  EXPECT_TRUE(has(trace_complaint(folder_ / "absent.pcap"), "absent.pcap"));
}

// Before anything runs, where the file is named in the config.
TEST_F(IntersectionTest, ATraceIsCheckedWithTheConfig) {
  const std::filesystem::path good = write_capture("good.pcap", some_packets(3000, 5));
  const auto with = [&](const std::filesystem::path& file) {
    return replaced(kBoth, "trace: none", "trace: " + file.string());
  };
  EXPECT_EQ(complaint(with(good), "default", {{"n", "1000"}}), "");
  const std::string few = complaint(with(good));
  EXPECT_TRUE(has(few, "it has 3000 different keys")) << few;
  EXPECT_TRUE(has(few, "c.yaml:3:")) << few;
  const std::string cut = complaint(with(write("cut.pcap", slurp(good).substr(0, 5000))));
  EXPECT_TRUE(has(cut, "c.yaml:3:") && has(cut, "cut short")) << cut;
}

TEST_F(IntersectionTest, PacketsOfACaptureAreSampledIntoTwoSets) {
  const std::filesystem::path file = write_capture("good.pcap", some_packets(3000, 5));
  const std::string config = replaced(kBoth, "trace: none", "trace: " + file.string());
  const TwoSets sets = make_two_sets(plan(config, "default", {{"n", "1000"}}).front());
  EXPECT_EQ(sets.both, 250U);
  const std::vector<Key> packets = read_trace(file, PacketKey::kPacket);
  const std::set<Key> trace(packets.begin(), packets.end()), shared(sets.shared().begin(), sets.shared().end());
  EXPECT_TRUE(std::ranges::all_of(sets.keys, [&](Key key) { return trace.contains(key); }));
  EXPECT_TRUE(std::ranges::all_of(sets.queries, [&](Key key) { return trace.contains(key) && !shared.contains(key); }));
  for (const auto& [series, row] : rows(config, {{"n", "1000"}})) EXPECT_EQ(row["false_negatives"], "0") << series;
}

TEST_F(IntersectionTest, AMadeUpTraceHasTheKeysAskedForSomeOfThemFarMoreOften) {
  const std::vector<Key> trace = made_up_trace(20000, Random(1, 0, Random::kTrace));
  std::map<Key, int> times;
  for (const Key key : trace) ++times[key];
  EXPECT_EQ(times.size(), 20000U);
  EXPECT_NEAR(static_cast<double>(trace.size()), 40000, 1000);
  int most = 0, once = 0;
  for (const auto& [key, count] : times) {
    most = std::max(most, count);
    once += count == 1;
  }
  EXPECT_GT(most, 50);
  EXPECT_GT(once, 10000);
  const std::vector<Key> keys = sampled_keys(trace, Random(1, 0, Random::kTrace, 1));
  EXPECT_EQ(std::set<Key>(keys.begin(), keys.end()).size(), 20000U);
  EXPECT_EQ(keys.size(), 20000U);
}

}  // namespace
}  // namespace bloomery
