// The flows of a capture file: a set a file, a key a packet.
#include <fmt/format.h>

#include "experiments/data_formats.h"
#include "experiments/errors.h"
#include "experiments/pcap.h"

namespace bloomery {

void read_flows(const Reading& reading) {
  const DataFile& file = reading.file;
  const PcapCount count = read_pcap(
      file.path, [&](const Flow& flow, std::uint32_t) { reading.lot.add(file.set, key_of_bytes(&flow, sizeof flow)); });
  reading.lot.flush();
  if (state_of(file.path) != file.state)
    throw IoError(fmt::format("{}: changed while it was read; run it again", file.path.string()));
  if (reading.progress != nullptr) reading.progress->add(file.state.bytes);
  if (count.packets == count.others)
    reading.notes.add(file.path, 0, "no packet of IP in it; the set is empty and never matches");
  if (count.others > 0 && count.packets > count.others) {
    reading.notes.add(file.path, 0,
                      fmt::format("{} of {} packets are no whole IP and left out", count.others, count.packets));
  }
}

}  // namespace bloomery
