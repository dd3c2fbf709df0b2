#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <map>

#include "experiments/commands.h"
#include "experiments/config_reader.h"
#include "experiments/data_commands.h"
#include "experiments/environment.h"
#include "experiments/errors.h"
#include "experiments/figures.h"
#include "experiments/measure.h"
#include "experiments/progress.h"
#include "experiments/try.h"
#include "experiments/try_index.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

// "try_info_list" for /var/lib/dpkg/info/*.list: words of the path's end.
std::string id_of(const std::string& path) {
  const fs::path name = fs::path(path).lexically_normal();
  const fs::path last = name.has_filename() ? name : name.parent_path();
  const bool pattern = last.filename().string().find_first_of("*?[") != std::string::npos;
  std::string id = "try";
  for (const char c : (pattern ? last.parent_path().filename().string() + "_" : "") + last.filename().string()) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      id += id == "try" ? std::string("_") + c : std::string(1, c);
    } else if (id.back() != '_') {
      id += '_';
    }
  }
  while (id.back() == '_') id.pop_back();
  return id;
}

void write_config(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) throw IoError("cannot write " + file.string());
}

void print_data(const LoadedData& data) {
  const auto seconds = std::max(data.seconds, 1e-9);
  fmt::print("{} sets, {} keys, from {} of {} files in {:.2f} s ({}/s)\n", data.sets.size(), data.sets.all().size(),
             size_text(static_cast<double>(data.bytes)), data.files, data.seconds,
             size_text(static_cast<double>(data.bytes) / seconds));
  std::vector<std::size_t> sizes;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < data.sets.size(); ++i) {
    sizes.push_back(data.sets[i].size());
    if (sizes[i] > sizes[largest]) largest = i;
  }
  const std::size_t most = sizes[largest];
  std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2));
  fmt::print("keys a set: median {}, largest {} ({}); keys are {}{}\n", sizes[sizes.size() / 2], most,
             data.names[largest], data.keys.text(),
             data.repeats > 0 ? fmt::format("; {} repeats in their sets, each counted once", data.repeats) : "");
}

// The structures that fit in memory; the others are named.
std::vector<std::string> structures_that_fit(const fs::path& file, std::uint64_t sets) {
  std::map<std::string, double> needed;
  for (const Unit& unit : make_plan(read_experiment(file, "default"))) {
    needed[unit.structure] = std::max(needed[unit.structure], estimated_bytes(unit));
  }
  std::vector<std::string> kept;
  const auto memory = static_cast<double>(physical_memory());
  for (const std::string& name : structures_to_try(sets)) {
    if (needed[name] <= memory) {
      kept.push_back(name);
    } else {
      fmt::print(stderr, "bloomery: {} is left out: it needs about {} and this machine has {}\n", name,
                 size_text(needed[name]), size_text(memory));
    }
  }
  if (kept.empty()) throw InputError("no structure over these data fits in memory");
  return kept;
}

void print_table(const std::vector<Tried>& all) {
  fmt::print("\n{:<22} {:>10} {:>10} {:>12} {:>14} {:>12} {:>14}\n", "structure", "memory", "build", "query",
             "on all cores", "false rate", "false names");
  const auto micros = [](double seconds) { return seconds > 0 ? fmt::format("{:.3f} µs", seconds * 1e6) : "-"; };
  for (const Tried& one : all) {
    fmt::print("{:<22} {:>10} {:>8.3f} s {:>12} {:>14} {:>12.2g} {:>14.2g}\n", one.series, size_text(one.bytes),
               one.build_seconds, micros(one.seconds), micros(one.seconds_threads), one.rate, one.false_matches);
  }
}

}  // namespace

int try_command(const DataCommandOptions& given) {
  const auto data = load_data(given.data);
  print_data(*data);
  const double rate = given.rate > 0 ? given.rate : usual_rate(data->sets.size());
  const std::string id = id_of(given.data.paths.front());
  const fs::path file = given.results / id / "try.yaml";
  Options options;
  options.paths = {file};
  options.results = given.results;
  options.plots = given.plots;
  options.force = given.force;
  const auto config = [&](const std::vector<std::string>& structures) {
    write_config(file, try_config(id, given.data, *data, rate, available_cores(), structures));
  };
  config(structures_to_try(data->sets.size()));
  config(structures_that_fit(file, data->sets.size()));
  const int measured = run_command(options);
  if (measured == kWrongAnswer) return measured;
  Experiment experiment = read_experiment(file, "default");
  std::vector<Row> rows = read_rows(options.results / id / "rows.csv").rows;
  const std::vector<Row> of_index = index_rows(experiment, rate, options.results / id / "index.bloomery");
  rows.insert(rows.end(), of_index.begin(), of_index.end());
  experiment.series.push_back({kSavedIndex, kSavedIndex, {}, {}});
  const std::vector<Tried> all = tried(rows);
  print_table(all);
  const Advice advice = advise(all, rate);
  fmt::print("\nAsked for: a false positive rate of {:g} a set; half of the queries are keys of the data.\n{}\n", rate,
             advice.text);
  for (const fs::path& drawn : draw_figures(experiment, rows, options.plots / id, ""))
    fmt::print("{}\n", drawn.string());
  fmt::print("The experiment, to change and run again: {}\nThe index, to ask with 'bloomery query': {}\n",
             file.string(), (options.results / id / "index.bloomery").string());
  const bool wrong = std::ranges::any_of(of_index, [](const Row& row) { return row["status"] != "ok"; });
  return wrong ? kWrongAnswer : measured;
}

}  // namespace bloomery
