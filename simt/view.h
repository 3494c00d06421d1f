// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The templates here mean different code to nvcc and to g++, and one program links both. Code that
/// differs lives in an inline namespace named after the compiler that sees it, so that the linker
/// never merges the two.
#if defined(__CUDACC__)
#define SIMT_VIEW device_view
#define SIMT_HOST_DEVICE __host__ __device__
#else
#define SIMT_VIEW executor_view
#define SIMT_HOST_DEVICE
#endif
