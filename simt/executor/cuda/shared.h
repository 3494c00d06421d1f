// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "simt/executor/runtime.h"

/// `SIMT_SHARED(float, tile, [32][33]);` declares static shared memory of the block. In the
/// executor it is NaN bytes at the start of every block, accounted against the 48 KB limit and
/// followed by a red zone.
#define SIMT_SHARED(T, name, ...) SIMT_SHARED_ALIGNED(1, T, name, __VA_ARGS__)

/// The same at an address that so many bytes divide, or more where the type wants more.
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
