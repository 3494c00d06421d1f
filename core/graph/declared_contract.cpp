// SPDX-License-Identifier: Apache-2.0
#include "core/graph/declared_contract.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/nearest_word.h"
#include "core/tensor/element_text.h"

namespace gradproof {
namespace {

using Words = std::vector<std::string>;

/// The words of each key, the default first.
const std::map<std::string, Words, std::less<>>& choices() {
  static const std::map<std::string, Words, std::less<>> all{
      {"stored", {"outputs", "none", "all"}},
      {"functions", {"usual", "libtorch"}},
      {"variance", {"any", "two_pass", "welford", "one_pass"}},
      {"sums", {"any", "pairwise", "lanes:L", "blocks:B"}}};
  return all;
}

void take(const std::string& part, std::map<std::string, std::string>& said) {
  const std::size_t equals = part.find('=');
  const std::string key = part.substr(0, equals);
  const auto row = choices().find(key);
  Words keys;
  for (const auto& [known, words] : choices()) keys.push_back(known);
  if (equals == std::string::npos || row == choices().end())
    throw UsageError(fmt::format("unknown part '{}' of a contract; known: {}{}", part,
                                 fmt::join(keys, " "), did_you_mean(key, keys)));
  const std::string value = part.substr(equals + 1);
  const Words& known = row->second;
  const bool read_later = key == "stored" || key == "sums";
  if (!read_later && std::find(known.begin(), known.end(), value) == known.end())
    throw UsageError(fmt::format("bad value '{}' for '{}' of a contract; known: {}{}", value, key,
                                 fmt::join(known, " "), did_you_mean(value, known)));
  if (!said.emplace(key, value).second)
    throw UsageError(fmt::format("'{}' stands twice in a contract", key));
}

/// The values that `stored=` says: h+y.
Words stored_names(const std::string& text, const Graph& graph) {
  if (text.empty() || text == "outputs") return graph.outputs;
  if (text == "none" || text == "all") return {};
  Words made, names;
  for (const GraphStep& s : graph.steps) made.push_back(s.value);
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, '+'); names.push_back(name))
    if (!has_name(made, name))
      throw UsageError(fmt::format(
          "bad value '{}' for 'stored' of a contract; known: {}, or of {} some, joined by '+'",
          text, fmt::join(choices().at("stored"), " "), fmt::join(made, " ")));
  return names;
}

/// `any`, `pairwise`, `lanes:32` or `blocks:256`.
SumOrder sum_order(std::string_view text) {
  using enum SumOrder::Kind;
  if (text.empty() || text == "any") return {any};
  if (text == "pairwise") return {pairwise};
  for (const auto& [word, kind] : {std::pair{"lanes:", lanes}, std::pair{"blocks:", blocks}}) {
    if (!text.starts_with(word)) continue;
    const auto count = whole_number(text.substr(std::string_view(word).size()));
    if (count && *count >= 1) return {kind, *count};
  }
  throw UsageError(fmt::format("bad value '{}' for 'sums' of a contract; known: {}", text,
                               fmt::join(choices().at("sums"), " ")));
}

}  // namespace

DeclaredContract parse_declared_contract(std::string_view text, const Graph& graph) {
  std::map<std::string, std::string> said;
  constexpr std::string_view kBetween = ", \t";
  for (std::size_t at = 0; (at = text.find_first_not_of(kBetween, at)) != std::string_view::npos;) {
    const std::string part(text.substr(at, text.find_first_of(kBetween, at) - at));
    at += part.size();
    take(part, said);
  }
  DeclaredContract contract;
  contract.stored_values = said["stored"] == "all";
  contract.stored_names = stored_names(said["stored"], graph);
  contract.libtorch_functions = said["functions"] == "libtorch";
  contract.sums = sum_order(said["sums"]);
  const std::string& form = said["variance"];
  if (form == "two_pass") contract.variances = {Variance::two_pass};
  if (form == "welford") contract.variances = {Variance::welford};
  if (form == "one_pass") contract.variances = {Variance::one_pass};
  return contract;
}

}  // namespace gradproof
