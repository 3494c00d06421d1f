// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/case/case.h"
#include "core/claim/contract.h"
#include "core/claim/pipeline.h"
#include "core/tensor/tensor.h"

namespace gradproof {

///   input      x: filled by the Case's fill
///   parameter  weight, beta, bias: filled with numbers that are no identity; has a gradient
///              d_<name>
///   buffer     running_mean, ...: read and written in place by forward
///   cotangent  dy
///   output     written by forward (y, mean, rstd)
///   gradient   written by backward (d_x, d_weight, ...)
enum class Role { input, parameter, buffer, cotangent, output, gradient };

/// A tensor that takes part in a Case. Shapes: (rows, cols) of x, y, dy and d_x; (cols), (1) or
/// (1, cols) of parameters and their gradients; (cols) or (rows, groups) of saved statistics.
struct TensorSpec {
  std::string name;
  Role role = Role::input;
  DType dtype = DType::f32;
  Layout layout;
};

/// All that the witnesses may know of a kernel for one Case: its mathematics, its promises and its
/// tensors. Never the kernel itself.
struct Claim {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t groups = 0;  ///< of columns that a GroupNorm takes together; 0: there is none
  bool forward = true;      ///< whether forward's outputs and buffers are judged
  bool backward = true;     ///< whether gradients are judged
  Pipeline pipeline;
  Contract contract;
  std::vector<TensorSpec> tensors;

  /// A unit is what is normalised together: a column over all rows, or with groups one row of one
  /// group. A block is all units that share their parameters: a column, or a group over all rows.
  std::int64_t blocks() const { return groups > 0 ? groups : cols; }
  std::int64_t block_width() const { return groups > 0 ? cols / groups : 1; }  ///< columns of one

  /// Whether the tensor has one element for each of x: x itself, y, dy, d_x.
  bool is_matrix(const TensorSpec& spec) const;
  bool has(std::string_view name) const;
  /// Throws InstrumentError for an unknown name.
  const TensorSpec& tensor(std::string_view name) const;
};

}  // namespace gradproof
