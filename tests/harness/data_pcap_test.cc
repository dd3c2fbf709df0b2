// Captures, made byte by byte.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "experiments/data.h"
#include "experiments/errors.h"
#include "experiments/pcap.h"
#include "tests/harness/program.h"

namespace bloomery {
namespace {

constexpr int kEthernet = 1, kRaw = 12;

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

std::string ports(int source, int target) { return bytes({source >> 8, source & 255, target >> 8, target & 255}); }

// 10.0.0.`from` to 10.0.0.`to`; `fragment` in units of 8 bytes.
std::string ip4(int protocol, int from, int to, const std::string& rest, int fragment = 0) {
  return bytes(
             {0x45, 0, 0, 20, 0, 0, fragment >> 8, fragment & 255, 64, protocol, 0, 0, 10, 0, 0, from, 10, 0, 0, to}) +
         rest;
}

std::string ip6(int next, int from, int to, const std::string& rest) {
  std::string packet = bytes({0x60, 0, 0, 0, 0, 0, next, 64});
  for (const int end : {from, to}) packet += std::string(15, '\0') + static_cast<char>(end);
  return packet + rest;
}

std::string ethernet(int type, const std::string& rest) {
  return std::string(12, 'm') + bytes({type >> 8, type & 255}) + rest;
}

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string capture(int link, const std::vector<std::string>& packets) {
  std::string file = raw(std::uint32_t{0xa1b2c3d4}) + raw(std::uint16_t{2}) + raw(std::uint16_t{4}) +
                     raw(std::uint64_t{0}) + raw(std::uint32_t{65535}) + raw(link);
  for (const std::string& packet : packets) {
    const auto size = static_cast<std::uint32_t>(packet.size());
    file += raw(std::uint64_t{0}) + raw(size) + raw(size) + packet;
  }
  return file;
}

std::string flow(int link, const std::string& packet) {
  const auto found = flow_of_packet(link, reinterpret_cast<const std::uint8_t*>(packet.data()), packet.size());
  return found ? flow_text(*found) : "";
}

TEST(Pcap, FlowsOfPackets) {
  const std::string tcp = ip4(6, 1, 2, ports(80, 443)), udp6 = ip6(17, 1, 2, ports(53, 99));
  EXPECT_EQ(flow(kRaw, tcp), "tcp 10.0.0.1:80 10.0.0.2:443");
  EXPECT_EQ(flow(kEthernet, ethernet(0x0800, tcp)), "tcp 10.0.0.1:80 10.0.0.2:443");
  EXPECT_EQ(flow(kEthernet, ethernet(0x8100, bytes({0, 7, 8, 0}) + tcp)), "tcp 10.0.0.1:80 10.0.0.2:443");
  EXPECT_EQ(flow(kEthernet, ethernet(0x86dd, udp6)), "udp [::1]:53 [::2]:99");
  EXPECT_EQ(flow(kRaw, ip4(1, 1, 2, ports(8, 9))), "icmp 10.0.0.1:0 10.0.0.2:0");
  EXPECT_EQ(flow(kRaw, ip4(99, 1, 2, "")), "99 10.0.0.1:0 10.0.0.2:0");
  EXPECT_EQ(flow(kRaw, ip4(6, 1, 2, ports(80, 443), 5)), "tcp 10.0.0.1:0 10.0.0.2:0");  // a later fragment has no ports
  EXPECT_EQ(flow(kRaw, ip6(0, 1, 2, bytes({6, 0, 0, 0, 0, 0, 0, 0}) + ports(1, 2))), "tcp [::1]:1 [::2]:2");
  EXPECT_EQ(flow(kRaw, ip6(44, 1, 2, bytes({6, 0, 0, 8, 0, 0, 0, 0}) + ports(1, 2))), "tcp [::1]:0 [::2]:0");
  EXPECT_EQ(flow(kEthernet, ethernet(0x0806, tcp)), "");  // ARP
  EXPECT_EQ(flow(147, tcp), "");
  for (std::size_t size = 0; size < 20; ++size) EXPECT_EQ(flow(kRaw, tcp.substr(0, size)), "");
  for (std::size_t size = 0; size < 34; ++size) EXPECT_EQ(flow(kEthernet, ethernet(0x0800, tcp).substr(0, size)), "");
}

TEST(Pcap, FlowsAreReadAsTheyAreWritten) {
  for (const char* text : {"tcp 10.0.0.1:80 10.0.0.2:443", "udp [::1]:53 [fe80::2]:99", "99 1.2.3.4:0 5.6.7.8:0"}) {
    const auto parsed = parse_flow(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(flow_text(*parsed), text);
  }
  for (const char* text : {"", "tcp", "tcp 10.0.0.1 10.0.0.2", "tcp 10.0.0.1:80 10.0.0.2:99999",
                           "tcp 10.0.0:80 10.0.0.2:1", "tcp 10.0.0.1:80 [::1]:1", "xyz 10.0.0.1:80 10.0.0.2:1",
                           "300 10.0.0.1:80 10.0.0.2:1", "tcp 10.0.0.1:80 10.0.0.2:1 more"}) {
    EXPECT_FALSE(parse_flow(text)) << text;
  }
}

class PcapTest : public ProgramTest {};

TEST_F(PcapTest, ACaptureIsASetOfFlows) {
  const std::string tcp = ip4(6, 1, 2, ports(80, 443));
  write("a.pcap", capture(kRaw, {tcp, tcp, ip6(17, 1, 2, ports(53, 99)), "short"}));
  write("b.pcap", capture(kEthernet, {ethernet(0x0800, ip4(17, 3, 4, ports(5, 6)))}));
  const Outcome built = run("build '*.pcap' -o i");
  EXPECT_EQ(built.code, 0);
  ASSERT_EQ(built.errors.size(), 1U);
  EXPECT_TRUE(has(built.errors[0], "a.pcap: 1 of 4 packets are no whole IP and left out")) << built.errors[0];
  EXPECT_EQ(run("query i 'tcp 10.0.0.1:80 10.0.0.2:443' 'udp 10.0.0.3:5 10.0.0.4:6' 'udp [::1]:53 [::2]:99'").out,
            "tcp 10.0.0.1:80 10.0.0.2:443\ta\nudp 10.0.0.3:5 10.0.0.4:6\tb\nudp [::1]:53 [::2]:99\ta\n");
  expect_message(run("query i rubbish"), 2, "key 1: 'rubbish' is not a flow as 'tcp 10.0.0.1:80 10.0.0.2:443'");
  const std::string whole = capture(kRaw, {tcp, tcp});
  write("c", whole.substr(0, whole.size() - 3));  // by content
  expect_message(run("build c -o j"), 5, "c: after packet 1: ");
  write("d.pcap", "no capture at all, but long enough to be looked at");
  expect_message(run("build d.pcap -o j"), 5, "d.pcap: cannot be read as a capture: ");
}

}  // namespace
}  // namespace bloomery
