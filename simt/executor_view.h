// SPDX-License-Identifier: Apache-2.0
#pragma once

/// CUDA's names for g++. The real CUDA headers give the types, vectors, half and bfloat16; nothing
/// of CUDA is linked. Everything they cannot give outside nvcc comes from simt/executor/.
#include <cmath>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <vector_functions.h>
#include <vector_types.h>

// The headers leave these words empty for g++, but __shared__ must not silently become an ordinary
// local variable.
#undef __shared__
#define __shared__ simt_needs_SIMT_SHARED_instead_of_

// The executor has no registers to limit.
#define __launch_bounds__(...)

#include "simt/executor/cuda/atomics.h"
#include "simt/executor/cuda/builtins.h"
#include "simt/executor/cuda/device_math.h"
#include "simt/executor/cuda/shared.h"
#include "simt/executor/cuda/synchronisation.h"
#include "simt/executor/launch.h"
