// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "kernels/own/own_kernel.h"

namespace gradproof {

/// The compilations of a kernel; one of the first two may be missing.
struct OwnSystem {
  std::optional<OwnKernel> host = {};    ///< by g++: for the executor, or plain host code
  std::optional<OwnKernel> device = {};  ///< by nvcc
  CountingKernel counting = {};          ///< by g++, with a number that counts its additions
};

/// The main function of a worker with kernels of somebody's own: serve() (cli/worker/serve.h) with
/// a catalog of them. The result is the exit code; where one of them is no kernel (system_of()) it
/// is 2, and the reason goes to the front in place of hello, or to standard error where there is
/// none.
int serve_own(const std::vector<OwnSystem>& kernels, int count, char** arguments);

}  // namespace gradproof
