// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/accused.h"

#include <utility>

#include "core/graph/graph_case.h"
#include "judge/records.h"
#include "judge/run_case.h"
#include "oracles/libtorch/autograd.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

Accused libtorch_accused(const Case& c) {
  return {"LibTorch " + libtorch_version(), [c](const GraphClaim& claim, const Tensors& inputs) {
            return Computed{graph_in_libtorch(claim.graph, inputs, types_of(claim.graph, c))};
          }};
}

/// Keeps the tensors that the graph names: what forward saved for backward is not judged.
Computed computed_of(CaseRun run, const Case& c) {
  Computed computed;
  computed.findings = run.findings();
  for (const std::string& name : c.schema().tensors)
    if (const auto found = run.judged.tensors.find(name); found != run.judged.tensors.end())
      computed.tensors.emplace(name, std::move(found->second));
  if (run.claim.contract.deterministic) computed.again = std::move(run.rerun.digests);
  return computed;
}

Accused kernel_accused(const Kernel& kernel, const Case& c) {
  return {context_of(c).device, [&kernel, c](const GraphClaim&, const Tensors& inputs) {
            CaseRun run{kernel.claim(c), inputs, {}, {}};
            run_twice(kernel, c, run);
            CountedRun counted;
            if (run.findings().empty())
              counted = count_additions(kernel, c, run.claim, inputs, execution_of(c),
                                        run.judged.tensors);
            Computed computed = computed_of(std::move(run), c);
            computed.counted = std::move(counted);
            return computed;
          }};
}

}  // namespace

Accused accused_of(const Systems& systems, const Case& c) {
  if (is_graph_in_braces(c)) return libtorch_accused(c);
  return kernel_accused(systems.catalog.of(c), c);
}

}  // namespace gradproof
