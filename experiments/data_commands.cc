#include "experiments/data_commands.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace bloomery {
namespace {

CLI::App& add(CLI::App& app, Chosen& chosen, const std::shared_ptr<DataCommandOptions>& kept, const char* name,
              const char* about, int (*command)(const DataCommandOptions&)) {
  return *app.add_subcommand(name, about)->parse_complete_callback([&chosen, kept, command] {
    chosen = [kept, command] { return command(*kept); };
  });
}

void add_format_options(CLI::App& command, DataOptions& data) {
  command.add_option("--format", data.format, "text, csv, tsv, fasta, fastq, binary or pcap; else by name and content");
  command.add_option("--keys", data.keys, "how keys are written: text, integer or hex; else by the first lines");
  command.add_option("--kmer", data.kmer, "bases of a key of FASTA and FASTQ")->capture_default_str();
  command.add_flag("!--as-written", data.canonical, "a k-mer and its reverse complement are two keys");
  command.add_option("--offsets", data.offsets, "where the sets of a binary file begin");
}

void add_data_options(CLI::App& command, DataCommandOptions& options) {
  command.add_option("data", options.data.paths, "files, folders or patterns")->required();
  command.add_option("--rate", options.rate, "false positive rate of a set; else a false name in ten answers")
      ->check(CLI::Range(1e-18, 0.5));
  add_format_options(command, options.data);
}

}  // namespace

void add_data_commands(CLI::App& app, Chosen& chosen) {
  const auto kept = std::make_shared<DataCommandOptions>();
  DataCommandOptions& options = *kept;
  CLI::App& attempt = add(app, chosen, kept, "try", "measure every structure over your own data", try_command);
  add_data_options(attempt, options);
  attempt.add_option("--queries", options.data.queries,
                     "a file of keys to search for; else half of them from the data");
  attempt.add_option("--results", options.results, "folder of the rows")->capture_default_str();
  attempt.add_option("--plots", options.plots, "folder of the figure")->capture_default_str();
  attempt.add_flag("--force", options.force, "measure again what is already there");

  CLI::App& build = add(app, chosen, kept, "build", "make an index file of your own data", build_command);
  add_data_options(build, options);
  build.add_option("-o,--output", options.index, "the index file")->required();

  CLI::App& query = add(app, chosen, kept, "query", "which sets of an index may hold a key", query_command);
  query.add_option("index", options.index, "an index file")->required();
  query.add_option("keys", options.words, "keys, or - to read them from stdin, one a line")->required();
  query.add_flag("--verify", options.verify, "check all of the file first; files up to 64 MiB always are");

  CLI::App& index = add(app, chosen, kept, "index", "list, check and change the sets of an index", index_command);
  index.add_option("action", options.action, "what to do with its sets")
      ->required()
      ->check(CLI::IsMember({"list", "verify", "add", "replace", "remove"}));
  index.add_option("index", options.index, "an index file")->required();
  index.add_option("data", options.words, "add, replace: files, folders or patterns; remove: names of sets");
  add_format_options(index, options.data);
}

}  // namespace bloomery
