// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/case/inputs.h"
#include "kernels/kernel.h"
#include "tests/support/catalog.h"

namespace gradproof {

/// A Case of batchnorm_bias_divide_swish with these keys.
inline Case case_of(const std::string& keys) {
  return parse_case("batchnorm_bias_divide_swish " + keys, schemas());
}

/// The kernel's run of the Case on the inputs that the Case names, and as it says.
inline KernelRun run(const Kernel& kernel, const Case& c) {
  const Claim claim = kernel.claim(c);
  return run_kernel(kernel, c, claim, make_inputs(c, claim), execution_of(c));
}

inline KernelRun run(const Case& c) { return run(kernel_of(c), c); }

}  // namespace gradproof
