// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/nearest_word.h"
#include "kernels/catalog/call_checks.h"
#include "kernels/catalog/entries.h"
#include "kernels/catalog/kernel_spec.h"
#include "kernels/catalog/pipeline_parts.h"
#include "kernels/kernel.h"

namespace gradproof {
namespace {

/// The schema with what only a Case of it can say.
SchemaPtr described(const KernelSpec& spec, Schema schema) {
  const Claim claim = claim_of(spec, Case(std::make_shared<const Schema>(schema)));
  schema.contract = claim.contract.why();
  return std::make_shared<const Schema>(std::move(schema));
}

Kernel kernel_from(const ProductUnit& unit, const std::map<std::string, Mutant>& mutants) {
  const KernelSpec spec{unit.definition, kernel_pipeline(unit.definition.pipeline)};
  Kernel kernel;
  kernel.pipeline = spec.pipeline;
  kernel.entry = checked(spec.pipeline, unit.entry);
  for (const auto& [name, mutant] : mutants)
    kernel.mutants.emplace(name, checked(spec.pipeline, mutant.entry));
  kernel.schema = described(spec, *schema_of(spec, mutants));
  kernel.claim = [spec](const Case& c) { return claim_of(spec, c); };
  kernel.call = [spec](const Case& c) { return call_of(spec, c); };
  kernel.workspace = [spec](const Call& call) {
    return spec.definition.workspace(spec.pipeline, call);
  };
  kernel.limits = [spec](DType dtype) { return spec.definition.limits(spec.pipeline, dtype); };
  return kernel;
}

}  // namespace

const EntryPoints& Kernel::entry_of(const Case& c) const {
  const std::string& mutant = c.text("mutant");
  if (mutant == "none") return entry;
  return mutants.at(mutant);
}

Catalog catalog(const Mutants& mutants) {
  std::vector<Kernel> all;
  for (const ProductUnit& unit : product_units()) {
    const auto of_it = mutants.find(unit.definition.word);
    all.push_back(kernel_from(
        unit, of_it == mutants.end() ? std::map<std::string, Mutant>() : of_it->second));
  }
  return Catalog(std::move(all));
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
