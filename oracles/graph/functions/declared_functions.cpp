// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/functions/declared_functions.h"

#include <algorithm>

namespace gradproof {
namespace {

/// XLA's on the CPU and on a GPU (elemental_ir_emitter, math.cc of openxla/xla): erf and tanh are
/// quotients of polynomials, within 7.9u and 6.9u of what was asked for (docs/contracts.md).
FunctionErrors xla_functions() {
  FunctionErrors f = usual_functions();
  f.erf = 9;
  f.tanh = 8;
  f.sine = 8;
  return f;
}

/// Takes the larger error of each function.
FunctionErrors larger_of(const FunctionErrors& a, const FunctionErrors& b) {
  FunctionErrors f = a;
  for (double FunctionErrors::*error :
       {&FunctionErrors::exp, &FunctionErrors::exp_argument, &FunctionErrors::log,
        &FunctionErrors::log1p, &FunctionErrors::tanh, &FunctionErrors::erf,
        &FunctionErrors::erf_absolute, &FunctionErrors::sqrt, &FunctionErrors::division,
        &FunctionErrors::rsqrt, &FunctionErrors::sine, &FunctionErrors::power})
    f.*error = std::max(a.*error, b.*error);
  f.exp_underflows = a.exp_underflows || b.exp_underflows;
  f.gelu_underflows = a.gelu_underflows || b.gelu_underflows;
  return f;
}

}  // namespace

FunctionErrors libtorch_functions(DType storage, DType accumulation) {
  FunctionErrors f;
  // GELU is oneDNN's (jit_uni_eltwise_injector.cpp). Its erf on AVX2 is formula 7.1.26 of
  // Abramowitz and Stegun, 1 - p(t) e^(-x^2) with five coefficients, within 1.5e-7, and its own
  // roundings, of numbers up to 1, take 4u; on AVX-512 it is a polynomial of degree 5 on each
  // quarter of an octave, which every float32 between 2^-10 and 6.5 was asked for: within 6.82e-7
  // (-2.97).
  if (accumulation == DType::f32) f.erf_absolute = 6.9e-7;
  // The vectors of float32 are Sleef's within 3.5 ulp (Sleef_sinf8_u35, vec256_float.h of pytorch).
  f.sine = 8;
  // at::sqrt is MKL's vector function in its high accuracy, which promises less than 1 ulp (vml.h
  // of pytorch); 0.74 ulp were seen in float64.
  f.sqrt = 2;
  // Results become bfloat16 by vcvtneps2bf16, which takes what is not normal for 0.
  f.gelu_underflows = storage == DType::bf16;
  // The vectors of exp below the smallest normal number: measured, `calibrate graphs`.
  f.exp_underflows = true;
  return f;
}

FunctionErrors functions_of(const DeclaredContract& declared, const FunctionErrors& of_libtorch) {
  using enum DeclaredContract::Functions;
  switch (declared.functions.value_or(usual)) {
    case usual:
      return usual_functions();
    case rounded:
      return {};
    case libtorch:
      return of_libtorch;
    case xla:
      return xla_functions();
    case any:
      return larger_of(xla_functions(), of_libtorch);
  }
  return {};
}

}  // namespace gradproof
