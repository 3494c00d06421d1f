// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/normalisation/negated.h"

namespace gradproof {
namespace {

double negated(double number, std::int64_t) { return -number; }

bool is_negated(const std::string& result, const std::set<std::string>& names) {
  return result == "mean" || names.contains(result) ||
         (result.starts_with("d_") && names.contains(result.substr(2)));
}

}  // namespace

void expect_negated(Trial& t, const std::set<std::string>& names) {
  Tensors inputs = t.inputs();
  for (const std::string& name : names)
    if (inputs.contains(name)) inputs = changed(std::move(inputs), name, negated);
  const LawRun run = t.run(inputs);
  for (const TensorSpec& spec : run.results()) {
    Tensors want{{spec.name, t.run().left(spec.name)}};
    if (is_negated(spec.name, names)) want = changed(std::move(want), spec.name, negated);
    t.expect_equal(spec.name + " of other signs", run.left(spec.name), want.at(spec.name),
                   t.run().near(spec.name));
  }
}

}  // namespace gradproof
