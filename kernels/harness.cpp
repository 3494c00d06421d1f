// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <fmt/format.h>

#include "kernels/kernel.h"
#include "simt/device.h"

namespace gradproof {
namespace {

/// One tensor of the claim in the back-end's memory.
struct Placed {
  const TensorSpec* spec;
  Tensor before;
  simt::Memory memory;

  View view() {
    auto* const first = static_cast<std::byte*>(memory.data()) +
                        static_cast<std::size_t>(spec->layout.offset) * size_of(spec->dtype);
    return {first, spec->dtype, spec->layout.shape, spec->layout.strides};
  }

  /// The whole allocation as it is now.
  Tensor after() const {
    Tensor tensor = before;
    memory.download(tensor.bytes().data(), tensor.bytes().size());
    return tensor;
  }
};

bool is_written(Role role) {
  return role == Role::buffer || role == Role::output || role == Role::gradient;
}

Placed place(const TensorSpec& spec, const Tensors& inputs, simt::Backend backend) {
  const bool given = spec.role != Role::output && spec.role != Role::gradient;
  Tensor tensor = given ? get(inputs, spec.name) : Tensor(spec.dtype, spec.layout);
  simt::Memory memory(backend, tensor.bytes().size(), spec.name);
  memory.upload(tensor.bytes().data(), tensor.bytes().size());
  return {&spec, std::move(tensor), std::move(memory)};
}

/// Bytes between the elements belong to somebody else.
bool same_padding(const Tensor& before, Tensor after) {
  const std::size_t size = size_of(before.dtype());
  for (std::int64_t i = 0; i < before.numel(); ++i) {
    const auto at = static_cast<std::size_t>(before.layout().position(i)) * size;
    std::memcpy(after.bytes().data() + at, before.bytes().data() + at, size);
  }
  return before.bytes() == after.bytes();
}

void check_memory(const simt::Memory& memory, std::vector<simt::Finding>& findings) {
  const std::string damage = memory.guard_damage();
  if (damage.empty()) return;
  for (const simt::Finding& finding : findings)
    if (finding.text.find(damage) != std::string::npos) return;  // a launch told it already
  findings.push_back({"guard-band", damage});
}

void check_tensor(const Placed& placed, const Tensor& after, std::vector<simt::Finding>& findings) {
  check_memory(placed.memory, findings);
  const std::string& name = placed.spec->name;
  if (!is_written(placed.spec->role)) {
    if (placed.before.bytes() != after.bytes())
      findings.push_back({"input-changed", name + " is only read, but its bytes changed"});
  } else if (!same_padding(placed.before, after)) {
    findings.push_back({"padding-written", name + ": written between its rows"});
  }
}

/// The tensors and a fresh workspace: what one pass left in its own must not serve the other.
struct Call {
  Call(const Kernel& kernel, const Case& c, const std::string& name, const Execution& execution)
      : elements(kernel.workspace(c)),
        workspace(execution.backend, static_cast<std::size_t>(elements) * sizeof(float), name) {}

  Views views(std::vector<Placed>& tensors) {
    Views all{{"workspace", {workspace.data(), DType::f32, {elements}, {1}}}};
    for (Placed& placed : tensors) all.emplace(placed.spec->name, placed.view());
    return all;
  }

  std::int64_t elements;
  simt::Memory workspace;
};

/// Runs one entry point to its end; whether nothing was found.
bool run_entry(const std::function<void()>& entry, const simt::Stream& stream,
               std::vector<simt::Finding>& findings) {
  try {
    entry();
    stream.synchronize();
    return true;
  } catch (const simt::ExecutionError& error) {
    findings.insert(findings.end(), error.findings().begin(), error.findings().end());
  }
  return false;
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
                     const Execution& execution) {
  std::vector<Placed> all;
  for (const TensorSpec& spec : claim.tensors)
    all.push_back(place(spec, inputs, execution.backend));
  Call forward(kernel, c, "workspace of forward", execution);
  Call backward(kernel, c, "workspace of backward", execution);
  const simt::Stream stream(execution.backend);
  simt::synchronize(execution.backend);  // the stream does not wait for the uploads

  KernelRun run;
  simt::Options options = execution.options;
  options.stream = stream.handle();
  const simt::Scope scope(options);
  const EntryPoints& entry = kernel.entry_of(c);
  const auto pass = [&](const EntryPoints::Function& function, Call& call) {
    const auto enter = [&] { function(c, call.views(all), execution.backend, stream.handle()); };
    return run_entry(enter, stream, run.findings);
  };
  if (pass(entry.forward, forward) && claim.backward) pass(entry.backward, backward);

  check_memory(forward.workspace, run.findings);
  check_memory(backward.workspace, run.findings);
  for (const Placed& placed : all) {
    Tensor after = placed.after();
    check_tensor(placed, after, run.findings);
    if (is_written(placed.spec->role)) run.tensors.emplace(placed.spec->name, std::move(after));
  }
  return run;
}

}  // namespace gradproof
