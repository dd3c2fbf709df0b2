// What a user says about data of their own.
#ifndef BLOOMERY_EXPERIMENTS_DATA_OPTIONS_H_
#define BLOOMERY_EXPERIMENTS_DATA_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace bloomery {

// See docs/data.md. "auto" is decided by the files' names and their first bytes.
struct DataOptions {
  std::vector<std::string> paths = {};  // files, folders and glob patterns; none: the workload is synthetic
  std::string format = "auto";          // of data_formats()
  std::string keys = "auto";            // how a key is written: of key_kinds()
  std::uint64_t kmer = 31;              // bases a key of FASTA and FASTQ has
  bool canonical = true;                // a k-mer and its reverse complement are one key
  std::string offsets = {};             // of a binary file; by default its name with .offsets
  std::string queries = {};             // a file of keys to search for; by default they are drawn from the data

  bool given() const { return !paths.empty(); }
  friend bool operator==(const DataOptions&, const DataOptions&) = default;
};

const std::vector<std::string>& data_formats();  // auto, text, csv, tsv, fasta, fastq, binary, pcap
const std::vector<std::string>& key_kinds();     // auto, text, integer, hex

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_DATA_OPTIONS_H_
