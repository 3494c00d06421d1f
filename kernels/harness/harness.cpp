// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/calls.h"
#include "kernels/harness/run_watch.h"
#include "kernels/kernel.h"

namespace gradproof {
namespace {

KernelRun run_once(const Kernel& kernel, const Case& c, const Claim& claim, const Tensors& inputs,
                   const Execution& execution, Keep keep) {
  const std::byte poison = keep == Keep::tensors ? kPoison : kOtherPoison;
  const Caller caller(kernel, c, execution, poison);
  std::vector<GuardedTensor> given = place_given(claim, execution.backend, poison);
  std::vector<GuardedTensor> results = place_results(claim, execution.backend, poison);
  const Call call = caller.call_on(given, results);
  const simt::Scope scope(caller.options());
  Steps steps{
      [&] { return replace(given, inputs); },
      [&] { return caller.forward(call); },
  };
  if (claim.backward) steps.emplace_back([&] { return caller.backward(call); });
  return leave(given, results, keep, run_steps(steps));
}

}  // namespace

Execution execution_of(const Case& c) {
  Execution execution;
  if (c.is("device", "cuda")) execution.backend = simt::Backend::cuda;
  if (!c.schema().has("schedule")) return execution;
  const std::string& schedule = c.text("schedule");
  if (schedule == "reverse") execution.options.order = simt::Order::reverse;
  if (schedule.starts_with("random:")) {
    execution.options.order = simt::Order::random;
    execution.options.seed = static_cast<std::uint64_t>(c.argument("schedule"));
  }
  return execution;
}

KernelRun run_kernel(const Kernel& kernel, const Case& c, const Claim& claim, const Tensors& inputs,
                     const Execution& execution, Keep keep) {
  return watched(c, [&] { return run_once(kernel, c, claim, inputs, execution, keep); });
}

}  // namespace gradproof
