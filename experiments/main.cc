// The program: its subcommands.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "experiments/commands.h"
#include "experiments/compare_command.h"
#include "experiments/data_commands.h"
#include "experiments/errors.h"
#include "experiments/gate.h"
#include "experiments/shards.h"
#include "experiments/subcommand.h"

namespace {

int run(int argc, char** argv) {
  bloomery::Options options;
  bloomery::Chosen chosen;
  CLI::App app{"Benchmarks of Bloom filters and of indexes over many of them", "bloomery"};
  app.require_subcommand(1);
  app.footer(bloomery::exit_codes());
  const auto add = [&](const char* name, const char* about, int (*command)(const bloomery::Options&)) {
    return app.add_subcommand(name, about)->parse_complete_callback([&chosen, &options, command] {
      chosen = [&options, command] { return command(options); };
    });
  };
  CLI::App* measure = add("run", "measure what is missing", bloomery::run_command);
  bloomery::add_config_options(*measure, options);
  bloomery::add_run_options(*measure, options);
  bloomery::add_config_options(*add("plot", "draw the figures from the rows", bloomery::plot_command), options);
  bloomery::add_config_options(*add("claims", "check the papers' claims against the rows", bloomery::claims_command),
                               options);
  CLI::App* report = add("report", "write one page with every figure", bloomery::report_command);
  bloomery::add_config_options(*report, options);
  bloomery::add_report_options(*report, options);
  bloomery::add_config_options(*add("validate", "check every profile", bloomery::validate_command), options);
  CLI::App* optimize = add("optimize", "search for the settings of a BloomTree", bloomery::optimize_command);
  bloomery::add_set_option(*optimize, options);
  bloomery::add_folder_options(*optimize, options);
  CLI::App* list = add("list", "list what there is", bloomery::list_command);
  list->add_option("what", options.what, "what to list")
      ->default_val("experiments")
      ->check(CLI::IsMember({"structures", "experiments", "figures", "metrics", "settings"}));
  bloomery::add_config_options(*list, options);
  bloomery::add_merge_options(*add("merge", "join the rows of runs in parts", bloomery::merge_command), options);
  CLI::App* slurm = add("slurm", "print a script for sbatch that runs in parts", bloomery::slurm_command);
  bloomery::add_config_options(*slurm, options);
  bloomery::add_slurm_options(*slurm, options);
  add("describe", "parameters of a structure", bloomery::describe_command)
      ->add_option("structure", options.what, "its name")
      ->required();
  bloomery::add_compare_command(app, chosen);
  bloomery::add_gate_commands(app, chosen);
  bloomery::add_data_commands(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? bloomery::kOk : bloomery::kBadInput;
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) try {
  return run(argc, argv);
} catch (const bloomery::IoError& e) {
  fmt::print(stderr, "bloomery: {}\n", e.what());
  return bloomery::kIoError;
} catch (const std::exception& e) {
  fmt::print(stderr, "bloomery: {}\n", e.what());
  return bloomery::kBadInput;
}
