// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "simt/view.h"

/// The functions of kernels that are generic over their element: float, double or simt::Counted.
/// All are accurate forms, never CUDA's fast ones; square roots and quotients are correctly rounded
/// on both back-ends.
namespace simt::math {
inline namespace SIMT_VIEW {

SIMT_HOST_DEVICE inline float exp(float x) { return ::expf(x); }
SIMT_HOST_DEVICE inline double exp(double x) { return ::exp(x); }

SIMT_HOST_DEVICE inline float sqrt(float x) { return ::sqrtf(x); }
SIMT_HOST_DEVICE inline double sqrt(double x) { return ::sqrt(x); }

/// 1 / sqrt(x) in two correctly rounded steps, unlike CUDA's rsqrtf.
SIMT_HOST_DEVICE inline float rsqrt(float x) { return 1.0f / ::sqrtf(x); }
SIMT_HOST_DEVICE inline double rsqrt(double x) { return 1.0 / ::sqrt(x); }

/// The value a b + c, rounded once.
SIMT_HOST_DEVICE inline float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
SIMT_HOST_DEVICE inline double fma(double a, double b, double c) { return ::fma(a, b, c); }

SIMT_HOST_DEVICE inline float max(float a, float b) { return ::fmaxf(a, b); }
SIMT_HOST_DEVICE inline double max(double a, double b) { return ::fmax(a, b); }
SIMT_HOST_DEVICE inline float min(float a, float b) { return ::fminf(a, b); }
SIMT_HOST_DEVICE inline double min(double a, double b) { return ::fmin(a, b); }
SIMT_HOST_DEVICE inline float abs(float x) { return ::fabsf(x); }
SIMT_HOST_DEVICE inline double abs(double x) { return ::fabs(x); }

}  // namespace SIMT_VIEW
}  // namespace simt::math
