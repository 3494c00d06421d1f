// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/factor.h"
#include "kernels/kernel.h"

namespace gradproof {

/// A kernel for one combination of types: the same template arguments, the same compiled code.
struct Instantiation {
  std::string name;                ///< "f16", or "f16/f32" with parameters of float32
  std::vector<Level::Text> texts;  ///< dtype=f16 params=f32

  bool has(const Case& c) const;
  DType dtype() const;
};

/// The combinations of types that the schema does not refuse, in its own order.
std::vector<Instantiation> instantiations_of(const Schema& schema);

/// All respects in which Cases of the kernel differ that this combination of types runs: its
/// limits, every key of its schema, and what its tensors can hold.
std::vector<Factor> factors_of(const Kernel& kernel, const Instantiation& types);

/// A scalar: the default, exact and inexact numbers of the type, small, large and beyond it; a
/// divisor whose reciprocal is.
Factor scalar_factor(const Schema& schema, const Key& key, DType dtype);

/// Numbers of x, of dy, and of each parameter: zeros, ties, NaN, infinities, the ends of the type;
/// of x those of exp.
Factor numbers_of_x(const Kernel& kernel, DType dtype);
Factor numbers_of_dy(DType dtype);
Factor numbers_of_parameters(const Kernel& kernel);

}  // namespace gradproof
