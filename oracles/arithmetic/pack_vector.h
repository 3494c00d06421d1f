// SPDX-License-Identifier: Apache-2.0
#pragma once
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include <cmath>

#include "oracles/arithmetic/unit_name.h"

/// Four doubles in a register where there is AVX2 with FMA, otherwise two, by the compiler's own
/// vectors: with SSE2 in a register, on any other CPU however it can. A mask is a vector whose
/// lanes are all ones or 0. Included by pack.h.
namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {
namespace raw {

#if defined(__AVX2__) && defined(__FMA__)
#define GRADPROOF_PACK_AVX2
inline constexpr int kLanes = 4;
#else
inline constexpr int kLanes = 2;
#endif
typedef double Doubles __attribute__((vector_size(8 * kLanes)));
typedef unsigned long long Bits __attribute__((vector_size(8 * kLanes)));
typedef long long Mask __attribute__((vector_size(8 * kLanes)));

[[gnu::always_inline]] inline Mask less(Doubles a, Doubles b) { return a < b; }
[[gnu::always_inline]] inline Mask less_equal(Doubles a, Doubles b) { return a <= b; }
[[gnu::always_inline]] inline Mask equal(Doubles a, Doubles b) { return a == b; }
[[gnu::always_inline]] inline Mask both(Mask a, Mask b) { return a & b; }
[[gnu::always_inline]] inline Mask either(Mask a, Mask b) { return a | b; }
[[gnu::always_inline]] inline Mask inverse(Mask a) { return ~a; }
[[gnu::always_inline]] inline Mask every(bool value) { return Mask{} - (value ? 1 : 0); }
[[gnu::always_inline]] inline Mask first(int count) {
  Mask m{};
  for (int i = 0; i < kLanes; ++i) m[i] = i < count ? -1 : 0;
  return m;
}

#ifdef GRADPROOF_PACK_AVX2
[[gnu::always_inline]] inline unsigned bits_of(Mask a) {
  return static_cast<unsigned>(_mm256_movemask_pd((__m256d)a));
}
[[gnu::always_inline]] inline Doubles blend(Mask m, Doubles a, Doubles b) {
  return _mm256_blendv_pd(b, a, (__m256d)m);
}
[[gnu::always_inline]] inline Doubles minimum(Doubles a, Doubles b) { return _mm256_min_pd(a, b); }
[[gnu::always_inline]] inline Doubles maximum(Doubles a, Doubles b) { return _mm256_max_pd(a, b); }
[[gnu::always_inline]] inline Doubles root(Doubles a) { return _mm256_sqrt_pd(a); }
[[gnu::always_inline]] inline Doubles fused(Doubles a, Doubles b, Doubles c) {
  return _mm256_fmadd_pd(a, b, c);
}
[[gnu::always_inline]] inline Doubles gathered(const double* table, Bits index) {
  return _mm256_mask_i64gather_pd(Doubles{}, table, (__m256i)index, (__m256d)every(true),
                                  sizeof(double));
}
#else
[[gnu::always_inline]] inline unsigned bits_of(Mask a) {
  unsigned bits = 0;
  for (int i = 0; i < kLanes; ++i) bits |= (a[i] ? 1u : 0u) << i;
  return bits;
}
[[gnu::always_inline]] inline Doubles blend(Mask m, Doubles a, Doubles b) {
  return (Doubles)((m & (Mask)a) | (~m & (Mask)b));
}
[[gnu::always_inline]] inline Doubles minimum(Doubles a, Doubles b) { return blend(a < b, a, b); }
[[gnu::always_inline]] inline Doubles maximum(Doubles a, Doubles b) { return blend(a > b, a, b); }
[[gnu::always_inline]] inline Doubles root(Doubles a) {
  for (int i = 0; i < kLanes; ++i) a[i] = __builtin_sqrt(a[i]);
  return a;
}
[[gnu::always_inline]] inline Doubles gathered(const double* table, Bits index) {
  Doubles r{};
  for (int i = 0; i < kLanes; ++i) r[i] = table[index[i]];
  return r;
}
#ifdef __FMA__
[[gnu::always_inline]] inline Doubles fused(Doubles a, Doubles b, Doubles c) {
  for (int i = 0; i < kLanes; ++i) c[i] = __builtin_fma(a[i], b[i], c[i]);
  return c;
}
#endif
#endif

}  // namespace raw
}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
