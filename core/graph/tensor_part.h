// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gradproof {

/// The use of a tensor that no step computes. Where its uses imply several parts, the tensor has
/// the one that stands last in this list.
///   value             made by a step that another part of the graph has; has a gradient
///   input             filled as the Case says; has a gradient
///   parameter         numbers that are no identity of their stage; has a gradient
///   running_mean      a buffer of PyTorch's BatchNorm: no gradient
///   running_variance  another one: not negative, no gradient
///   labels            whole numbers that choose along an axis; no gradient
enum class TensorPart { value, input, parameter, running_mean, running_variance, labels };

constexpr bool has_gradient(TensorPart part) { return part <= TensorPart::parameter; }

}  // namespace gradproof
