// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <utility>

#include "simt/executor/runtime.h"
#include "simt/launch.h"
#include "simt/view.h"

namespace simt {
namespace executor {

template <class... P>
struct Call {
  void (*kernel)(P...);
  std::tuple<P...> arguments;
};

/// Goes on to the next thread of the block in x, y, z order, as long as no thread has ever waited.
inline bool next_fresh_thread() {
  Running& now = running;
  if (now.fresh == 0) return next_thread();
  --now.fresh;
  if (++now.thread.x < now.block_extent.x) return true;
  now.thread.x = 0;
  if (++now.thread.y < now.block_extent.y) return true;
  now.thread.y = 0;
  ++now.thread.z;
  return true;
}

template <class... P>
void run_threads(const void* call) {
  const auto& [kernel, arguments] = *static_cast<const Call<P...>*>(call);
  do {
    std::apply(kernel, arguments);
  } while (next_fresh_thread());
}

}  // namespace executor

inline namespace SIMT_VIEW {

/// Runs the kernel to its end on the CPU under the options of the innermost simt::Scope.
/// Throws simt::ExecutionError with all findings if there are any.
template <class... P, class... A>
void launch(void (*kernel)(P...), const Launch& launch, A&&... arguments) {
  const executor::Call<P...> call{kernel, {static_cast<P>(std::forward<A>(arguments))...}};
  executor::execute({.grid = launch.grid,
                     .block = launch.block,
                     .cluster = launch.cluster,
                     .dynamic_bytes = launch.smem,
                     .stream = launch.stream,
                     .call = &call,
                     .run_threads = &executor::run_threads<P...>});
}

}  // namespace SIMT_VIEW
}  // namespace simt
