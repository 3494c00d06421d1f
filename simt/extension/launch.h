// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "simt/host.h"
#include "simt/simt.h"

/// Launches of an extension module that Python has loaded, whose text was written for nvcc alone
/// (docs/load-inline.md). Findings are kept for the judge, as the candidate's own code may catch
/// what a launch throws.
namespace simt::extension {

/// The stream that a shim of torch's stream functions returns; never null.
cudaStream_t caller_stream();

/// The options of this process's next launch. A launch on the default stream is noted as a finding.
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

/// Launches a kernel that is a template whose arguments the launch deduces; `kernel` is a lambda
/// around the template.
template <class Kernel, class... A>
void launch_deduced(Kernel kernel, const Launch& at, const A&... arguments) {
  // Without its namespace, simt::launch would be found too, by argument-dependent lookup.
  extension::launch(static_cast<void (*)(std::decay_t<A>...)>(kernel), at, arguments...);
}

}  // namespace simt::extension
