// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/nearest_word.h"
#include "kernels/catalog/call_checks.h"
#include "kernels/catalog/entries.h"
#include "kernels/catalog/kernel_spec.h"
#include "kernels/kernel.h"

namespace gradproof {
namespace {

/// Every kernel by its stages. A new kernel is a row here, a .cu of the row's name, and that name
/// in CMakeLists.txt.
std::vector<KernelSpec> systems() {
  return {
      {"bias_divide_swish", "swish((x + bias) / divide)", {{"bias", "bias"}, {"divide"}, {"silu"}}},
      {"batchnorm_bias_divide_swish",
       "swish((batchnorm(x) * weight + beta + bias) / divide)",
       {{"batch_norm"}, {"bias", "bias"}, {"divide"}, {"silu"}}},
      {"scale_batchnorm",
       "batchnorm(x * scale) * weight + beta",
       {{"scale", "scale"}, {"batch_norm"}}},
      {"swish_bias_groupnorm",
       "groupnorm(swish(x) + bias) * weight + beta",
       {{"silu"}, {"bias", "bias"}, {"group_norm"}}},
      {"swish_bias", "swish(x) + bias", {{"silu"}, {"bias", "bias"}}},
      {"groupnorm", "groupnorm(x) * weight + beta", {{"group_norm"}}},
      {"swish_multiply_swish",
       "swish(swish(x) * multiply)",
       {{"silu"}, {"scale", "multiply"}, {"silu"}}},
      {"groupnorm_swish_multiply_swish",
       "swish(swish(groupnorm(x) * weight + beta) * multiply)",
       {{"group_norm"}, {"silu"}, {"scale", "multiply"}, {"silu"}}},
  };
}

/// The schema with what only a Case of it can say. The pipeline is float64's: its numbers are as
/// the Case says them.
SchemaPtr described(const KernelSpec& system, Schema schema) {
  const Case drawn(std::make_shared<const Schema>(schema));
  schema.pipeline = to_string(claim_of(system, drawn.with("dtype", "f64")).graph);
  schema.contract = claim_of(system, drawn).contract.why();
  return std::make_shared<const Schema>(std::move(schema));
}

Kernel kernel_from(const KernelSpec& system, const std::map<std::string, Mutant>& mutants) {
  Kernel kernel;
  kernel.entry = checked(system, entry_points(system.word));
  for (const auto& [name, mutant] : mutants)
    kernel.mutants.emplace(name, checked(system, mutant.entry));
  kernel.schema = described(system, *schema_of(system, mutants));
  kernel.claim = [system](const Case& c) { return claim_of(system, c); };
  kernel.call = [system](const Case& c) { return call_of(system, c); };
  kernel.workspace = [system](const Call& call) {
    return call.groups > 0 ? group_workspace(system, call) : column_workspace(system, call);
  };
  kernel.limits = [system](DType dtype) {
    return system.has("group_norm") ? group_limits(dtype) : column_limits(system, dtype);
  };
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
  for (const KernelSpec& system : systems()) {
    const auto of_it = mutants.find(system.word);
    all.push_back(kernel_from(
        system, of_it == mutants.end() ? std::map<std::string, Mutant>() : of_it->second));
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
