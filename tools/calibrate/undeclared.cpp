// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/undeclared.h"

#include "core/graph/graph_case.h"
#include "judge/graph/judged_run.h"

namespace gradproof {

UndeclaredVerdicts judged_undeclared(const Case& c, const Tensors& inputs, const Tensors& got) {
  // Names of files, which nobody reads, say that the accused are tensors and not LibTorch, of whose
  // operators a contract is known.
  const Case given = c.with("outputs", "none").with("inputs", "none");
  const Graph graph = graph_of(given);
  GraphRun run{{graph, extents_of(graph, given),
                graph_contract(graph, types_of(graph, given), *declared_of(given))},
               inputs,
               got,
               "given tensors"};
  UndeclaredVerdicts verdicts;
  for (const auto& [name, tensor] : judged_run(given, run))
    verdicts.emplace(
        name, UndeclaredVerdict{verdict_of(tensor).outcome, tensor.judged.discrepancy.max_ratio,
                                tensor.rung.value_or(Rung::fused) == Rung::fused});
  return verdicts;
}

}  // namespace gradproof
