// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "kernels/kernel.h"

namespace gradproof::ops {

/// One operator of torch.ops.gradproof, and its backward: the kernel's row of the catalog as a
/// schema. Tensor names are those of the kernel's views; gradients are called d_<name>.
struct Operator {
  const Kernel* kernel = nullptr;
  std::string word;
  std::vector<std::string> parameters;  ///< in the order of the stages
  OperandNames operands;                ///< what its elementwise stages take
  bool batch_norm = false;
  bool group_norm = false;

  bool has_norm() const { return batch_norm || group_norm; }
  /// The names of x and the parameters, which have gradients, in the order of output_mask.
  std::vector<std::string> differentiable() const;

  /// The operator's schema, such as "swish_bias(Tensor x, Tensor bias) -> Tensor".
  std::string forward_schema() const;
  /// The backward's schema: "swish_bias_backward(Tensor dy, ..., bool[2] output_mask) -> (...)".
  std::string backward_schema() const;
};

/// True for weight and beta of a norm, which may be absent.
bool is_affine(const std::string& parameter);

/// All operators, in the order of the catalog.
const std::vector<Operator>& operators();

/// The operator of a name such as "gradproof::swish_bias" or "gradproof::swish_bias_backward".
/// Throws InstrumentError for an unknown name.
const Operator& operator_named(const std::string& qualified);

/// The namespace of the operators, as in torch.ops.gradproof.
inline constexpr const char* kNamespace = "gradproof";
inline constexpr const char* kBackward = "_backward";

}  // namespace gradproof::ops
