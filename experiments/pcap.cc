#include "experiments/pcap.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "experiments/errors.h"
#include "experiments/numbers.h"

namespace bloomery {
namespace {

constexpr int kTcp = 6, kUdp = 17, kSctp = 132, kIcmp = 1, kIcmp6 = 58;

struct Name {
  const char* name;
  int protocol;
};
constexpr Name kNames[] = {{"tcp", kTcp}, {"udp", kUdp}, {"sctp", kSctp}, {"icmp", kIcmp}, {"icmp6", kIcmp6}};

std::uint16_t number_at(const std::uint8_t* bytes) { return static_cast<std::uint16_t>(bytes[0] << 8 | bytes[1]); }

struct Part {
  const std::uint8_t* bytes;
  std::size_t left;
  bool skip(std::size_t count) {
    if (left < count) return false;
    bytes += count;
    left -= count;
    return true;
  }
};

// Past the link layer: whether what follows may be IP.
bool skip_link(int link, Part& packet) {
  const auto is_ip = [](std::uint16_t type) { return type == 0x0800 || type == 0x86dd; };
  std::uint16_t type = 0;
  switch (link) {
    case DLT_RAW:
    case 101:  // LINKTYPE_RAW
      return true;
    case DLT_NULL:
      return packet.skip(4);
    case DLT_LINUX_SLL:
      return packet.left >= 16 && is_ip(number_at(packet.bytes + 14)) && packet.skip(16);
    case DLT_LINUX_SLL2:
      return packet.left >= 20 && is_ip(number_at(packet.bytes)) && packet.skip(20);
    case DLT_EN10MB:
      if (packet.left < 14) return false;
      type = number_at(packet.bytes + 12);
      packet.skip(14);
      while ((type == 0x8100 || type == 0x88a8) && packet.left >= 4) {  // VLAN
        type = number_at(packet.bytes + 2);
        packet.skip(4);
      }
      return is_ip(type);
    default:
      return false;
  }
}

void read_ports(const Part& packet, Flow& flow) {
  const bool ports = flow.protocol == kTcp || flow.protocol == kUdp || flow.protocol == kSctp;
  if (!ports || packet.left < 4) return;
  std::copy_n(packet.bytes, 2, flow.source_port.begin());
  std::copy_n(packet.bytes + 2, 2, flow.target_port.begin());
}

std::optional<Flow> flow_of_ip4(Part packet) {
  const std::size_t header = (packet.bytes[0] & 0xfU) * 4U;
  if (header < 20 || packet.left < header) return std::nullopt;
  Flow flow;
  flow.protocol = packet.bytes[9];
  std::copy_n(packet.bytes + 12, 4, flow.source.begin());
  std::copy_n(packet.bytes + 16, 4, flow.target.begin());
  const bool first = (number_at(packet.bytes + 6) & 0x1fff) == 0;
  packet.skip(header);
  if (first) read_ports(packet, flow);
  return flow;
}

// Past the extension headers, of which each says what follows and how long it is.
std::optional<Flow> flow_of_ip6(Part packet) {
  if (packet.left < 40) return std::nullopt;
  Flow flow;
  flow.version = 6;
  flow.protocol = packet.bytes[6];
  std::copy_n(packet.bytes + 8, 16, flow.source.begin());
  std::copy_n(packet.bytes + 24, 16, flow.target.begin());
  packet.skip(40);
  bool first = true;
  while ((flow.protocol == 0 || flow.protocol == 43 || flow.protocol == 44 || flow.protocol == 60) &&
         packet.left >= 8) {
    const bool fragment = flow.protocol == 44;
    if (fragment && (number_at(packet.bytes + 2) & 0xfff8) != 0) first = false;
    const std::size_t length = fragment ? 8 : 8 + std::size_t{packet.bytes[1]} * 8;
    flow.protocol = packet.bytes[0];
    if (!packet.skip(length)) return flow;
  }
  if (first) read_ports(packet, flow);
  return flow;
}

std::string end_text(const Flow& flow, const std::array<std::uint8_t, 16>& address, std::uint16_t port) {
  char text[INET6_ADDRSTRLEN];
  inet_ntop(flow.version == 4 ? AF_INET : AF_INET6, address.data(), text, sizeof text);
  return flow.version == 4 ? fmt::format("{}:{}", text, port) : fmt::format("[{}]:{}", text, port);
}

bool parse_end(std::string_view text, int version, std::array<std::uint8_t, 16>& address,
               std::array<std::uint8_t, 2>& port) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return false;
  std::string_view host = text.substr(0, colon);
  if (version == 6) {
    if (!host.starts_with('[') || !host.ends_with(']')) return false;
    host = host.substr(1, host.size() - 2);
  }
  const auto number = parse_integer(text.substr(colon + 1));
  if (!number || *number > 65535) return false;
  port = {static_cast<std::uint8_t>(*number >> 8), static_cast<std::uint8_t>(*number)};
  return inet_pton(version == 4 ? AF_INET : AF_INET6, std::string(host).c_str(), address.data()) == 1;
}

}  // namespace

std::string flow_text(const Flow& flow) {
  const auto* known = std::ranges::find(kNames, int{flow.protocol}, &Name::protocol);
  const std::string protocol = known != std::end(kNames) ? known->name : std::to_string(flow.protocol);
  return fmt::format("{} {} {}", protocol, end_text(flow, flow.source, number_at(flow.source_port.data())),
                     end_text(flow, flow.target, number_at(flow.target_port.data())));
}

std::optional<Flow> parse_flow(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string protocol, source, target, rest;
  if (!(words >> protocol >> source >> target) || words >> rest) return std::nullopt;
  Flow flow;
  const auto* known = std::ranges::find_if(kNames, [&](const Name& name) { return name.name == protocol; });
  const auto number = parse_integer(protocol);
  if (known == std::end(kNames) && (!number || *number > 255)) return std::nullopt;
  flow.protocol =
      static_cast<std::uint8_t>(known != std::end(kNames) ? static_cast<std::uint64_t>(known->protocol) : *number);
  flow.version = source.starts_with('[') ? 6 : 4;
  const bool ends = parse_end(source, flow.version, flow.source, flow.source_port) &&
                    parse_end(target, flow.version, flow.target, flow.target_port);
  return ends ? std::optional(flow) : std::nullopt;
}

std::optional<Flow> flow_of_packet(int link, const std::uint8_t* bytes, std::size_t captured) {
  Part packet{bytes, captured};
  if (!skip_link(link, packet) || packet.left < 20) return std::nullopt;
  const int version = packet.bytes[0] >> 4;
  return version == 4 ? flow_of_ip4(packet) : version == 6 ? flow_of_ip6(packet) : std::nullopt;
}

PcapCount read_pcap(const std::filesystem::path& file, const std::function<void(const Flow&, std::uint32_t)>& found) {
  char problem[PCAP_ERRBUF_SIZE] = "";
  const std::unique_ptr<pcap_t, void (*)(pcap_t*)> capture(pcap_open_offline(file.c_str(), problem), pcap_close);
  if (!capture) throw IoError(fmt::format("{}: cannot be read as a capture: {}", file.string(), problem));
  const int link = pcap_datalink(capture.get());
  PcapCount count;
  for (;;) {
    pcap_pkthdr* head = nullptr;
    const u_char* bytes = nullptr;
    const int result = pcap_next_ex(capture.get(), &head, &bytes);
    if (result == PCAP_ERROR_BREAK) return count;
    if (result != 1) {
      throw IoError(fmt::format("{}: after packet {}: {}", file.string(), count.packets, pcap_geterr(capture.get())));
    }
    ++count.packets;
    if (const auto flow = flow_of_packet(link, bytes, head->caplen)) {
      found(*flow, head->len);
    } else {
      ++count.others;
    }
  }
}

}  // namespace bloomery
