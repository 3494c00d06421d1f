// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "simt/executor/runtime.h"

/// `SIMT_SHARED(float, tile, [32][33]);` declares static shared memory of the block. The executor
/// fills this memory with NaN bytes at the start of every block, counts it against the 48 KB limit
/// and puts a red zone behind it.
#define SIMT_SHARED(T, name, ...) SIMT_SHARED_ALIGNED(1, T, name, __VA_ARGS__)

/// Declares the same memory at a multiple of `bytes`, or of the type's alignment if that is larger.
#define SIMT_SHARED_ALIGNED(bytes, T, name, ...)                                                   \
  using SimtShared_##name = T __VA_ARGS__;                                                         \
  static_assert(std::is_trivially_copyable_v<std::remove_all_extents_t<SimtShared_##name>>);       \
  static constinit ::simt::executor::SharedSite simt_site_##name{                                  \
      sizeof(SimtShared_##name), std::max<std::size_t>(bytes, alignof(SimtShared_##name)), #name}; \
  SimtShared_##name& name =                                                                        \
      *static_cast<SimtShared_##name*>(::simt::executor::shared_memory(simt_site_##name))

/// `SIMT_DYN_SHARED(float, tile);` names the block's dynamic shared memory as a pointer to T.
#define SIMT_DYN_SHARED(T, name) \
  T* const name = static_cast<T*>(::simt::executor::dynamic_shared_memory())  // NOLINT: T is a type
