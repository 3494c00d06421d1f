// SPDX-License-Identifier: Apache-2.0
#include "core/case/case.h"

#include <algorithm>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/case/said_keys.h"
#include "core/case/witnessed_case.h"
#include "core/cores.h"
#include "core/error.h"
#include "core/graph/graph_case.h"
#include "core/graph/graph_memory.h"
#include "core/nearest_word.h"

namespace gradproof {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

SchemaPtr find(std::string_view word, const std::vector<SchemaPtr>& schemas) {
  std::vector<std::string> known;
  for (const SchemaPtr& s : schemas) {
    if (s->word == word) return s;
    known.push_back(s->word);
  }
  throw UsageError(fmt::format("unknown kernel '{}'; known: {}{}", word, fmt::join(known, " "),
                               did_you_mean(word, known)));
}

/// The function takes words of a Case's text, each of which is one of its keys.
SaidKeys said_keys_of(const std::vector<std::string>& words, std::string_view text) {
  SaidKeys keys;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw UsageError(fmt::format("'{}' in '{}' is no key=value", word, text));
    keys.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return keys;
}

double product(const Case& c, const std::vector<std::string>& keys) {
  double elements = 1;
  for (const std::string& key : keys) elements *= static_cast<double>(c.integer(key));
  return elements;
}

}  // namespace

Case::Case(SchemaPtr schema) : schema_(std::move(schema)) {
  for (const Key& key : schema_->keys) values_.push_back(parse_value(key, key.initial));
}

std::size_t Case::position(std::string_view key) const {
  return static_cast<std::size_t>(&schema_->key(key, word()) - schema_->keys.data());
}

const Value& Case::value(std::string_view key) const { return values_[position(key)]; }
std::int64_t Case::integer(std::string_view key) const {
  return std::get<std::int64_t>(value(key));
}
double Case::real(std::string_view key) const { return std::get<double>(value(key)); }
const std::string& Case::text(std::string_view key) const {
  return std::get<std::string>(value(key));
}
bool Case::is(std::string_view key, std::string_view word) const {
  if (!schema_->has(key)) return false;
  const auto* text = std::get_if<std::string>(&value(key));
  return text != nullptr && *text == word;
}
bool Case::is_number(std::string_view key) const {
  return std::holds_alternative<double>(value(key));
}

double Case::argument(std::string_view key) const {
  const std::string& words = text(key);
  double number = 0;
  const std::size_t colon = words.find(':');
  if (colon != std::string::npos) parse_double(std::string_view(words).substr(colon + 1), number);
  return number;
}

Case Case::with(std::string_view key, std::string_view text) const {
  Case copy = *this;
  const std::size_t at = position(key);
  copy.values_[at] = parse_value(schema_->keys[at], text);
  return copy;
}

std::vector<std::string> Case::changed_keys() const {
  const Case initial(schema_);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (values_[i] != initial.values_[i]) names.push_back(schema_->keys[i].name);
  return names;
}

namespace {

/// The keys that a line says: a graph in braces says the extents of all axes too, which have no
/// default for whoever writes one (require_extents).
std::vector<std::string> printed_keys(const Case& c) {
  std::vector<std::string> names = c.changed_keys();
  if (!is_graph_in_braces(c)) return names;
  std::erase_if(names, [&](const auto& name) { return has_name(c.schema().size_keys, name); });
  names.insert(names.begin(), c.schema().size_keys.begin(), c.schema().size_keys.end());
  return names;
}

}  // namespace

std::string to_string(const Case& c) {
  std::string line = c.word();
  for (const std::string& name : printed_keys(c))
    line += fmt::format(" {}={}", name, to_string(c.schema().key(name, ""), c.value(name)));
  return line;
}

SaidKeys said_keys(std::string_view text) {
  const GraphWord graph = graph_word(text);
  std::vector<std::string> words = words_of(graph.rest);
  if (!graph.schema && !words.empty()) words.erase(words.begin());
  return said_keys_of(words, text);
}

void require_extents(std::string_view text, const std::vector<std::string>& elsewhere) {
  const GraphWord graph = graph_word(text);
  if (!graph.schema) return;
  std::vector<std::string> said;
  for (const std::string& change : elsewhere) said.push_back(change.substr(0, change.find('=')));
  for (const auto& [key, value] : said_keys(text)) said.push_back(key);
  for (const std::string& axis : graph.schema->size_keys)
    if (!has_name(said, axis))
      throw UsageError(
          fmt::format("axis '{0}' has no extent in '{1}'; say {0}=NUMBER behind the "
                      "braces",
                      axis, text));
}

Case parse_case(std::string_view text, const std::vector<SchemaPtr>& schemas) {
  const GraphWord graph = graph_word(text);
  std::vector<std::string> words = words_of(graph.rest);
  if (words.empty() && !graph.schema) throw UsageError("empty case; write 'kernel key=value ...'");
  Case c(graph.schema                  ? graph.schema
         : words.front() == kWitnessed ? witnessed_schema()
                                       : find(words.front(), schemas));
  if (!graph.schema) words.erase(words.begin());
  std::set<std::string> seen;
  for (const auto& [key, value] : said_keys_of(words, text)) {
    c.schema().key(key, text);
    if (!seen.insert(key).second)
      throw UsageError(fmt::format("key '{}' stands twice in '{}'", key, text));
    c = c.with(key, value);
  }
  if (const std::string refusal = refusal_of(c); !refusal.empty())
    throw UsageError(fmt::format("{} in '{}'", refusal, text));
  return c;
}

bool holds(const Case& c, const Condition& condition) {
  if (condition.relation == "indivisible")
    return c.integer(condition.key) % c.integer(condition.text) != 0;
  const Value& value = c.value(condition.key);
  double number = 0;
  double wanted = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) number = static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) number = *real;
  if (std::holds_alternative<std::string>(value)) {
    const bool same = std::get<std::string>(value) == condition.text;
    return condition.relation == "=" ? same : condition.relation == "!=" && !same;
  }
  if (!parse_double(condition.text, wanted)) return condition.relation == "!=";
  if (condition.relation == "=") return number == wanted;
  if (condition.relation == "!=") return number != wanted;
  return condition.relation == "<" ? number < wanted : number > wanted;
}

std::string refusal_of(const Case& c) {
  for (const Refusal& refusal : c.schema().refusals) {
    bool all = true;
    for (const Condition& condition : refusal.when) all = all && holds(c, condition);
    if (all) return refusal.message;
  }
  return "";
}

double elements_of(const Case& c) { return product(c, c.schema().size_keys); }

double memory_estimate(const Case& c) {
  if (is_graph_case(c)) {
    const Graph graph = graph_of(c);
    const GraphExtents extents = extents_of(graph, c);
    const auto plans = sample_plans_of(c, graph, extents);
    return plans.empty() ? graph_memory(graph, extents)
                         : memory_of_samples(graph, extents, plans, has_given_tensors(c));
  }
  const Schema& schema = c.schema();
  double bytes = elements_of(c) * schema.bytes_per_element +
                 cores() * product(c, schema.unit_keys) * schema.bytes_per_unit_element;
  for (const MemoryTerm& term : schema.beside) bytes += product(c, term.keys) * term.bytes;
  return bytes;
}

std::uint64_t seed_of(const Case& c) { return static_cast<std::uint64_t>(c.integer("seed")); }

}  // namespace gradproof
