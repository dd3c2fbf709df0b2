// Packets of a capture file, by libpcap: which flow each belongs to.
#ifndef BLOOMERY_EXPERIMENTS_PCAP_H_
#define BLOOMERY_EXPERIMENTS_PCAP_H_

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

// What makes two packets one flow: addresses, ports and protocol. Bytes in the order of the network, without padding,
// so that a hash of the object is one of the flow. Zero where there is nothing: ports of other protocols than TCP, UDP
// and SCTP, and those of fragments but the first.
struct Flow {
  std::array<std::uint8_t, 16> source{}, target{};  // an IPv4 address is in the first four
  std::array<std::uint8_t, 2> source_port{}, target_port{};
  std::uint8_t version = 4, protocol = 0;
  friend bool operator==(const Flow&, const Flow&) = default;
};
static_assert(sizeof(Flow) == 38);

// "tcp 10.0.0.1:80 10.0.0.2:443", "udp [::1]:53 [::2]:99", "icmp 10.0.0.1:0 10.0.0.2:0"; other protocols by number.
std::string flow_text(const Flow& flow);
std::optional<Flow> parse_flow(std::string_view text);

// The flow of one packet as the link layer sent it (a DLT_ number of libpcap); nothing if it is not IP or cut too
// short.
std::optional<Flow> flow_of_packet(int link, const std::uint8_t* bytes, std::size_t captured);

struct PcapCount {
  std::uint64_t packets = 0, others = 0;  // in all, and those that are no whole IP
};

// Calls found(flow, bytes on the wire) for every packet of IP. Throws IoError for what is no capture file, or ends in
// the middle of a packet.
PcapCount read_pcap(const std::filesystem::path& file, const std::function<void(const Flow&, std::uint32_t)>& found);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_PCAP_H_
