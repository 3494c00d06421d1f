// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/two_streams.h"

#include <exception>
#include <thread>
#include <vector>

#include "kernels/harness/calls.h"
#include "kernels/harness/other_call.h"
#include "simt/alternation.h"
#include "simt/device.h"

namespace gradproof {
namespace {

/// The caller of the kernel on one of the streams, and the memory of its calls.
struct StreamOfCalls {
  StreamOfCalls(const Kernel& kernel, const Case& c, const Claim& claim, const Execution& execution,
                const std::string& of)
      : caller(kernel, c, execution, kPoison),
        given(place_given(claim, execution.backend, kPoison, of)),
        results(place_results(claim, execution.backend, kPoison, of)),
        call(caller.call_on(given, results)) {}

  Caller caller;
  std::vector<GuardedTensor> given;
  std::vector<GuardedTensor> results;
  Call call;
};

/// Launches both in the executor, where a launch returns when it is done.
void launch_in_turn(KernelPass& judged, KernelPass& other, const simt::Options& options_of_other) {
  std::exception_ptr thrown;
  simt::Alternation turns;
  {
    const std::jthread second([&] {
      const simt::Alternation::Part part(turns, simt::Alternation::Call::second);
      const simt::Scope scope(options_of_other);
      try {
        other.launch();
      } catch (...) {
        thrown = std::current_exception();
      }
    });
    const simt::Alternation::Part part(turns, simt::Alternation::Call::first);
    judged.launch();
  }
  if (thrown) std::rethrow_exception(thrown);
}

simt::Findings run_at_once(KernelPass judged, KernelPass other, const Caller& caller_of_other) {
  simt::synchronize(caller_of_other.backend());
  if (caller_of_other.backend() == simt::Backend::cuda) {
    judged.launch();
    other.launch();
  } else {
    launch_in_turn(judged, other, caller_of_other.options());
  }
  simt::Findings findings = judged.finish();
  append(findings, other.finish());
  return findings;
}

using Pass = simt::Findings (Caller::*)(const Call&) const;

simt::Findings run_alone(const StreamOfCalls& calls, Pass pass) {
  const simt::Scope scope(calls.caller.options());
  return (calls.caller.*pass)(calls.call);
}

}  // namespace

KernelRun run_on_two_streams(const Kernel& kernel, const Case& c, const Claim& claim,
                             const Tensors& inputs, const Execution& execution) {
  StreamOfCalls judged(kernel, c, claim, execution, "");
  StreamOfCalls other(kernel, c, without_sparse_layouts(claim), execution, kOfAnotherCall);
  Tensors numbers;
  for (const GuardedTensor& placed : other.given)
    numbers.emplace(placed.spec().name,
                    other_numbers(placed.spec(), get(inputs, placed.spec().name)));
  const auto forward = [](const StreamOfCalls& on) { return on.caller.forward_pass(on.call); };
  const auto backward = [](const StreamOfCalls& on) { return on.caller.backward_pass(on.call); };
  const simt::Scope scope(judged.caller.options());
  Steps steps{
      [&] { return replace(other.given, numbers); },
      [&] { return run_alone(other, &Caller::forward); },
  };
  if (claim.backward) steps.emplace_back([&] { return run_alone(other, &Caller::backward); });
  steps.emplace_back([&] { return replace(other.given, numbers); });
  steps.emplace_back([&] { return replace(judged.given, inputs); });
  steps.emplace_back([&] { return run_at_once(forward(judged), forward(other), other.caller); });
  if (claim.backward)
    steps.emplace_back(
        [&] { return run_at_once(backward(judged), backward(other), other.caller); });
  KernelRun beside = leave(other.given, other.results, Keep::digests, run_steps(steps));
  return leave(judged.given, judged.results, Keep::tensors, std::move(beside.findings));
}

}  // namespace gradproof
