// SPDX-License-Identifier: Apache-2.0
#include "kernels/torch/run.h"

#include <limits>

#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "core/error.h"

namespace gradproof::ops {
namespace {

DType dtype_of(at::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
      return DType::f64;
    case at::kHalf:
      return DType::f16;
    case at::kBFloat16:
      return DType::bf16;
    case at::kLong:
      return DType::i64;
    default:
      return DType::f32;
  }
}

/// The memory of a tensor with its own strides.
View view_of(const at::Tensor& tensor, bool written) {
  void* data = written ? tensor.mutable_data_ptr() : const_cast<void*>(tensor.const_data_ptr());
  return {data, dtype_of(tensor.scalar_type()), tensor.sizes().vec(), tensor.strides().vec()};
}

bool is_matrix(const std::string& name) { return name == "x" || name == "dy"; }

bool is_buffer(const std::string& name) {
  return name.starts_with("running_") || name == "num_batches_tracked";
}

/// A batch of no rows has no mean: a kernel neither writes nor reads its statistics.
bool has_statistics(const Arguments& a) {
  return !a.op->batch_norm || !a.batch_statistics() || a.x().size(0) > 0;
}

/// Kernels take vectors without gaps; a copy of one column costs nothing beside a pass over x.
NamedTensors without_gaps(const NamedTensors& tensors) {
  NamedTensors all;
  for (const auto& [name, tensor] : tensors)
    all.emplace(name, is_matrix(name) || is_buffer(name) ? tensor : tensor.contiguous());
  return all;
}

Call call_of(const Arguments& a) {
  Call call;
  call.scalars = a.scalars;
  call.scalars.try_emplace("momentum", std::numeric_limits<double>::quiet_NaN());  // None
  call.extents = {{"rows", a.x().size(0)}, {"cols", a.x().size(1)}};
  if (a.op->group_norm) call.extents["groups"] = a.extents.at("num_groups");
  call.flags = {{"training", a.training()}, {"batch_statistics", a.batch_statistics()}};
  call.operands = a.op->operands;
  call.dtype = dtype_of(a.x().scalar_type());
  call.parameters = dtype_of(a.parameter_dtype());
  return call;
}

/// `written` are the results; the tensors that they are made from live until the work is enqueued.
void run(const Arguments& a, const EntryPoints::Function& entry, const NamedTensors& written) {
  Call call = call_of(a);
  const at::Device device = a.x().device();
  const c10::OptionalDeviceGuard guard(device.is_cpu() ? std::nullopt : std::optional(device));
  if (!device.is_cpu()) {
    call.backend = simt::Backend::cuda;
    const c10::impl::VirtualGuardImpl current(device.type());
    call.stream = static_cast<cudaStream_t>(current.getStream(device).native_handle());
  }
  const NamedTensors read = without_gaps(a.tensors);
  for (const auto& [name, tensor] : read)
    call.views.emplace(name, view_of(tensor, is_buffer(name) && a.training()));
  for (const auto& [name, tensor] : written)
    call.views.insert_or_assign(name, view_of(tensor, true));
  if (!has_statistics(a)) {
    call.views.erase("mean");
    call.views.erase("rstd");
  }
  const auto bytes = static_cast<std::int64_t>(a.op->kernel->workspace(call));
  constexpr auto kFloat = static_cast<std::int64_t>(sizeof(float));
  const at::Tensor workspace =
      at::empty({(bytes + kFloat - 1) / kFloat}, a.x().options().dtype(at::kFloat));
  call.views.emplace("workspace", view_of(workspace, true));
  try {
    entry(call);
  } catch (const std::runtime_error& error) {  // the executor's findings, a refusal of the catalog
    TORCH_CHECK(false, a.name, ": ", error.what());
  }
}

}  // namespace

std::vector<at::Tensor> forward(const Arguments& a) {
  check_forward(a);
  const at::Tensor& x = a.x();
  const auto options = x.options().memory_format(at::MemoryFormat::Contiguous);
  NamedTensors results{{"y", at::empty_symint(x.sym_sizes(), options)}};
  std::vector<at::Tensor> ordered{results.at("y")};
  if (a.op->has_norm()) {
    const std::vector<c10::SymInt> sizes =
        a.op->batch_norm ? std::vector<c10::SymInt>{x.sym_size(1)}
                         : std::vector<c10::SymInt>{x.sym_size(0), a.extents.at("num_groups")};
    for (const char* name : {"mean", "rstd"}) {
      ordered.push_back(at::empty_symint(sizes, options.dtype(a.accumulation_dtype())));
      results.emplace(name, ordered.back());
    }
  }
  if (x.is_meta()) return ordered;
  if (!has_statistics(a))
    for (const char* name : {"mean", "rstd"})
      results.at(name).fill_(std::numeric_limits<double>::quiet_NaN());
  run(a, a.op->kernel->entry.forward, results);
  return ordered;
}

std::vector<at::Tensor> backward(const Arguments& a) {
  check_backward(a);
  NamedTensors results;
  std::vector<at::Tensor> ordered;
  const std::vector<std::string> names = a.op->differentiable();
  for (std::size_t i = 0; i < names.size(); ++i) {
    ordered.emplace_back();
    if (!a.output_mask[i]) continue;
    const at::Tensor& of = a.tensors.at(names[i]);
    ordered.back() =
        at::empty_symint(of.sym_sizes(), of.options().memory_format(at::MemoryFormat::Contiguous));
    results.emplace("d_" + names[i], ordered.back());
  }
  if (a.x().is_meta() || results.empty()) return ordered;
  run(a, a.op->kernel->entry.backward, results);
  return ordered;
}

}  // namespace gradproof::ops
