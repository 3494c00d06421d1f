// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/calls.h"

#include "core/tensor/digest.h"
#include "simt/device.h"

namespace gradproof {
namespace {

bool is_result(const TensorSpec& spec) {
  return spec.role == Role::output || spec.role == Role::gradient;
}

}  // namespace

void append(simt::Findings& all, simt::Findings more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::vector<GuardedTensor> place_given(const Claim& claim, simt::Backend backend,
                                       std::byte poison) {
  std::vector<GuardedTensor> all;
  for (const TensorSpec& spec : claim.tensors)
    if (!is_result(spec)) all.emplace_back(spec, backend, poison);
  return all;
}

std::vector<GuardedTensor> place_results(const Claim& claim, simt::Backend backend,
                                         std::byte poison, const std::string& of) {
  std::vector<GuardedTensor> all;
  for (const TensorSpec& spec : claim.tensors)
    if (is_result(spec)) all.emplace_back(spec, backend, poison, of);
  return all;
}

simt::Findings replace(std::vector<GuardedTensor>& given, const Tensors& numbers) {
  simt::Findings findings;
  for (GuardedTensor& placed : given) {
    const auto found = numbers.find(placed.spec().name);
    if (found == numbers.end()) continue;
    append(findings, placed.changed());
    placed.put(found->second);
  }
  return findings;
}

KernelRun leave(std::vector<GuardedTensor>& given, std::vector<GuardedTensor>& results, Keep keep,
                simt::Findings findings) {
  KernelRun run;
  run.findings = std::move(findings);
  for (std::vector<GuardedTensor>* all : {&given, &results}) {
    for (GuardedTensor& placed : *all) {
      const std::string& name = placed.spec().name;
      GuardedTensor::Left left = placed.leave(run.findings);
      append(run.findings, std::move(left.findings));
      if (!placed.is_written()) continue;
      run.digests.emplace(name, digest(left.tensor));
      if (keep == Keep::tensors) run.tensors.emplace(name, std::move(left.tensor));
    }
  }
  return run;
}

simt::Findings run_steps(const Steps& steps) {
  for (const auto& step : steps)
    if (simt::Findings findings = step(); !findings.empty()) return findings;
  return {};
}

Caller::Caller(const Kernel& kernel, const Case& c, const Execution& execution, std::byte poison)
    : kernel_(kernel),
      entry_(kernel.entry_of(c)),
      plain_(kernel.call(c)),
      execution_(execution),
      poison_(poison),
      stream_(execution.backend) {
  plain_.backend = execution.backend;
  plain_.stream = stream_.handle();
}

simt::Options Caller::options() const {
  simt::Options options = execution_.options;
  options.stream = stream_.handle();
  return options;
}

Call Caller::call_on(std::vector<GuardedTensor>& given, std::vector<GuardedTensor>& results) const {
  Call call = plain_;
  for (GuardedTensor& placed : given) call.views.emplace(placed.spec().name, placed.view());
  for (GuardedTensor& placed : results) call.views.emplace(placed.spec().name, placed.view());
  return call;
}

simt::Findings Caller::forward(const Call& call) const {
  return run_pass(entry_.forward, call, "workspace of forward");
}

simt::Findings Caller::backward(const Call& call) const {
  return run_pass(entry_.backward, call, "workspace of backward");
}

/// What another pass left in its workspace must not serve this one.
simt::Findings Caller::run_pass(const EntryPoints::Function& entry, Call call,
                                const std::string& name) const {
  const std::size_t bytes = kernel_.workspace(call);
  simt::Memory workspace(call.backend, bytes, name);
  fill_with(workspace, poison_);
  const auto floats = static_cast<std::int64_t>(bytes / sizeof(float));
  call.views.insert_or_assign("workspace", View{workspace.data(), DType::f32, {floats}, {1}});
  simt::synchronize(call.backend);  // the stream does not wait for uploads and poison
  simt::Findings findings;
  try {
    entry(call);
    stream_.synchronize();
  } catch (const simt::ExecutionError& error) {
    findings = error.findings();
  }
  append(findings, damage_of(workspace, findings));
  return findings;
}

}  // namespace gradproof
