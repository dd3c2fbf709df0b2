// The application of the Bloofi paper's section 2: where does a document come from?
//
// Sites make documents, send them to each other, bundle several into a new one and split one into several. Each site
// knows the documents that it has seen, and a filter of them is at headquarters. A provenance query asks every site that
// may know the document, learns its parents from the site that made it, and goes on with those until none is new.
#ifndef BLOOMERY_EXPERIMENTS_PROVENANCE_H_
#define BLOOMERY_EXPERIMENTS_PROVENANCE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "experiments/phases.h"

namespace bloomery {

struct ProvenanceSpec {
  std::uint64_t sites = 100;
  std::uint64_t documents = 10000;
  std::uint64_t bundle = 3;  // documents bundled into one; parts that one is split into
  std::uint64_t seed = 1;
  std::uint64_t repeat = 0;
};

using Document = std::uint32_t;  // a number; key_of() gives its universally unique identifier

// The documents of a corporation and who knows them.
class DocumentWorld {
 public:
  explicit DocumentWorld(const ProvenanceSpec& spec);

  std::size_t documents() const { return made_at_.size(); }
  Key key_of(Document document) const;
  SetId made_at(Document document) const { return made_at_[document]; }
  const std::vector<Document>& parents(Document document) const { return parents_[document]; }
  bool knows(SetId site, Document document) const;
  KeySets site_keys() const;                              // set i: the keys of what site i knows
  std::vector<Document> ancestors(Document document) const;  // itself included, sorted

 private:
  Document make(SetId site, std::vector<Document> parents);
  void learn(SetId site, Document document);

  std::uint64_t first_key_;
  std::vector<SetId> made_at_;
  std::vector<std::vector<Document>> parents_;
  std::vector<std::vector<SetId>> known_at_;         // by document, sorted
  std::vector<std::vector<Document>> seen_by_;       // by site
};

// Two steps, build and provenance. The structure `null`, which answers nothing, stands for having no index: every site
// is asked. Columns of a provenance row: ops = queries, matches = messages sent, false_positives = messages to sites
// that do not know the document, false_negatives = ancestors never found.
std::vector<std::string> provenance_steps(const Unit& unit);
std::unique_ptr<Scenario> start_provenance(const Unit& unit, Inputs& inputs);

}  // namespace bloomery

#endif  // BLOOMERY_EXPERIMENTS_PROVENANCE_H_
