// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "fixtures/models/linear_model.h"
#include "judge/model_pairs/linear_run.h"

namespace gradproof {

/// The tensor's values: contiguous, on the host, in the same dtype.
Tensor values_of(const at::Tensor& tensor);

/// A tensor in the memory of a dense one, which must outlive it.
at::Tensor torch_view(Tensor& tensor);

/// The kernels that the models' operators call: those of this tree, no mutants.
const Catalog& model_kernels();

/// The Case of the kernel behind the Linear for a batch of that many rows, at the inputs' defaults.
/// `op` is both, forward or backward, as in Case lines.
Case kernel_case(const LinearModel& model, std::int64_t rows, const std::string& op = "both");

/// Throws InstrumentError if the model says that it runs another kernel than the Case asks for, or
/// the same with other numbers. A model's own word is never what it is judged by.
void refuse_another_epilogue(const Case& c, const LinearModel& model);

/// The input and cotangents of one step, and functions that replace its intermediate results.
struct ModelStep {
  Tensor input;
  std::function<Tensor(const Tensor& z)> cotangent;
  std::string op = "both";
  /// Replaces the Linear's result before anybody else sees it: a fault, in tests.
  std::function<at::Tensor(const at::Tensor& z)> product = {};
  /// Makes the cotangent that the Linear gets instead of the one that the epilogue gave.
  std::function<Tensor(const Shape& shape)> d_z = {};
};

/// One step of a ModelNew as it is, on its parameters' device: forward and, unless op is forward,
/// backward from dy = cotangent(z). Gradients are set, buffers updated, as in any step.
/// Throws InstrumentError for a gradient that is missing.
LinearRun run_step(LinearModel& model, ModelStep step);
inline LinearRun run_step(LinearModel& model, Tensor input,
                          const std::function<Tensor(const Tensor& z)>& cotangent,
                          const std::string& op = "both") {
  return run_step(model, ModelStep{std::move(input), cotangent, op});
}

/// Runs run_linear with `product` in the way of the Linear's result: a fault, in tests.
LinearRun run_linear(const Case& c, std::function<at::Tensor(const at::Tensor& z)> product);

}  // namespace gradproof
