#include "experiments/trace.h"

#include <fmt/format.h>
#include <pcap/pcap.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>

#include "experiments/errors.h"

namespace bloomery {
namespace {

using Bytes = std::span<const std::uint8_t>;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw InputError(fmt::format("trace {}: {}", file.string(), what));
}

std::uint16_t big_endian(Bytes bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

// What stands before the packet of the network; nothing for a kind of link that is not known here.
std::optional<std::size_t> link_header(int link) {
  switch (link) {
    case DLT_EN10MB:
      return 14;
    case DLT_LINUX_SLL:
      return 16;
    case DLT_NULL:
      return 4;
    case DLT_RAW:
      return 0;
    default:
      return std::nullopt;
  }
}

// Behind the link's header and any tags of virtual networks.
Bytes network_packet(Bytes frame, int link) {
  std::size_t header = *link_header(link);
  while (link == DLT_EN10MB && header + 4 <= frame.size() &&
         (big_endian(frame, header - 2) == 0x8100 || big_endian(frame, header - 2) == 0x88a8)) {
    header += 4;
  }
  return frame.size() < header ? Bytes() : frame.subspan(header);
}

// Addresses, protocol and, where there are any and they were captured, ports.
std::optional<std::uint64_t> flow_of(Bytes packet) {
  if (packet.empty()) return std::nullopt;
  const unsigned version = packet[0] >> 4;
  const std::size_t addresses = version == 4 ? 12 : 8, length = version == 4 ? 8 : 32;
  const std::size_t header = version == 4 ? std::size_t{4} * (packet[0] & 15U) : 40;
  if ((version != 4 && version != 6) || packet.size() < header || header < addresses + length) return std::nullopt;
  const std::uint8_t protocol = version == 4 ? packet[9] : packet[6];
  std::array<std::uint8_t, 37> flow{};  // the longest: two addresses of 16 bytes, protocol, two ports
  std::memcpy(flow.data(), packet.data() + addresses, length);
  flow[32] = protocol;
  constexpr std::uint8_t kTcp = 6, kUdp = 17;
  const bool fragment = version == 4 && (big_endian(packet, 6) & 0x1fffU) != 0;  // a later one has no ports
  if ((protocol == kTcp || protocol == kUdp) && !fragment && packet.size() >= header + 4) {
    std::memcpy(flow.data() + 33, packet.data() + header, 4);
  }
  return XXH3_64bits_withSeed(flow.data(), flow.size(), version);
}

}  // namespace

std::vector<Key> read_trace(const std::filesystem::path& file, PacketKey by) {
  std::array<char, PCAP_ERRBUF_SIZE> why{};
  const std::unique_ptr<pcap_t, decltype(&pcap_close)> capture(pcap_open_offline(file.c_str(), why.data()), pcap_close);
  if (!capture) refuse(file, fmt::format("cannot be read as a capture: {}", why.data()));
  const int link = pcap_datalink(capture.get());
  if (by == PacketKey::kFlow && !link_header(link)) {
    refuse(file, fmt::format("flows cannot be told in a capture of link type {}; take trace_key: packet", link));
  }
  std::vector<Key> keys;
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  int more = 0;
  while ((more = pcap_next_ex(capture.get(), &header, &data)) == 1) {
    const Bytes frame(data, header->caplen);
    if (by == PacketKey::kPacket) {
      keys.push_back(XXH3_64bits_withSeed(frame.data(), frame.size(), header->len));
    } else if (const auto flow = flow_of(network_packet(frame, link))) {
      keys.push_back(*flow);
    }
  }
  if (more == PCAP_ERROR) {
    refuse(file, fmt::format("is cut short or damaged after {} packets: {}", keys.size(), pcap_geterr(capture.get())));
  }
  if (keys.empty()) refuse(file, by == PacketKey::kFlow ? "has no IP packet" : "has no packet");
  return keys;
}

std::vector<Key> made_up_trace(std::uint64_t different, Random random) {
  std::vector<Key> trace;
  trace.reserve(2 * different + 1);
  for (std::uint64_t made = 0; made < different;) {
    const bool repeat = !trace.empty() && random.below(2) == 0;
    trace.push_back(repeat ? trace[random.below(trace.size())] : mix(++made));
  }
  return trace;
}

std::vector<Key> sampled_keys(std::vector<Key> trace, Random random) {
  shuffle(trace, random);
  std::unordered_set<Key> seen;
  seen.reserve(trace.size());
  std::erase_if(trace, [&](Key key) { return !seen.insert(key).second; });
  return trace;
}

}  // namespace bloomery
