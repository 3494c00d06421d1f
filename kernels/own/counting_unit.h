// SPDX-License-Identifier: Apache-2.0
#pragma once

// In front of sources that were written with float, this file makes float a number that counts its
// additions, and a 16-bit type one that stores such a number (docs/bring-your-own.md). The headers
// that sources include come first, because the macros below change their words.
#include <algorithm>
#include <array>
#include <cassert>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/own/own_kernel.h"
#include "simt/counted_functions.h"
#include "simt/counted_storage.h"
#include "simt/simt.h"

using GradproofCounted = simt::Counted;
using GradproofCounted2 = simt::Counted2;
using GradproofCounted3 = simt::Counted3;
using GradproofCounted4 = simt::Counted4;
using GradproofCountedHalf = simt::CountedHalf;
using GradproofCountedBfloat16 = simt::CountedBfloat16;

#define float GradproofCounted
#define float2 GradproofCounted2
#define float3 GradproofCounted3
#define float4 GradproofCounted4
#define make_float2 ::simt::make_counted2
#define make_float3 ::simt::make_counted3
#define make_float4 ::simt::make_counted4
#define __half GradproofCountedHalf
#define half GradproofCountedHalf
#define __nv_bfloat16 GradproofCountedBfloat16
#define nv_bfloat16 GradproofCountedBfloat16
