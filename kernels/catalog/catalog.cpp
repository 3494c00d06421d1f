// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalog/call_checks.h"
#include "kernels/catalog/entries.h"
#include "kernels/catalog/kernel_spec.h"
#include "kernels/catalog/pipeline_parts.h"
#include "kernels/kernel.h"

namespace gradproof {
namespace {

/// Adds the pipeline and the contract, which only a Case of the schema can say. The pipeline is
/// float64's, so that its numbers are as the Case says them.
SchemaPtr described(const KernelSpec& spec, Schema schema) {
  const Case drawn(std::make_shared<const Schema>(schema));
  schema.pipeline = to_string(claim_of(spec, drawn.with("dtype", "f64")).graph);
  schema.contract = claim_of(spec, drawn).contract.why();
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

Catalog catalog(const Mutants& mutants) {
  std::vector<Kernel> all;
  for (const ProductUnit& unit : product_units()) {
    const auto of_it = mutants.find(unit.definition.word);
    all.push_back(kernel_from(
        unit, of_it == mutants.end() ? std::map<std::string, Mutant>() : of_it->second));
  }
  return Catalog(std::move(all));
}

}  // namespace gradproof
