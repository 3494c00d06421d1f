// SPDX-License-Identifier: Apache-2.0
#include "core/graph/contract/declared_contract.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/graph/contract/contract_words.h"
#include "core/nearest_word.h"
#include "core/tensor/element_text.h"

namespace gradproof {
namespace {

using namespace contract_words;

/// The order that `any`, `pairwise`, `lanes:32`, `blocks:256` or `chain:36` names; else none.
std::optional<SumOrder> sum_order(std::string_view text) {
  using enum SumOrder::Kind;
  if (text == "any") return SumOrder{any};
  if (text == "pairwise") return SumOrder{pairwise};
  for (const auto& [word, kind] :
       {std::pair{"lanes:", lanes}, std::pair{"blocks:", blocks}, std::pair{"chain:", chain}}) {
    if (!text.starts_with(word)) continue;
    const auto count = whole_number(text.substr(std::string_view(word).size()));
    if (count && *count >= 1) return SumOrder{kind, *count};
  }
  return std::nullopt;
}

std::optional<FormSet> form_set(const FormRow& row, const std::string& text) {
  if (text == "any") return kUsualForms;
  FormSet set;
  for (const std::string& word : parts_of(text, '+')) {
    const auto found = std::find_if(row.forms.begin(), row.forms.end(),
                                    [&](const Form& f) { return f.word == word; });
    if (found == row.forms.end()) return std::nullopt;
    set.bits |= 1U << (found - row.forms.begin());
  }
  return set;
}

class ContractReader {
 public:
  explicit ContractReader(const Graph& graph) : graph_(graph) {
    for (const GraphStep& s : graph.steps) made_.push_back(s.value);
    contract_.stored_names = graph.outputs;
  }

  DeclaredContract read(std::string_view text) {
    constexpr std::string_view kBetween = ", \t";
    for (std::size_t at = 0;
         (at = text.find_first_not_of(kBetween, at)) != std::string_view::npos;) {
      const std::string part(text.substr(at, text.find_first_of(kBetween, at) - at));
      at += part.size();
      take(part);
    }
    return std::move(contract_);
  }

 private:
  void take(const std::string& part) {
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const std::size_t dot = key.rfind('.');
    const GraphStep* step = dot == std::string::npos ? nullptr : step_of(key.substr(0, dot), part);
    const std::string word = step == nullptr ? key : key.substr(dot + 1);
    const std::vector<std::string> known = step == nullptr ? keys() : keys_of(*step);
    if (equals == std::string::npos || !has_name(known, word)) refuse_key(part, step, word, known);
    if (!said_.insert(key).second)
      throw UsageError(fmt::format("'{}' stands twice in a contract", key));
    const std::string value = part.substr(equals + 1);
    StepDeclaration& of = step == nullptr ? contract_.every : contract_.steps[step->value];
    if (!take_sums(of, word, value) && !take_form(of, word, value) && !take_whole(word, value))
      throw UsageError(fmt::format("bad value '{}' for '{}' of a contract; known: {}{}", value, key,
                                   choices_text(word, made_), did_you_mean(value, words(word))));
  }

  const GraphStep* step_of(const std::string& value, const std::string& part) const {
    for (const GraphStep& s : graph_.steps)
      if (s.value == value) return &s;
    throw UsageError(fmt::format("no step makes '{}' of '{}' in a contract; known: {}{}", value,
                                 part, fmt::join(made_, " "), did_you_mean(value, made_)));
  }

  [[noreturn]] static void refuse_key(const std::string& part, const GraphStep* step,
                                      const std::string& word,
                                      const std::vector<std::string>& known) {
    const std::string of = step == nullptr ? "" : fmt::format(" for {}", step->stage);
    throw UsageError(fmt::format("unknown part '{}' of a contract{}; known: {}{}", part, of,
                                 known.empty() ? "none" : fmt::format("{}", fmt::join(known, " ")),
                                 did_you_mean(word, known)));
  }

  static bool take_sums(StepDeclaration& to, const std::string& word, const std::string& value) {
    const std::optional<SumOrder> order = is_sum(word) ? sum_order(value) : std::nullopt;
    return order && to.sums.emplace(word, *order).second;
  }

  static bool take_form(StepDeclaration& to, const std::string& word, const std::string& value) {
    const FormRow* row = row_of(word);
    const std::optional<FormSet> set = row != nullptr ? form_set(*row, value) : std::nullopt;
    return set && to.forms.emplace(row->part, *set).second;
  }

  /// The place of a word among the words of its key, which stand in the order of their enum.
  static std::size_t place_of(std::string_view key, const std::string& value) {
    const std::vector<std::string> known = words(key);
    return static_cast<std::size_t>(std::find(known.begin(), known.end(), value) - known.begin());
  }

  /// Takes a key that only the whole graph has; false where the key cannot have the value.
  bool take_whole(const std::string& word, const std::string& value) {
    if (word == "stored") return take_stored(value);
    // The words of a sum are patterns for people, such as lanes:L, beside those that are read.
    if (is_sum(word) || !has_name(words(word), value)) return false;
    if (word == "accumulation") contract_.accumulation = parse_dtype(value);
    if (word == "functions")
      contract_.functions = static_cast<DeclaredContract::Functions>(place_of(word, value));
    if (word == "literals")
      contract_.literals = static_cast<DeclaredContract::Literals>(place_of(word, value));
    if (word == "subnormals")
      contract_.subnormals = static_cast<DeclaredContract::Subnormals>(place_of(word, value));
    if (word == "fma") contract_.fma = value == "yes";
    if (word == "bound") contract_.bound = static_cast<ErrorBound>(place_of(word, value));
    return true;
  }

  bool take_stored(const std::string& value) {
    using enum DeclaredContract::Stored;
    contract_.stored = has_name(words("stored"), value)
                           ? static_cast<DeclaredContract::Stored>(place_of("stored", value))
                           : named;
    if (contract_.stored == outputs) return true;
    contract_.stored_names = contract_.stored == saved ? made_ : std::vector<std::string>();
    if (contract_.stored != named) return true;
    contract_.stored_names = parts_of(value, '+');
    return std::all_of(contract_.stored_names.begin(), contract_.stored_names.end(),
                       [&](const std::string& name) { return has_name(made_, name); });
  }

  const Graph& graph_;
  std::vector<std::string> made_;
  std::set<std::string> said_;
  DeclaredContract contract_;
};

}  // namespace

DeclaredContract parse_declared_contract(std::string_view text, const Graph& graph) {
  return ContractReader(graph).read(text);
}

void StepDeclaration::apply(StepContract& to) const {
  for (const SumRow& row : sum_rows())  // `sums` first: a narrower word counts beside it
    if (const auto said = sums.find(row.word); said != sums.end())
      for (const SumRole role : row.roles) to.order(role) = said->second;
  for (const auto& [part, set] : forms) to.said(part) = set;
}

}  // namespace gradproof
