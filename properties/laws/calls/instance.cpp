// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/instance.h"

#include "core/tensor/digest.h"

namespace gradproof {

Instance::Instance(const Trial& t, const Tensors& inputs)
    : trial_(t),
      given_(place_given(t.claim(), t.execution().backend, kPoison)),
      results_(place_results(t.claim(), t.execution().backend, kPoison)) {
  call_as(t.c());
  put(inputs);
}

void Instance::call_as(const Case& c) {
  caller_ = std::make_unique<Caller>(trial_.kernel(), c, trial_.execution(), kPoison);
  call_ = caller_->call_on(given_, results_);
}

KernelPass Instance::pass(bool backward) const {
  return backward ? caller_->backward_pass(call_) : caller_->forward_pass(call_);
}

void Instance::launch(KernelPass& pass) const {
  const simt::Scope scope(caller_->options());
  pass.launch();
}

LawRun Instance::call(const Case& c, const Tensors& numbers) {
  call_as(c);
  Tensors fresh;
  for (const TensorSpec& spec : trial_.claim().tensors)
    if (runs_through(spec)) fresh.emplace(spec.name, get(numbers, spec.name));
  const simt::Scope scope(caller_->options());
  Steps steps{[&] { return put(fresh); }, [&] { return caller_->forward(call_); }};
  if (trial_.claim().backward) steps.emplace_back([&] { return caller_->backward(call_); });
  return trial_.run_by([&](const Execution&) { return look(run_steps(steps)); });
}

KernelRun Instance::look(simt::Findings findings) const {
  KernelRun run{{}, {}, std::move(findings)};
  for (const auto* placed : {&given_, &results_})
    for (const GuardedTensor& tensor : *placed) {
      append(run.findings, tensor.changed());
      if (tensor.is_written()) run.tensors.emplace(tensor.spec().name, tensor.download());
    }
  for (const auto& [name, tensor] : run.tensors) run.digests.emplace(name, digest(tensor));
  return run;
}

KernelRun Instance::left(simt::Findings findings) {
  return leave(given_, results_, Keep::tensors, std::move(findings));
}

}  // namespace gradproof
