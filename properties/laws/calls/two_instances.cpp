// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/other_call.h"
#include "properties/laws/calls/instance.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "simt/device.h"

namespace gradproof {
namespace {

/// Inputs with the same parameters and with other numbers of what runs through the kernel.
Tensors other_inputs(const Trial& t) {
  Tensors inputs = t.inputs();
  for (const TensorSpec& spec : t.claim().tensors)
    if (spec.role == Role::input)
      inputs.at(spec.name) = other_numbers(spec, get(inputs, spec.name));
  return inputs;
}

/// Both passes are enqueued before anybody waits for one of them: on a GPU they may overlap.
simt::Findings run_both(const Instance& first, const Instance& second, bool backward) {
  KernelPass a = first.pass(backward), b = second.pass(backward);
  simt::synchronize(first.backend());
  first.launch(a);
  second.launch(b);
  simt::Findings findings = a.finish();
  append(findings, b.finish());
  return findings;
}

void two_instances_holds(Trial& t) {
  Instance one(t, t.inputs()), another(t, other_inputs(t));
  Steps steps{[&] { return run_both(one, another, false); }};
  if (t.claim().backward) steps.emplace_back([&] { return run_both(another, one, true); });
  const LawRun run = t.run_by([&](const Execution&) { return one.left(run_steps(steps)); });
  t.expect_same_results("beside another instance on its stream", run, t.run());
}

}  // namespace

Law two_instances() {
  return {"two_instances",
          "two instances on two streams, enqueued before either is waited for, give what one does",
          silences::nondeterministic, two_instances_holds};
}

}  // namespace gradproof
