// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <immintrin.h>

#include "oracles/arithmetic/unit_name.h"

/// Eight doubles in a register, by AVX-512F and DQ; a mask is a register of bits. Included by
/// pack.h. The forms with a mask of ones take no undefined register, which GCC 12 warns about.
namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {
namespace raw {

inline constexpr int kLanes = 8;
typedef double Doubles __attribute__((vector_size(64)));
typedef unsigned long long Bits __attribute__((vector_size(64)));
typedef unsigned char Mask;
inline constexpr Mask kAll = 0xff;

[[gnu::always_inline]] inline Mask less(Doubles a, Doubles b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
[[gnu::always_inline]] inline Mask less_equal(Doubles a, Doubles b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}
[[gnu::always_inline]] inline Mask equal(Doubles a, Doubles b) {
  return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
[[gnu::always_inline]] inline Mask both(Mask a, Mask b) { return a & b; }
[[gnu::always_inline]] inline Mask either(Mask a, Mask b) { return a | b; }
[[gnu::always_inline]] inline Mask inverse(Mask a) { return static_cast<Mask>(~a); }
[[gnu::always_inline]] inline Mask every(bool value) { return value ? kAll : Mask(0); }
[[gnu::always_inline]] inline Mask first(int count) { return static_cast<Mask>((1u << count) - 1); }
[[gnu::always_inline]] inline unsigned bits_of(Mask a) { return a; }

[[gnu::always_inline]] inline Doubles blend(Mask m, Doubles a, Doubles b) {
  return _mm512_mask_blend_pd(m, b, a);
}
[[gnu::always_inline]] inline Doubles minimum(Doubles a, Doubles b) {
  return _mm512_maskz_min_pd(kAll, a, b);
}
[[gnu::always_inline]] inline Doubles maximum(Doubles a, Doubles b) {
  return _mm512_maskz_max_pd(kAll, a, b);
}
[[gnu::always_inline]] inline Doubles root(Doubles a) { return _mm512_maskz_sqrt_pd(kAll, a); }
[[gnu::always_inline]] inline Doubles fused(Doubles a, Doubles b, Doubles c) {
  return _mm512_fmadd_pd(a, b, c);
}
[[gnu::always_inline]] inline Doubles gathered(const double* table, Bits index) {
  return _mm512_mask_i64gather_pd(Doubles{}, kAll, (__m512i)index, table, sizeof(double));
}

}  // namespace raw
}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
