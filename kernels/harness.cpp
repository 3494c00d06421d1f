// SPDX-License-Identifier: Apache-2.0
#include "core/digest.h"
#include "kernels/kernel.h"
#include "kernels/placed.h"
#include "simt/device.h"

namespace gradproof {
namespace {

std::vector<Placed> place_all(const Claim& claim, const Tensors& inputs, simt::Backend backend,
                              std::byte poison) {
  std::vector<Placed> all;
  for (const TensorSpec& spec : claim.tensors) {
    const bool given = spec.role != Role::output && spec.role != Role::gradient;
    all.emplace_back(spec, given ? &get(inputs, spec.name) : nullptr, backend, poison);
  }
  return all;
}

/// Runs one entry point to its end; what the executor found.
std::vector<simt::Finding> run_entry(const EntryPoints::Function& entry, const Call& call,
                                     const simt::Stream& stream) {
  try {
    entry(call);
    stream.synchronize();
  } catch (const simt::ExecutionError& error) {
    return error.findings();
  }
  return {};
}

void append(std::vector<simt::Finding>& all, std::vector<simt::Finding> more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// One pass with a workspace of its own: what another left in its must not serve it.
std::vector<simt::Finding> run_pass(const Kernel& kernel, const EntryPoints::Function& entry,
                                    Call call, const std::string& workspace_name,
                                    const simt::Stream& stream, std::byte poison) {
  const std::size_t bytes = kernel.workspace(call);
  simt::Memory workspace(call.backend, bytes, workspace_name);
  fill_with(workspace, poison);
  const auto floats = static_cast<std::int64_t>(bytes / sizeof(float));
  call.views.insert_or_assign("workspace", View{workspace.data(), DType::f32, {floats}, {1}});
  simt::synchronize(call.backend);  // the stream does not wait for uploads and poison
  std::vector<simt::Finding> findings = run_entry(entry, call, stream);
  append(findings, damage_of(workspace, findings));
  return findings;
}

}  // namespace

Execution execution_of(const Case& c) {
  Execution execution;
  if (c.is("device", "cuda")) execution.backend = simt::Backend::cuda;
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
  const std::byte poison = keep == Keep::tensors ? kPoison : kOtherPoison;
  std::vector<Placed> all = place_all(claim, inputs, execution.backend, poison);
  const simt::Stream stream(execution.backend);
  simt::Options options = execution.options;
  options.stream = stream.handle();
  const simt::Scope scope(options);

  Call call = kernel.call(c);
  for (Placed& placed : all) call.views.emplace(placed.spec().name, placed.view());
  call.backend = execution.backend;
  call.stream = stream.handle();

  KernelRun run;
  const EntryPoints& entry = kernel.entry_of(c);
  run.findings = run_pass(kernel, entry.forward, call, "workspace of forward", stream, poison);
  if (run.findings.empty() && claim.backward)
    run.findings = run_pass(kernel, entry.backward, call, "workspace of backward", stream, poison);

  for (Placed& placed : all) {
    Placed::Left left = placed.leave(run.findings);
    append(run.findings, std::move(left.findings));
    if (!placed.is_written()) continue;
    run.digests.emplace(placed.spec().name, digest(left.tensor));
    if (keep == Keep::tensors) run.tensors.emplace(placed.spec().name, std::move(left.tensor));
  }
  return run;
}

}  // namespace gradproof
