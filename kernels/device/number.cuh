// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>

#include "simt/math.h"
#include "simt/simt.h"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// Converts one of the types S, P, A to another: widening is exact, narrowing rounds once, to
/// nearest even. If neither is a half type, both are the same type.
template <class To, class From>
__device__ To convert(const From& from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (std::is_same_v<From, __half>) {
    return To(__half2float(from));
  } else if constexpr (std::is_same_v<From, __nv_bfloat16>) {
    return To(__bfloat162float(from));
  } else if constexpr (std::is_same_v<To, __half>) {
    return __float2half_rn(static_cast<float>(from));
  } else {
    static_assert(std::is_same_v<To, __nv_bfloat16>, "no such combination of S, P and A");
    return __float2bfloat16_rn(static_cast<float>(from));
  }
}

/// Converts a count to a number of A.
template <class A>
__device__ A number(std::int64_t count) {
  if constexpr (std::is_same_v<A, double>) {
    return static_cast<double>(count);
  } else {
    return A(static_cast<float>(count));
  }
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
