// SPDX-License-Identifier: Apache-2.0
#include "judge/run_case.h"

#include <optional>

#include "core/case/inputs.h"
#include "core/parallel.h"
#include "kernels/harness/interleaved.h"
#include "simt/races.h"

namespace gradproof {
namespace {

Execution other_schedule(const Case& c, Execution execution) {
  if (execution.options.order == simt::Order::random) {
    execution.options.order = simt::Order::forward;
  } else {
    execution.options.order = simt::Order::random;
    execution.options.seed = static_cast<std::uint64_t>(c.integer("seed"));
  }
  return execution;
}

std::int64_t steps_of(const Case& c) { return c.schema().has("steps") ? c.integer("steps") : 1; }

Execution execution_on_all_cores(const Case& c) {
  Execution execution = execution_of(c);
  execution.options.workers = thread_limit();
  return execution;
}

}  // namespace

void run_twice(const Kernel& kernel, const Case& c, CaseRun& run) {
  const Execution execution = execution_on_all_cores(c);
  run.judged = run_interleaved(kernel, c, run.claim, run.inputs, execution);
  if (!run.judged.findings.empty()) return;
  // If other bits are no fault, no schedule shows that blocks overwrite each other's sums.
  std::optional<simt::RaceScope> races;
  if (!run.claim.contract.deterministic) races.emplace();
  run.rerun =
      run_kernel(kernel, c, run.claim, run.inputs, other_schedule(c, execution), Keep::digests);
}

CaseRun run_case(const Kernel& kernel, const Case& c) {
  CaseRun r{kernel.claim(c), {}, {}, {}};
  Tensors buffers;
  const std::int64_t steps = steps_of(c);
  for (std::int64_t step = 0; step < steps; ++step) {
    r.judged = {};  // what a step leaves is much; the next needs its buffers alone
    r.inputs = make_inputs(c, r.claim, step);
    for (auto& [name, tensor] : buffers) r.inputs.at(name) = tensor;
    if (step + 1 == steps) break;
    r.judged = run_kernel(kernel, c, r.claim, r.inputs, execution_on_all_cores(c));
    if (!r.judged.findings.empty()) return r;
    for (const TensorSpec& spec : r.claim.tensors)
      if (spec.role == Role::buffer) buffers[spec.name] = get(r.judged.tensors, spec.name);
  }
  run_twice(kernel, c, r);
  return r;
}

CaseRun run_case(const Systems& systems, const Case& c) {
  if (const ModelPair* const pair = systems.pair_of(c)) return pair->run(c);
  return run_case(systems.catalog.of(c), c);
}

CaseRun inputs_of_case(const Systems& systems, const Case& c) {
  if (const ModelPair* const pair = systems.pair_of(c)) return pair->run(c);
  const Claim claim = systems.catalog.of(c).claim(c);
  return {claim, make_inputs(c, claim), {}, {}};
}

std::optional<GivenStatistics> given_statistics(const Claim& claim, const Tensors& got) {
  if (!claim.backward || !claim.has("mean")) return std::nullopt;
  return GivenStatistics{get(got, "mean"), get(got, "rstd")};
}

}  // namespace gradproof
