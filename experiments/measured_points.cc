#include "experiments/measured_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/stats.h"
#include "structures/registry.h"

namespace bloomery {
namespace {

using Parameters = std::map<std::string, std::string>;

// About the size of a structure, which the advisor reads off what was measured, or about chance.
bool about_size(const std::string& parameter) {
  static const std::set<std::string> kNames = {"rho", "rho_1", "n_exp", "c", "k", "m", "m_levels", "seed", "tie_seed"};
  return kNames.contains(parameter);
}

// A structure as these rows name its parameters; nothing if the rows are of a structure that is gone.
const RegistryEntry* entry_of(const Row& row) {
  const auto found = std::ranges::find(registry(), row["structure"], &RegistryEntry::name);
  return found == registry().end() ? nullptr : &*found;
}

class Catalogue {
 public:
  // Index of the variant that a row is of.
  std::size_t variant_of(const Row& row, const RegistryEntry& entry) {
    Parameters own;
    for (const ParamSpec& spec : specs_of(entry)) {
      const std::string value = row.get(spec.name);
      if (!about_size(spec.name) && !value.empty() && value != spec.default_value) own[spec.name] = value;
    }
    const auto [place, fresh] = index_.try_emplace({entry.name, own}, variants_.size());
    if (fresh) variants_.push_back(describe_variant(entry, own));
    return place->second;
  }

  Variant& operator[](std::size_t index) { return variants_[index]; }
  std::vector<Variant> take() { return std::move(variants_); }

 private:
  const std::vector<ParamSpec>& specs_of(const RegistryEntry& entry) {
    auto& specs = specs_[entry.name];
    if (specs.empty()) specs = describe(entry);
    return specs;
  }

  static Variant describe_variant(const RegistryEntry& entry, const Parameters& own) {
    Variant variant{entry.name, "", entry.many_sets, false, false, {}};
    for (const auto& [name, value] : own) {
      variant.parameters += fmt::format("{}{}={}", variant.parameters.empty() ? "" : ", ", name, value);
    }
    try {
      const auto structure = make_structure(entry.name, Params(own));
      variant.concurrent_inserts =
          structure->concurrent_insert() && !(own.contains("atomic") && own.at("atomic") == "false");
      variant.concurrent_maintenance = structure->concurrent_maintenance();
    } catch (const ParamError&) {  // rows of another version: promise nothing
    }
    return variant;
  }

  std::map<std::pair<std::string, Parameters>, std::size_t> index_;
  std::map<std::string, std::vector<ParamSpec>> specs_;
  std::vector<Variant> variants_;
};

// The rows of one structure in one repetition.
struct RowsOfUnit {
  const Row* build = nullptr;
  std::map<std::string, const Row*> others;  // by phase
  bool wrong = false;
};

// In the order of the file, so that the report is the same for the same rows.
std::vector<RowsOfUnit> units_of(const std::vector<Row>& rows) {
  std::map<std::string, std::size_t> index;
  std::vector<RowsOfUnit> units;
  for (const Row& row : rows) {
    const auto [place, fresh] = index.try_emplace(row["run_id"], units.size());
    if (fresh) units.emplace_back();
    RowsOfUnit& unit = units[place->second];
    if (row["phase"] == "build") unit.build = &row;
    if (row["phase"] != "build") unit.others[row["phase"]] = &row;
    unit.wrong = unit.wrong || row["status"] == "false_negative" || row["status"] == "error" ||
                 row.number("false_negatives").value_or(0) > 0 || row.number("lost").value_or(0) > 0;
  }
  return units;
}

bool is_plain(const Row& build) {
  const bool races = build.get("atomic") == "false" && build.number("threads").value_or(1) > 1;
  const std::string distribution = build["distribution"];
  return build["status"] == "ok" && build.get("after_updates") != "true" && !races &&
         (distribution.empty() || distribution == "nonrandom");
}

// Samples of one point, before their medians are taken.
struct Samples {
  std::map<std::string, std::vector<double>> values;
  double false_positives = 0, trials = 0;
  int repetitions = 0;

  void add(const std::string& name, std::optional<double> value) {
    if (value && std::isfinite(*value)) values[name].push_back(*value);
  }
  std::optional<double> median(const std::string& name) const {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(summarize(found->second).median);
  }
};

// What must agree for two units to have measured the same: variant, workload, backend, bits a key, hash functions.
using Identity = std::tuple<std::size_t, Workload, std::string, double, std::optional<double>>;

Workload workload_of(const Row& build, const Row& search) {
  return {build.number("N").value_or(1), build.number("n").value_or(0), search.number("hit_rate").value_or(0),
          build.number("threads").value_or(1), build.number("batch").value_or(1)};
}

// Of the filter of a set where a structure of many sets has such filters, else of all that is stored.
double bits_of(const Row& build, bool many_sets, const Workload& workload) {
  const double bits = many_sets && build.number("m") ? *build.number("m") * workload.sets
                                                     : build.number("storage_bytes").value_or(0) * 8;
  const double a_key = bits / (workload.sets * workload.keys);
  constexpr double kDigits = 100;  // sizes are rounded to whole words and blocks
  if (!(a_key > 0)) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(a_key))) / kDigits;
  return std::round(a_key / unit) * unit;
}

void add_samples(const RowsOfUnit& unit, const Row& search, bool many_sets, Samples& samples) {
  const Row& build = *unit.build;
  ++samples.repetitions;
  samples.add("search", search.number("ns_per_op"));
  samples.add("storage", build.number("storage_bytes"));
  samples.add("memory", build.number("memory_bytes"));
  if (!many_sets) samples.add("fill", build.number("ns_per_op"));
  for (const char* phase : {"insert", "update", "erase"}) {
    const auto row = unit.others.find(phase);
    if (row != unit.others.end() && (*row->second)["status"] == "ok")
      samples.add(phase, row->second->number("ns_per_op"));
  }
  const auto wrong = search.number("false_positives"), matches = search.number("matches"), ops = search.number("ops");
  if (!wrong || !matches || !ops) return;
  samples.false_positives += *wrong;
  samples.trials += std::max(0.0, *ops * build.number("N").value_or(1) - (*matches - *wrong));
}

MeasuredPoint point_of(const Identity& identity, const Samples& samples) {
  MeasuredPoint point;
  std::tie(point.variant, point.workload, point.backend, point.bits, point.k) = identity;
  point.search_ns = samples.median("search").value_or(0);
  point.storage_bytes = samples.median("storage").value_or(0);
  point.memory_bytes = samples.median("memory").value_or(0);
  point.fill_ns = samples.median("fill");
  point.insert_ns = samples.median("insert");
  point.update_ns = samples.median("update");
  point.erase_ns = samples.median("erase");
  point.false_positives = samples.false_positives;
  point.trials = samples.trials;
  point.repetitions = samples.repetitions;
  return point;
}

std::set<std::string> wrong_structures(const std::vector<RowsOfUnit>& units) {
  std::set<std::string> names;
  for (const RowsOfUnit& unit : units) {
    if (unit.wrong && unit.build && unit.build->get("atomic") != "false") names.insert((*unit.build)["structure"]);
  }
  return names;
}

}  // namespace

MeasuredPoints measured_points(const std::vector<const std::vector<Row>*>& experiments) {
  Catalogue catalogue;
  std::map<Identity, Samples> found;
  std::vector<RowsOfUnit> units;
  for (const std::vector<Row>* rows : experiments) std::ranges::move(units_of(*rows), std::back_inserter(units));
  const std::set<std::string> wrong = wrong_structures(units);
  for (const RowsOfUnit& unit : units) {
    const auto search = unit.others.find("search");
    if (!unit.build || unit.wrong || search == unit.others.end() || (*search->second)["status"] != "ok") continue;
    const RegistryEntry* entry = entry_of(*unit.build);
    if (!entry || !entry->answers || wrong.contains(entry->name) || !is_plain(*unit.build)) continue;
    const std::size_t variant = catalogue.variant_of(*unit.build, *entry);
    for (const auto& [phase, row] : unit.others) {
      if ((*row)["status"] == "unsupported") catalogue[variant].unsupported.insert(phase);
    }
    const Workload workload = workload_of(*unit.build, *search->second);
    if (workload.sets <= 0 || workload.keys <= 0) continue;
    const Identity identity = {variant, workload, (*unit.build)["backend"],
                               bits_of(*unit.build, entry->many_sets, workload), unit.build->number("k")};
    add_samples(unit, *search->second, entry->many_sets, found[identity]);
  }
  MeasuredPoints result{catalogue.take(), {}};
  for (const auto& [identity, samples] : found) result.points.push_back(point_of(identity, samples));
  return result;
}

}  // namespace bloomery
