#include "experiments/try_index.h"

#include <chrono>
#include <map>
#include <memory>

#include "experiments/data_load.h"
#include "experiments/phases.h"
#include "experiments/verify.h"
#include "structures/index_writer.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

IndexFile make_index(const LoadedData& data, double rate, const Executor& executor, const std::filesystem::path& file) {
  std::vector<NewSet> sets;
  for (std::size_t i = 0; i < data.sets.size(); ++i) sets.push_back({data.names[i], data.sets[i].size()});
  const IndexShape shape = {index_hashes_for(rate), 1, data.keys.text()};
  IndexWriter writer = IndexWriter::create(file.string(), shape, std::move(sets));
  executor.for_chunks(data.sets.size(), 1, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) writer.insert(i, data.sets[i]);
  });
  writer.commit();
  return IndexFile(file.string());
}

// Timed in batches over the threads, with a round before it that warms caches and maps pages.
double search_seconds(const IndexFile& index, Keys queries, const Executor& executor, std::size_t batch) {
  std::vector<std::unique_ptr<Matches>> lanes;
  for (int i = 0; i < executor.threads(); ++i) lanes.push_back(std::make_unique<Matches>());
  const auto round = [&] {
    const auto start = Clock::now();
    executor.for_chunks(queries.size(), batch, [&](std::size_t begin, std::size_t end, int worker) {
      Matches& matches = *lanes[static_cast<std::size_t>(worker)];
      matches.clear();
      index.query<false>(queries.subspan(begin, end - begin), matches);
    });
    return seconds_since(start);
  };
  round();
  return round();
}

Counted count_answers(const IndexFile& index, Keys queries, const Answers& answers) {
  constexpr std::size_t kBatch = 256;
  Counted counted;
  Matches matches;
  for (std::size_t begin = 0; begin < queries.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, queries.size() - begin);
    matches.clear();
    counted.cost += index.query<true>(queries.subspan(begin, count), matches);
    counted.verdict += answers.judge(begin, count, matches);
  }
  return counted;
}

Row row_of_index(Unit unit, const std::string& phase, const IndexFile& index, double ops, double seconds) {
  unit.series = unit.structure = kSavedIndex;
  unit.settings.erase("m");
  unit.settings["k"] = std::to_string(index.shape().k);
  Row row = row_of(unit, phase);
  row["nodes"] = std::to_string(index.size());
  row["storage_bytes"] = std::to_string(index.bytes());
  row["memory_bytes"] = std::to_string(index.bytes() + index.memory_bytes());
  set_number(row, "ops", ops);
  set_number(row, "seconds", seconds);
  set_number(row, "ns_per_op", seconds * 1e9 / ops);
  return row;
}

}  // namespace

std::vector<Row> index_rows(const Experiment& experiment, double rate, const std::filesystem::path& file) {
  const auto data = load_data(experiment.data);
  std::vector<Row> rows;
  Inputs inputs;
  for (const Unit& unit : make_plan(experiment)) {
    if (unit.series != experiment.series.front().name) continue;  // a unit a point and repetition
    const RunSettings settings = settings_of(unit);
    const Executor executor(settings.backend, settings.threads);
    const auto workload = inputs.workload(settings.data);
    const auto answers = inputs.answers(settings.data);
    const auto start = Clock::now();
    const IndexFile index = make_index(*data, rate, executor, file);
    rows.push_back(row_of_index(unit, "build", index, static_cast<double>(index.size()), seconds_since(start)));
    const double seconds = search_seconds(index, workload->queries, executor, settings.batch);
    Row row = row_of_index(unit, "search", index, static_cast<double>(workload->queries.size()), seconds);
    const Counted counted = count_answers(index, workload->queries, *answers);
    add_verdict(row, counted.verdict);
    set_number(row, "words", static_cast<double>(counted.cost.words) / static_cast<double>(workload->queries.size()));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace bloomery
