#include "experiments/provenance.h"

#include <algorithm>
#include <utility>

namespace bloomery {
namespace {

// Of ten events, this many: the paper names the kinds and gives no shares.
constexpr std::uint64_t kMade = 4, kSent = 4, kBundled = 1, kEvents = 10;

ProvenanceSpec spec_of(const RunSettings& settings) {
  return {.sites = settings.data.sets,
          .documents = settings.documents,
          .bundle = settings.bundle,
          .seed = settings.data.seed,
          .repeat = settings.data.repeat};
}

class ProvenanceScenario final : public Scenario {
 public:
  explicit ProvenanceScenario(const Unit& unit)
      : unit_(unit),
        settings_(settings_of(unit)),
        entry_(find_structure(unit.structure)),
        world_(spec_of(settings_)),
        executor_(settings_.backend, settings_.threads) {
    if (fits()) structure_ = make_structure_of(unit);
  }

  Row run(std::size_t step, const Timed& timed) override {
    Row row = row_of(unit_, unit_.phases.at(step));
    if (!fits()) return unsupported(std::move(row));
    return step == 0 ? build(std::move(row), timed) : ask(std::move(row), timed);
  }

 private:
  bool fits() const { return entry_.many_sets || settings_.data.sets == 1; }

  Row build(Row row, const Timed& timed) {
    const KeySets sites = world_.site_keys();
    row["n"] = std::to_string(sites.all().size() / std::max<std::size_t>(sites.size(), 1));
    Cost cost;
    timed([&] { cost = structure_->build(sites.view(), executor_); });
    add_maintenance(row, cost, static_cast<double>(sites.size()));
    add_footprint(row, *structure_);
    return row;
  }

  // The messages are counted first; then the same lookups at headquarters are timed alone.
  Row ask(Row row, const Timed& timed) {
    const std::uint64_t queries = settings_.data.queries;
    Random random(settings_.data.seed, settings_.data.repeat, Random::kQueries);
    std::vector<std::vector<Key>> rounds;
    Verdict verdict;
    Cost cost;
    std::uint64_t asked_about = 0;
    for (std::uint64_t i = 0; i < queries; ++i) {
      const auto document = static_cast<Document>(random.below(world_.documents()));
      std::vector<Document> found;
      verdict += trace(document, found, rounds, cost);
      verdict.false_negatives += world_.ancestors(document).size() - found.size();
      asked_about += found.size();
    }
    timed([&] { look_up(rounds); });
    row["n"] = "";
    set_number(row, "ops", static_cast<double>(queries));
    set_number(row, "bf_cost", static_cast<double>(cost.bf_checks) / static_cast<double>(queries));
    add_param(row, "documents_asked_about", std::to_string(asked_about));
    add_verdict(row, verdict);
    return row;
  }

  // Follows a document back to its first ancestors, as far as the index leads; appends what was looked up together.
  Verdict trace(Document document, std::vector<Document>& found, std::vector<std::vector<Key>>& rounds, Cost& cost) {
    Verdict verdict;
    std::vector<Document> frontier = {document};
    found = frontier;
    while (!frontier.empty()) {
      std::vector<Key> keys;
      for (const Document asked : frontier) keys.push_back(world_.key_of(asked));
      matches_.clear();
      cost += structure_->query(keys, matches_);
      std::vector<Document> parents;
      const auto message = [&](Document asked, SetId site) {
        ++verdict.matches;
        verdict.false_positives += !world_.knows(site, asked);
        if (world_.made_at(asked) != site) return;
        parents.insert(parents.end(), world_.parents(asked).begin(), world_.parents(asked).end());
      };
      if (entry_.answers) {
        for (const Match& match : matches_.view()) message(frontier[match.index], match.set);
      } else {
        for (const Document asked : frontier) {
          for (SetId site = 0; site < settings_.data.sets; ++site) message(asked, site);
        }
      }
      rounds.push_back(std::move(keys));
      frontier = add_new(found, std::move(parents));
    }
    return verdict;
  }

  // The documents that are not in `found` yet; they are added to it, which stays sorted.
  static std::vector<Document> add_new(std::vector<Document>& found, std::vector<Document> documents) {
    std::sort(documents.begin(), documents.end());
    documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
    std::vector<Document> fresh;
    std::set_difference(documents.begin(), documents.end(), found.begin(), found.end(), std::back_inserter(fresh));
    const auto middle = found.insert(found.end(), fresh.begin(), fresh.end());
    std::inplace_merge(found.begin(), middle, found.end());
    return fresh;
  }

  void look_up(const std::vector<std::vector<Key>>& rounds) {
    for (const std::vector<Key>& keys : rounds) {
      matches_.clear();
      structure_->query_timed(keys, matches_);
    }
  }

  const Unit& unit_;
  const RunSettings settings_;
  const RegistryEntry& entry_;
  const DocumentWorld world_;
  const Executor executor_;
  std::unique_ptr<AnyStructure> structure_;
  Matches matches_;
};

}  // namespace

DocumentWorld::DocumentWorld(const ProvenanceSpec& spec) : seen_by_(spec.sites) {
  Random random(spec.seed, spec.repeat, Random::kDocuments);
  first_key_ = random.next();
  while (documents() < spec.documents) {
    const auto site = static_cast<SetId>(random.below(spec.sites));
    const std::vector<Document>& seen = seen_by_[site];
    const auto any = [&] { return seen[random.below(seen.size())]; };
    const std::uint64_t event = random.below(kEvents);
    if (event < kMade || seen.empty()) {
      make(site, {});
    } else if (event < kMade + kSent) {
      learn(static_cast<SetId>(random.below(spec.sites)), any());
    } else if (event < kMade + kSent + kBundled) {
      std::vector<Document> parts;
      for (std::uint64_t i = 0; i < spec.bundle; ++i) parts.push_back(any());
      make(site, std::move(parts));
    } else {
      const Document whole = any();
      for (std::uint64_t i = 0; i < spec.bundle && documents() < spec.documents; ++i) make(site, {whole});
    }
  }
}

Document DocumentWorld::make(SetId site, std::vector<Document> parents) {
  const auto document = static_cast<Document>(documents());
  made_at_.push_back(site);
  parents_.push_back(std::move(parents));
  known_at_.emplace_back();
  learn(site, document);
  return document;
}

void DocumentWorld::learn(SetId site, Document document) {
  std::vector<SetId>& sites = known_at_[document];
  const auto place = std::lower_bound(sites.begin(), sites.end(), site);
  if (place != sites.end() && *place == site) return;
  sites.insert(place, site);
  seen_by_[site].push_back(document);
}

// One-to-one, so that no two documents share a key.
Key DocumentWorld::key_of(Document document) const { return mix(first_key_ + document); }

bool DocumentWorld::knows(SetId site, Document document) const {
  return std::binary_search(known_at_[document].begin(), known_at_[document].end(), site);
}

KeySets DocumentWorld::site_keys() const {
  std::vector<Key> keys;
  std::vector<std::size_t> offsets = {0};
  for (const std::vector<Document>& seen : seen_by_) {
    for (const Document document : seen) keys.push_back(key_of(document));
    offsets.push_back(keys.size());
  }
  return KeySets(std::move(keys), std::move(offsets));
}

std::vector<Document> DocumentWorld::ancestors(Document document) const {
  std::vector<char> reached(document + 1);  // parents are older and so have smaller numbers
  reached[document] = 1;
  std::vector<Document> result;
  for (Document d = document + 1; d-- > 0;) {
    if (!reached[d]) continue;
    result.push_back(d);
    for (const Document parent : parents_[d]) reached[parent] = 1;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<std::string> provenance_steps(const Unit& unit) { return unit.phases; }

std::unique_ptr<Scenario> start_provenance(const Unit& unit, Inputs&) {
  return std::make_unique<ProvenanceScenario>(unit);
}

}  // namespace bloomery
