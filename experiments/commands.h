// What the subcommands of the program do. Each returns an exit code (errors.h) and throws InputError or IoError.
#ifndef BLOOMERY_EXPERIMENTS_COMMANDS_H_
#define BLOOMERY_EXPERIMENTS_COMMANDS_H_

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bloomery {

struct Options {
  std::vector<std::filesystem::path> paths = {"configs"};  // files, or folders of them
  std::string profile = "default";
  std::vector<std::string> set;  // key=value
  std::string only;              // an experiment or a figure
  std::filesystem::path results = "results";
  std::filesystem::path plots = "plots";
  bool force = false;
  bool dry_run = false;
  bool markdown = false;  // report: its summary to the output instead of the page
  std::string shard;                        // run: i/n, one of n parts
  bool share_host = false;                  // run: beside other measurements
  std::vector<std::filesystem::path> from;  // merge: folders of results
  std::size_t tasks = 16;                   // slurm: parts at most
  std::string time;                         // slurm: limit of each
  std::string what;  // list: structures, experiments, ...; describe: a structure
};

int run_command(const Options& options);       // measures what is missing
int plot_command(const Options& options);      // rows into figures
int claims_command(const Options& options);    // what the rows say of the papers' claims
int report_command(const Options& options);    // figures into one page
int validate_command(const Options& options);  // every profile of every config, measuring nothing
int optimize_command(const Options& options);  // searches for settings of a BloomTree
int list_command(const Options& options);
int describe_command(const Options& options);

void add_config_options(CLI::App& command, Options& options);  // what every command that reads configs takes
void add_set_option(CLI::App& command, Options& options);
void add_folder_options(CLI::App& command, Options& options);
void add_run_options(CLI::App& command, Options& options);
void add_report_options(CLI::App& command, Options& options);

// For --help.
std::string exit_codes();

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_COMMANDS_H_
