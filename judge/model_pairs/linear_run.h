// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "core/claim/claim.h"
#include "core/tensor/tensor.h"
#include "kernels/kernel.h"
#include "oracles/linear/linear.h"

namespace gradproof {

/// One step of a pair's ModelNew: what went in, what came out, by the kernel's names on the
/// epilogue's side and by the model's own on the Linear's.
struct LinearRun {
  Claim epilogue;  ///< of the kernel behind the Linear
  Tensors inputs;  ///< the kernel's: x is the Linear's own output z; buffers as before the step
  KernelRun
      run;  ///< y, mean, rstd, buffers after the step, d_x (the cotangent of z), d_<parameter>
  std::string name;  ///< of the Linear: "matmul", "gemm"
  /// <input>, <name>.weight, <name>.bias and, with backward, d_input, d_<name>.weight,
  /// d_<name>.bias. z and d_z are inputs' x and run's d_x: nothing large is kept twice. d_z is here
  /// where the Linear was given another than the epilogue's.
  Tensors linear;

  /// All tensors of the Linear, for compare_linear; z and d_z included. Valid while this lives.
  LinearTensors linear_tensors() const;
};

}  // namespace gradproof
