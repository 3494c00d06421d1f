// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/places.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "core/error.h"

namespace gradproof {
namespace {

std::string choices(const Key& key) {
  std::string text;
  if (key.type == KeyType::integer)
    text = key.maximum == INT64_MAX ? fmt::format("{}..", key.minimum)
                                    : fmt::format("{}..{}", key.minimum, key.maximum);
  if (key.type == KeyType::real) text = "a number";
  if (key.type == KeyType::text) text = "text";
  for (const std::string& word : key.words) {
    if (!text.empty()) text += " ";
    text += word.ends_with(':') ? word + "NUMBER" : word;
  }
  return text;
}

void print_schema(const Schema& schema) {
  fmt::print("{}   {}\n", schema.word, schema.summary);
  for (const Key& key : schema.keys)
    fmt::print("  {:<14} {:<10} {}{}\n", key.name, key.initial, choices(key),
               key.help.empty() ? "" : "   # " + key.help);
  for (const Refusal& refusal : schema.refusals) fmt::print("  refused: {}\n", refusal.message);
  fmt::print("  judged: {}\n", fmt::join(schema.tensors, " "));
}

}  // namespace

int run_list(const Options& options) {
  const Interrupt interrupt;
  Session session(worker_program(options.worker), options.deadline, interrupt);
  std::vector<std::string> words;
  for (const Schema& schema : session.hello().schemas) {
    words.push_back(schema.word);
    if (options.kernel.empty() || options.kernel == schema.word) print_schema(schema);
    if (options.kernel == schema.word) return 0;
  }
  if (!options.kernel.empty())
    throw UsageError(
        fmt::format("unknown kernel '{}'; known: {}", options.kernel, fmt::join(words, " ")));
  if (words.empty()) throw InstrumentError("the worker has no kernel");
  return 0;
}

}  // namespace gradproof
