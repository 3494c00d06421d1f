// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/case/case.h"
#include "core/tensor/tensor.h"
#include "properties/calibration/sizes/programs/arithmetic.h"

namespace gradproof::programs {

/// A graph's line, and the programs that compute its outputs and gradients.
struct Computation {
  template <class T>
  using Program = Tensors (*)(const Arithmetic<T>&, const Tensors& inputs);

  std::string_view name;
  std::string_view line;
  std::string_view extents;    ///< of the axes whose length stays
  std::string_view long_axis;  ///< the one along which sums are long
  std::int64_t beside = 1;     ///< terms of such a sum for each number of that axis
  Program<float> in_float;
  Program<double> in_double;
  std::vector<Form> forms;                           ///< that the line has, the usual one first
  std::vector<Fault> faults;                         ///< that change its results
  std::vector<std::string_view> fills = {"normal"};  ///< of what every program is run on

  /// The Case with long sums of `size` terms. Cotangents are normal, parameters around 1.
  Case of(std::int64_t size, DType dtype, std::uint64_t seed, std::string_view fill) const;

  /// Right programs: each order in the usual form, each other form in lanes, and an operator at a
  /// time.
  std::vector<Variant> right() const;
  /// Programs with a fault that makes one of this type wrong; the sums are in lanes of 128.
  std::vector<Variant> wrong(DType dtype) const;

  /// Outputs and gradients as the variant computes them in float32, each rounded once to the type.
  Tensors computed(const Variant& variant, DType dtype, const Tensors& inputs) const;
  /// The outputs and gradients in float64, with sums by a tree.
  Tensors reference(const Tensors& inputs) const;
};

const std::vector<Computation>& computations();
/// Throws UsageError with the names that there are.
const Computation& computation_named(std::string_view name);

}  // namespace gradproof::programs
