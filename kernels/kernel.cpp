// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/nearest_word.h"
#include "kernels/execution_keys.h"

namespace gradproof {

Key schedule_key() {
  return {"schedule",
          KeyType::tagged,
          "forward",
          {"forward", "reverse", "random:"},
          0,
          0,
          "of threads in the executor (a GPU has its own); random:seed is adversarial",
          {"forward", "reverse", "random:1", "random:2"}};
}

Key device_key(const std::string& first) {
  const std::string& second = first == "cpu" ? "cuda" : "cpu";
  return {"device", KeyType::word, first, {first, second}, 0, 0, "the executor or the GPU",
          {},       true};
}

Key streams_key() {
  return {"streams",
          KeyType::word,
          "1",
          {"1", "2"},
          0,
          0,
          "streams with a call in flight; 2: another call, on other numbers, beside the judged one",
          {},
          true};
}

const EntryPoints& Kernel::entry_of(const Case& c) const {
  if (mutants.empty() || c.is("mutant", "none")) return entry;
  return mutants.at(c.text("mutant"));
}

std::vector<SchemaPtr> Catalog::schemas() const {
  std::vector<SchemaPtr> all;
  for (const Kernel& kernel : kernels_) all.push_back(kernel.schema);
  return all;
}

const Kernel& Catalog::named(const std::string& word) const {
  std::vector<std::string> known;
  for (const Kernel& kernel : kernels_) {
    if (kernel.schema->word == word) return kernel;
    known.push_back(kernel.schema->word);
  }
  throw UsageError(fmt::format("unknown kernel '{}'; known: {}{}", word, fmt::join(known, " "),
                               did_you_mean(word, known)));
}

}  // namespace gradproof
