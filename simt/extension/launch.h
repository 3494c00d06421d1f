// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "simt/host.h"
#include "simt/simt.h"

/// Launches of an extension module that Python has loaded, whose text was written for nvcc alone
/// (docs/load-inline.md). Findings are kept for whoever judges: the candidate's own code may catch
/// what a launch throws.
namespace simt::extension {

/// What a shim of torch's stream functions answers; never null.
cudaStream_t caller_stream();

/// The options of the next launch of this process. Notes that the launch is on the default stream.
Options options_of_launch(cudaStream_t stream);

void note(const Findings& findings);

template <class... P, class... A>
void launch(void (*kernel)(P...), Launch at, A&&... arguments) {
  const Scope scope(options_of_launch(at.stream));
  if (at.stream == nullptr) at.stream = caller_stream();
  try {
    simt::launch(kernel, at, std::forward<A>(arguments)...);
  } catch (const ExecutionError& error) {
    note(error.findings());
    throw;
  }
}

/// Launches a kernel that is a template whose arguments the launch deduces: `kernel` is a lambda
/// around it.
template <class Kernel, class... A>
void launch_deduced(Kernel kernel, const Launch& at, const A&... arguments) {
  // Without its name space simt::launch would be found too, by its argument.
  extension::launch(static_cast<void (*)(std::decay_t<A>...)>(kernel), at, arguments...);
}

}  // namespace simt::extension
