// How each format is read: one function and one file a format.
#ifndef BLOOMERY_EXPERIMENTS_DATA_FORMATS_H_
#define BLOOMERY_EXPERIMENTS_DATA_FORMATS_H_

#include <string>
#include <vector>

#include "experiments/data.h"

namespace bloomery {

void read_text(const Reading& reading);       // data_text.cc
void read_columns(const Reading& reading);    // data_columns.cc: csv and tsv
void read_sequences(const Reading& reading);  // data_sequences.cc: fasta and fastq
void read_binary(const Reading& reading);     // data_binary.cc
void read_flows(const Reading& reading);      // data_flows.cc: pcap

struct DataFormat {
  std::string name;
  std::vector<std::string> extensions;
  void (*read)(const Reading&);
  bool names_inside;  // sets are named in the files: the files are read one after the other
  bool written_keys;  // keys are text or integers, as the user says
};
const std::vector<DataFormat>& data_format_table();
const DataFormat& find_data_format(const std::string& name);

// By the extension (before .gz), else by the first bytes; throws InputError for what is none of them.
std::string detect_format(const std::filesystem::path& file);

// Splits a line in two; "" or what is wrong with it. Quoted columns are unquoted into `unquoted`.
struct Columns {
  std::string_view set, key;
  std::string unquoted[2];
};
std::string split_columns(std::string_view line, char separator, Columns& columns);

// The key of a text, or a complaint at the place where the reader is.
Key key_or_reject(const ByteReader& input, const KeyEncoding& keys, std::string_view text);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_DATA_FORMATS_H_
