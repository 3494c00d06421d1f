// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include "kernels/torch/operator.h"

namespace gradproof::ops {

/// The tensors by the names of the schema, which are those of the kernel's views.
using NamedTensors = std::map<std::string, at::Tensor, std::less<>>;

/// The arguments of one call of an operator or of its backward.
struct Arguments {
  const Operator* op = nullptr;
  std::string name;      ///< gradproof::swish_bias, as errors call it
  NamedTensors tensors;  ///< an absent one has no entry, and so below
  ByName<double> scalars;
  ByName<std::int64_t> extents;
  ByName<bool> flags;
  std::vector<bool> output_mask;  ///< of a backward: which gradients are wanted

  bool has(const std::string& tensor) const { return tensors.contains(tensor); }
  const at::Tensor& x() const { return tensors.at("x"); }
  bool tracked() const { return has("running_mean"); }
  bool training() const { return flags.contains("training") && flags.at("training"); }
  /// True if a BatchNorm takes the batch's statistics: by a backward's flag or a forward's buffers.
  bool batch_statistics() const;
  at::ScalarType parameter_dtype() const;
  at::ScalarType accumulation_dtype() const;
};

/// Reads the arguments from the top of the stack, which stays as it is.
Arguments read(const c10::FunctionSchema& schema, const torch::jit::Stack& stack);

/// These throw c10::Error (a NotImplementedError for tensors that no kernel takes, a ValueError for
/// numbers out of range and for one row that has no variance) unless the kernel can be called.
/// Shapes may be symbolic.
void check_forward(const Arguments& arguments);
void check_backward(const Arguments& arguments);

/// Checks that required tensors are there, and that none is sparse or quantised; reads no memory.
void check_dense(const Arguments& arguments);

}  // namespace gradproof::ops
