// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The header that every kernel includes. One source serves two compilers:
///   nvcc  the CUDA language itself, with the macros and `simt::launch` of device_view.h;
///   g++   the same language, run by the executor on the CPU.
/// A kernel needs no #ifdef: shared memory is `SIMT_SHARED(float, tile, [256]);` or
/// `SIMT_DYN_SHARED(float, tile);`, a launch is `simt::launch(kernel, {.grid = 4, .block = 256},
/// arguments...)`.
#include "simt/launch.h"
#include "simt/view.h"

#if defined(__CUDACC__)
#include "simt/device_view.h"
#else
#include "simt/executor_view.h"
#endif
