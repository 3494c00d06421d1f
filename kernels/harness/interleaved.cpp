// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/interleaved.h"

#include <optional>
#include <vector>

#include "kernels/harness/calls.h"
#include "kernels/harness/other_call.h"
#include "kernels/harness/run_watch.h"
#include "kernels/harness/two_streams.h"

namespace gradproof {
namespace {

/// Another instance of the kernel. It is called on other numbers in the memory that holds the
/// judged call's inputs; its results have memory of their own, and nobody else may write there.
class OtherInstance {
 public:
  OtherInstance(const Caller& caller, const Claim& claim, const Tensors& inputs,
                std::vector<GuardedTensor>& given)
      : caller_(caller),
        inputs_(inputs),
        given_(given),
        results_(place_results(without_sparse_layouts(claim), caller.backend(), kPoison,
                               kOfAnotherCall)),
        call_(caller.call_on(given, results_)) {}

  simt::Findings forward() {
    simt::Findings findings = put([](Role role) { return role != Role::cotangent; });
    const simt::Scope scope(caller_.options());
    append(findings, caller_.forward(call_));
    remember();
    return findings;
  }

  simt::Findings backward() {
    simt::Findings findings = put([](Role role) { return role == Role::cotangent; });
    const simt::Scope scope(caller_.options());
    append(findings, caller_.backward(call_));
    remember();
    return findings;
  }

  /// Findings for results that no longer have the bits which this instance's last call left.
  simt::Findings changed() const {
    simt::Findings findings;
    for (std::size_t i = 0; i < results_.size(); ++i)
      if (results_[i].checksum() != left_.at(i))
        findings.push_back(
            {"result-changed",
             results_[i].spec().name + " of an earlier call was changed by a later one"});
    return findings;
  }

 private:
  /// Puts this instance's numbers; returns the changes that had happened to those that were there.
  template <class IsMeant>
  simt::Findings put(const IsMeant& is_meant) {
    simt::Findings findings;
    for (GuardedTensor& placed : given_) {
      if (!is_meant(placed.spec().role)) continue;
      append(findings, placed.changed());
      placed.put(other_numbers(placed.spec(), get(inputs_, placed.spec().name)));
    }
    return findings;
  }

  void remember() {
    left_.clear();
    for (const GuardedTensor& placed : results_) left_.push_back(placed.checksum());
  }

  const Caller& caller_;
  const Tensors& inputs_;
  std::vector<GuardedTensor>& given_;
  std::vector<GuardedTensor> results_;
  Call call_;
  std::vector<std::uint64_t> left_;
};

/// Downloads the buffers as they are now.
Tensors buffers_in(const std::vector<GuardedTensor>& given) {
  Tensors buffers;
  for (const GuardedTensor& placed : given)
    if (placed.is_written()) buffers.emplace(placed.spec().name, placed.download());
  return buffers;
}

KernelRun run_among_others(const Kernel& kernel, const Case& c, const Claim& claim,
                           const Tensors& inputs, const Execution& execution) {
  const Caller caller(kernel, c, execution, kPoison);
  std::vector<GuardedTensor> given = place_given(claim, execution.backend, kPoison);
  std::vector<GuardedTensor> results = place_results(claim, execution.backend, kPoison);
  const Call call = caller.call_on(given, results);
  std::optional<OtherInstance> other(std::in_place, caller, claim, inputs, given);
  Tensors buffers;  // as the judged forward left them
  const simt::Scope scope(caller.options());
  const std::function<simt::Findings()> unchanged = [&] { return other->changed(); };
  Steps steps{[&] { return other->forward(); }};
  if (claim.backward) steps.emplace_back([&] { return other->backward(); });
  steps.emplace_back([&] { return replace(given, inputs); });
  steps.emplace_back([&] { return caller.forward(call); });
  steps.push_back(unchanged);
  if (claim.backward) {
    steps.emplace_back([&] {
      buffers = buffers_in(given);
      return other->forward();
    });
    steps.emplace_back([&] { return replace(given, inputs); });
    steps.emplace_back([&] { return replace(given, buffers); });
    steps.emplace_back([&] { return caller.backward(call); });
    steps.push_back(unchanged);
  }
  simt::Findings findings = run_steps(steps);
  other.reset();
  return leave(given, results, Keep::tensors, std::move(findings));
}

}  // namespace

KernelRun run_interleaved(const Kernel& kernel, const Case& c, const Claim& claim,
                          const Tensors& inputs, const Execution& execution) {
  const bool two = c.schema().has("streams") && c.is("streams", "2");
  const auto run = two ? run_on_two_streams : run_among_others;
  return watched(c, [&] { return run(kernel, c, claim, inputs, execution); });
}

}  // namespace gradproof
