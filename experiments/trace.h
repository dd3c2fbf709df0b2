// Packets as keys: from a capture file of the user's, or made up.
#ifndef BLOOMERY_EXPERIMENTS_TRACE_H_
#define BLOOMERY_EXPERIMENTS_TRACE_H_

#include <cstdint>
#include <filesystem>
#include <vector>

#include "experiments/workload.h"

namespace bloomery {

// What makes two packets the same: all their captured bytes and their length, or addresses, protocol and ports.
enum class PacketKey { kPacket, kFlow };

// A key a packet, in the order of the file, repeats included. By flow, packets that are not IP are left out. Throws
// InputError that names the file for one that is no capture, is cut short, or has no packet.
std::vector<Key> read_trace(const std::filesystem::path& file, PacketKey by);

// So many different keys, with repeats: every second packet repeats an earlier one, each of those as likely as any
// other, which makes some keys far more frequent than others (Simon's process; a tail of a power law).
std::vector<Key> made_up_trace(std::uint64_t different, Random random);

// The different keys of a trace in the order in which sampling its packets at random finds them.
std::vector<Key> sampled_keys(std::vector<Key> trace, Random random);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_TRACE_H_
