// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/between.h"

#include "kernels/harness/calls.h"

namespace gradproof {
namespace {

/// An instance with memory and a stream of its own.
struct Instance {
  Instance(const Trial& t, const Tensors& inputs)
      : caller(t.kernel(), t.c(), t.execution(), kPoison),
        given(place_given(t.claim(), caller.backend(), kPoison)),
        results(place_results(t.claim(), caller.backend(), kPoison)),
        call(caller.call_on(given, results)) {
    replace(given, inputs);
  }
  KernelRun left(simt::Findings findings) {
    return leave(given, results, Keep::tensors, std::move(findings));
  }

  Caller caller;
  std::vector<GuardedTensor> given, results;
  Call call;
};

}  // namespace

KernelRun run_between(const Trial& t, const Tensors& others) {
  Instance one(t, t.inputs()), other(t, others);
  const simt::Scope scope(one.caller.options());
  const auto of_other = [&](bool backward) {
    const simt::Scope inner(other.caller.options());
    return backward ? other.caller.backward(other.call) : other.caller.forward(other.call);
  };
  Steps steps{[&] { return one.caller.forward(one.call); }, [&] { return of_other(false); }};
  if (t.claim().backward) {
    steps.emplace_back([&] { return of_other(true); });
    steps.emplace_back([&] { return one.caller.backward(one.call); });
  }
  return one.left(run_steps(steps));
}

}  // namespace gradproof
