// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include "kernels/torch/arguments.h"
#include "kernels/torch/torch_ops.h"

/// Helpers for tests of the operators: arguments for any of them, and two ways to its results.
namespace gradproof::ops {

/// The choices of a test. No number is an identity.
struct Setting {
  at::ScalarType dtype = at::kFloat;
  at::ScalarType parameters = at::kFloat;
  std::int64_t rows = 7, cols = 12, groups = 3;
  bool training = true, affine = true, tracked = true;
  std::optional<double> momentum = 0.3;
  double eps = 1e-3;
  double divide = -2.5;
  std::vector<std::int64_t> shape = {12};  ///< of bias, scale and multiply
};

/// x, dy, parameters and buffers of an operator, by name.
inline NamedTensors tensors_of(const Operator& op, const Setting& s) {
  at::manual_seed(11);
  const auto draw = [](const std::vector<std::int64_t>& shape, at::ScalarType dtype) {
    return at::randn(shape, at::kDouble).to(dtype);
  };
  NamedTensors all{{"x", draw({s.rows, s.cols}, s.dtype)}, {"dy", draw({s.rows, s.cols}, s.dtype)}};
  for (const std::string& name : op.parameters)
    if (!is_affine(name))
      all.emplace(name, draw(s.shape, s.parameters));
    else if (s.affine)
      all.emplace(name, draw({s.cols}, s.parameters));
  if (!op.batch_norm || !s.tracked) return all;
  all.emplace("running_mean", draw({s.cols}, s.parameters));
  all.emplace("running_var", draw({s.cols}, s.parameters).abs() + 0.5);
  all.emplace("num_batches_tracked", at::full({}, 7, at::kLong));
  return all;
}

/// Copies with memory of their own; parameters and x ask for gradients if `grads` says so.
inline NamedTensors copy_of(const NamedTensors& tensors, const Operator& op, bool grads) {
  NamedTensors copies;
  for (const auto& [name, tensor] : tensors)
    copies.emplace(name, name == "x" || name == "dy" ? tensor.detach() : tensor.clone());
  if (grads)
    for (const std::string& name : op.differentiable())
      if (copies.contains(name)) copies[name] = copies[name].detach().requires_grad_(true);
  return copies;
}

inline at::Tensor part(const NamedTensors& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? at::Tensor() : found->second;
}

inline BatchNorm batch_norm_of(const NamedTensors& t, const Setting& s) {
  return {.weight = part(t, "weight"),
          .beta = part(t, "beta"),
          .running_mean = part(t, "running_mean"),
          .running_var = part(t, "running_var"),
          .num_batches_tracked = part(t, "num_batches_tracked"),
          .training = s.training,
          .momentum = s.momentum,
          .eps = s.eps};
}

inline GroupNorm group_norm_of(const NamedTensors& t, const Setting& s) {
  return {
      .weight = part(t, "weight"), .beta = part(t, "beta"), .num_groups = s.groups, .eps = s.eps};
}

/// Calls the operator through the function that C++ programs call.
inline Normalized apply(const Operator& op, const NamedTensors& t, const Setting& s) {
  const at::Tensor x = part(t, "x");
  const at::Tensor bias = part(t, "bias");
  const at::Tensor multiply = part(t, "multiply");
  const std::string& w = op.word;
  if (w == "bias_divide_swish") return {bias_divide_swish(x, bias, s.divide), {}, {}};
  if (w == "batchnorm_bias_divide_swish")
    return batchnorm_bias_divide_swish(x, batch_norm_of(t, s), bias, s.divide);
  if (w == "scale_batchnorm") return scale_batchnorm(x, part(t, "scale"), batch_norm_of(t, s));
  if (w == "swish_bias") return {swish_bias(x, bias), {}, {}};
  if (w == "swish_bias_groupnorm") return swish_bias_groupnorm(x, bias, group_norm_of(t, s));
  if (w == "groupnorm") return groupnorm(x, group_norm_of(t, s));
  if (w == "swish_multiply_swish") return {swish_multiply_swish(x, multiply), {}, {}};
  if (w == "groupnorm_swish_multiply_swish")
    return groupnorm_swish_multiply_swish(x, group_norm_of(t, s), multiply);
  throw std::invalid_argument("the tests have no call of " + w);
}

/// All results that a forward and a backward leave behind, by name.
inline NamedTensors through_operator(const Operator& op, const NamedTensors& given,
                                     const Setting& s) {
  const NamedTensors t = copy_of(given, op, true);
  const Normalized result = apply(op, t, s);
  NamedTensors all{{"y", result.y.detach()}};
  if (op.has_norm()) all.insert({{"mean", result.mean}, {"rstd", result.rstd}});
  for (const auto& [name, tensor] : t)
    if (name.starts_with("running_") || name.starts_with("num_")) all.emplace(name, tensor);
  std::vector<std::string> names;
  std::vector<at::Tensor> inputs;
  for (const std::string& name : op.differentiable()) {
    if (!t.contains(name)) continue;
    names.push_back("d_" + name);
    inputs.push_back(t.at(name));
  }
  const auto gradients = torch::autograd::grad({result.y}, inputs, {given.at("dy")});
  for (std::size_t i = 0; i < names.size(); ++i) all.emplace(names[i], gradients[i]);
  return all;
}

/// Names of tensors whose bits differ, or that only one side has; blank-separated.
inline std::string differing(const NamedTensors& got, const NamedTensors& want) {
  std::string names;
  for (const auto& [name, tensor] : got)
    if (!want.contains(name)) names += name + "(unexpected) ";
  for (const auto& [name, tensor] : want) {
    const at::Tensor mine = part(got, name);
    if (!mine.defined() || mine.scalar_type() != tensor.scalar_type() ||
        mine.sizes() != tensor.sizes() || !at::equal(mine, tensor))
      names += name + " ";
  }
  return names;
}

}  // namespace gradproof::ops
