// What the tests of filters of one set share: rates measured and expected, growth beside an exact set, refused params.
#ifndef BLOOMERY_TESTS_STRUCTURES_RATES_H_
#define BLOOMERY_TESTS_STRUCTURES_RATES_H_

#include <cmath>
#include <unordered_set>

#include "structures/theory.h"
#include "tests/structures/support.h"

namespace bloomery::test {

// Of random 64-bit keys, none of which (all but certainly) was inserted.
template <class Filter>
double measured_rate(const Filter& filter, std::size_t queries) {
  const std::vector<Key> keys = random_keys(queries, 0xfa15e);
  Matches out;
  filter.template query<false>(keys, out);
  return static_cast<double>(out.size()) / static_cast<double>(queries);
}

inline double binomial_deviation(double rate, double trials) { return std::sqrt(rate * (1 - rate) / trials); }

// Of the rate of one filter of m bits with n keys from that of another: k rate / fill times that of the share of bits set.
inline double rate_deviation(double m, double k, double n) {
  const double c = k * n / m, empty = std::exp(-c);
  return k * false_positive_rate(m, k, n) / (1 - empty) * std::sqrt(empty * (1 - (1 + c) * empty) / m);
}

// Batches of random sizes, some keys twice; after each batch every key of the exact set is found.
inline void grow_against_an_exact_set(const Variant& variant, std::size_t keys) {
  SCOPED_TRACE(name_of(variant));
  const auto structure = make_variant(variant);
  std::mt19937_64 random(9);
  std::unordered_set<Key> exact;
  while (exact.size() < keys) {
    std::vector<Key> batch = random_keys(random() % 150, random());
    if (!batch.empty() && random() % 2 == 0) batch.push_back(batch.front());
    if (!exact.empty() && random() % 2 == 0) batch.push_back(*exact.begin());
    structure->insert(0, batch);
    exact.insert(batch.begin(), batch.end());
    const std::vector<Key> all(exact.begin(), exact.end());
    ASSERT_EQ(query(*structure, all).size(), all.size());
    ASSERT_EQ(structure->validate(), "");
  }
}

// A ParamError about that parameter.
inline void expect_refused(const std::string& structure, const ParamMap& params, const std::string& name) {
  try {
    make_variant({structure, params});
    ADD_FAILURE() << structure << " accepts a bad " << name;
  } catch (const ParamError& error) {
    EXPECT_EQ(error.name(), name) << error.what();
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
  }
}

}  // namespace bloomery::test

#endif  // BLOOMERY_TESTS_STRUCTURES_RATES_H_
