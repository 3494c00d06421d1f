// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gradproof {

/// The use of a tensor that no step computes. Where its uses imply several parts, the tensor has
/// the one that stands last in this list.
///   value             made by a step that another part of the graph has; has a gradient
///   input             filled as the Case says; has a gradient
///   parameter         numbers that are no identity of their stage; has a gradient
///   fixed             filled as an input is, but the text asks for no gradient: a mask, a target
///   running_mean      a buffer of PyTorch's BatchNorm: no gradient
///   running_variance  another one: not negative, no gradient
///   labels            whole numbers that choose along an axis; no gradient
enum class TensorPart { value, input, parameter, fixed, running_mean, running_variance, labels };

constexpr bool has_gradient(TensorPart part) { return part <= TensorPart::parameter; }

/// The ways in which a fixed tensor is drawn.
///   filled   as an input, by the Case's fill
///   coin     0 or 1, as a dropout's mask
///   causal   of the last two axes i, j: 0 where j <= i, else -Inf
///   padding  0 up to a length drawn for each row of the last axis, at least 1; -Inf behind it
///            (a mask by which a step chooses has 1 for 0, and 0 for -Inf)
///   onehot   one 1 in each row of the last axis, else 0
enum class FixedKind { filled, coin, causal, padding, onehot };

/// True where the fills of a Case say what its numbers are.
constexpr bool is_filled(TensorPart part) {
  return part == TensorPart::input || part == TensorPart::fixed;
}

}  // namespace gradproof
