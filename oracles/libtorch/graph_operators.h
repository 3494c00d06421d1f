// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/graph/graph.h"

namespace gradproof {

using Axes = std::vector<std::string>;
using Dims = std::vector<std::int64_t>;

std::int64_t place_of(const Axes& axes, const std::string& name);

/// The tensor with its named axes in the order of `to`: permuted, with extent 1 for a missing axis.
at::Tensor aligned(const at::Tensor& t, const Axes& axes, const Axes& to);

/// The axes in their order, but with those of `last` at the end.
Axes with_last(const Axes& axes, const Axes& last);

/// LibTorch's operator of a step that is a function of one number; `number` reads an option.
at::Tensor unary_operator(const GraphStep& s, const at::Tensor& x,
                          const std::function<double(const char*)>& number);

/// LibTorch's batched matrix product, to which its matmul and einsum lead. einsum itself multiplies
/// and then adds where the axis that is summed has length 1.
at::Tensor contracted(const Graph& graph, const GraphStep& s, const at::Tensor& first,
                      const at::Tensor& second);

/// The value of a norm, whose cotangent comes to its operator with elements in the order of axes,
/// unless it repeats some. In other orders the adjoint of LibTorch's instance_norm on a CPU is
/// wrong at times (n = 1 and c axes of length 1; the axes (h, w, n, c) of an (n, c, h, w)), and
/// batch_norm sums a float32 beta's gradient in the 16 bits of x (LibTorch 2.11), as it does where
/// x itself lies so: norms are given x in the order of its axes.
at::Tensor dense(at::Tensor value);

at::Tensor convolved(const GraphStep& s, const at::Tensor& x, const at::Tensor& weight,
                     const std::optional<at::Tensor>& bias);

/// A number as an operand that does not promote the type, like a number in Python.
at::Tensor number_operand(double number);

/// LibTorch's operator of a step that is a function of two numbers; a number among its operands is
/// a number_operand().
at::Tensor binary_operator(const GraphStep& s, const at::Tensor& a, const at::Tensor& b);

/// The running statistic after a step of BatchNorm in training.
at::Tensor running_mean(const at::Tensor& x, const at::Tensor& mean, double momentum);
at::Tensor running_var(const at::Tensor& x, const at::Tensor& variance, double momentum);

/// The result of a pool over 1 to 3 axes. Throws UsageError for more.
at::Tensor pooled(const GraphStep& s, const at::Tensor& operand, const Axes& axes);

/// `of_rows`, an operator of x over the dimensions, with what the step's text says of rows of
/// nothing but -Inf; `keeps`: its result has the dimensions too.
at::Tensor with_empty_rows(const GraphStep& s, const at::Tensor& x, const Dims& over, bool keeps,
                           const std::function<at::Tensor(const at::Tensor&)>& of_rows);

/// The variance over these dimensions. at::var takes a plain number for a truth value: N - 1 or N.
at::Tensor variance(const at::Tensor& x, at::IntArrayRef dims, double correction);

/// A rotation of the two halves of the last axis against each other.
at::Tensor turned(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin);

}  // namespace gradproof
