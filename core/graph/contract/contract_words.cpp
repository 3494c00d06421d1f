// SPDX-License-Identifier: Apache-2.0
#include "core/graph/contract/contract_words.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/contract/declared_contract.h"

namespace gradproof {
namespace contract_words {
namespace {

using Words = std::vector<std::string>;

/// The keys of the whole graph alone, each with its words.
const std::map<std::string, Words, std::less<>>& of_whole() {
  static const std::map<std::string, Words, std::less<>> all{
      {"accumulation", {"f32", "f64"}},
      {"stored", {"outputs", "none", "saved", "all", "all+statistics"}},
      {"functions", {"usual", "rounded", "libtorch", "xla", "any"}},
      {"literals", {"exact", "stored"}},
      {"subnormals", {"kept", "flushed"}},
      {"fma", {"yes", "no"}},
      {"bound", {"certain", "likely"}}};
  return all;
}

}  // namespace

Words keys() {
  Words known;
  for (const auto& [key, words] : of_whole()) known.push_back(key);
  for (const SumRow& row : sum_rows()) known.emplace_back(row.word);
  for (const FormRow& row : form_rows()) known.emplace_back(row.word);
  return known;
}

Words keys_of(const GraphStep& step) {
  Words known;
  for (const SumRow& row : sum_rows())
    if (has_sums(row, graph_stage(step.stage))) known.emplace_back(row.word);
  for (const FormRow& row : form_rows())
    if (row.is_of(step.stage)) known.emplace_back(row.word);
  return known;
}

bool is_sum(std::string_view key) {
  const auto rows = sum_rows();
  return std::any_of(rows.begin(), rows.end(), [&](const SumRow& row) { return row.word == key; });
}

const FormRow* row_of(std::string_view key) {
  for (const FormRow& row : form_rows())
    if (row.word == key) return &row;
  return nullptr;
}

Words words(std::string_view key) {
  if (const auto found = of_whole().find(key); found != of_whole().end()) return found->second;
  if (is_sum(key)) return {"any", "pairwise", "lanes:L", "blocks:B", "chain:G"};
  Words known{"any"};
  if (const FormRow* row = row_of(key); row != nullptr)
    for (const Form& form : row->forms) known.emplace_back(form.word);
  return known;
}

std::string choices_text(std::string_view key, const Words& made) {
  std::string text = fmt::format("{}", fmt::join(words(key), " "));
  if (key == "stored")
    text += fmt::format(", or of {} some, joined by '+'", fmt::join(made, " "));
  else if (row_of(key) != nullptr)
    text += ", or some joined by '+'";
  return text;
}

Words parts_of(const std::string& text, char sign) {
  Words parts;
  for (std::size_t first = 0;;) {
    const std::size_t end = text.find(sign, first);
    parts.push_back(text.substr(first, end - first));
    if (end == std::string::npos) return parts;
    first = end + 1;
  }
}

}  // namespace contract_words

namespace {

std::string order_text(const SumOrder& order) {
  using enum SumOrder::Kind;
  switch (order.kind) {
    case any:
      return "any";
    case pairwise:
      return "pairwise";
    case lanes:
      return fmt::format("lanes:{}", order.count);
    case blocks:
      return fmt::format("blocks:{}", order.count);
    case chain:
      return fmt::format("chain:{}", order.count);
  }
  return "";
}

std::string set_text(FormPart part, FormSet set) {
  if (set == kUsualForms) return "any";
  std::vector<std::string_view> words;
  const auto forms = form_row(part).forms;
  for (std::size_t k = 0; k < forms.size(); ++k)
    if (set.has(static_cast<int>(k))) words.push_back(forms[k].word);
  return fmt::format("{}", fmt::join(words, "+"));
}

void add_step(std::vector<std::string>& parts, const std::string& prefix,
              const StepDeclaration& said) {
  for (const auto& [word, order] : said.sums)
    parts.push_back(fmt::format("{}{}={}", prefix, word, order_text(order)));
  for (const auto& [part, set] : said.forms)
    parts.push_back(fmt::format("{}{}={}", prefix, form_row(part).word, set_text(part, set)));
}

}  // namespace

std::string to_string(const DeclaredContract& c) {
  std::vector<std::string> parts;
  if (c.accumulation) parts.push_back(fmt::format("accumulation={}", name_of(*c.accumulation)));
  const auto add_word = [&](std::string_view key, auto said) {
    parts.push_back(
        fmt::format("{}={}", key, contract_words::words(key)[static_cast<std::size_t>(said)]));
  };
  if (c.stored == DeclaredContract::Stored::named)
    parts.push_back(fmt::format("stored={}", fmt::join(c.stored_names, "+")));
  else if (c.stored)
    add_word("stored", *c.stored);
  if (c.functions) add_word("functions", *c.functions);
  if (c.literals) add_word("literals", *c.literals);
  if (c.subnormals) add_word("subnormals", *c.subnormals);
  if (!c.fma) parts.emplace_back("fma=no");
  if (c.bound) add_word("bound", *c.bound);
  add_step(parts, "", c.every);
  for (const auto& [value, said] : c.steps) add_step(parts, value + ".", said);
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace gradproof
