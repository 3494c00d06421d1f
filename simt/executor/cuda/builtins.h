// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simt/executor/runtime.h"

// These are macros, because CUDA's are variables that differ per thread.
#define threadIdx (::simt::executor::running.thread)
#define blockIdx (::simt::executor::running.block)
#define blockDim (::simt::executor::running.block_extent)
#define gridDim (::simt::executor::running.grid_extent)

constexpr int warpSize = 32;
