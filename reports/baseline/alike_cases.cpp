// SPDX-License-Identifier: Apache-2.0
#include "reports/baseline/alike_cases.h"

#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace gradproof {
namespace {

constexpr const char* kMutant = "mutant";
constexpr const char* kSeed = "seed";

std::vector<std::string> words_of(const std::string& case_text) {
  std::istringstream text(case_text);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

std::string without(const std::string& case_text, const std::string& key) {
  std::string rest;
  for (const std::string& word : words_of(case_text))
    if (!word.starts_with(key + "=")) rest += word + " ";
  return rest;
}

/// Pairs of places, in `added` and in `missing`, of one tensor of Cases alike but for the key.
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Pairs pairs_without(const std::string& key, const std::vector<const Record*>& added,
                    const std::vector<BaselineEntry>& missing) {
  std::multimap<std::pair<std::string, std::string>, std::size_t> open;
  for (std::size_t k = 0; k < missing.size(); ++k)
    open.insert({{without(missing[k].case_text, key), missing[k].tensor}, k});
  Pairs pairs;
  for (std::size_t i = 0; i < added.size(); ++i) {
    const auto found = open.find({without(added[i]->case_text, key), added[i]->tensor});
    if (found == open.end()) continue;
    pairs.emplace_back(i, found->second);
    open.erase(found);
  }
  return pairs;
}

}  // namespace

AlikeMatch match_alike(const std::vector<const Record*>& added,
                       const std::vector<BaselineEntry>& missing) {
  AlikeMatch match;
  Pairs best;
  for (const char* key : {kMutant, kSeed})
    if (Pairs pairs = pairs_without(key, added, missing); pairs.size() > best.size()) {
      best = std::move(pairs);
      match.alike = {key, std::ssize(best), std::string(key) == kMutant};
    }
  std::set<std::size_t> paired_added, paired_missing;
  for (const auto& [i, k] : best) {
    paired_added.insert(i);
    paired_missing.insert(k);
    if (match.alike.compared)
      match.compared.emplace_back(missing[k], added[i]);
    else
      match.left_out.push_back(added[i]);
  }
  for (std::size_t i = 0; i < added.size(); ++i)
    if (!paired_added.contains(i)) match.added.push_back(added[i]);
  for (std::size_t k = 0; k < missing.size(); ++k)
    if (!paired_missing.contains(k)) match.missing.push_back(missing[k]);
  return match;
}

std::string kernel_of(const std::string& case_text) {
  std::string kernel;
  for (const std::string& word : words_of(case_text))
    if (kernel.empty())
      kernel = word;
    else if (word.starts_with("mutant=") && word != "mutant=none")
      kernel += "/" + word.substr(word.find('=') + 1);
  return kernel;
}

}  // namespace gradproof
