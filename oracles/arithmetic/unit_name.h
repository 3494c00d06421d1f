// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __FAST_MATH__
#error "the arithmetics need IEEE arithmetic as written: build without -ffast-math"
#endif

/// The compilation that this text belongs to. A program holds it once for each instruction set
/// (baseline, fma, avx512) and names them apart, so that the linker never takes one for the other.
#ifndef GRADPROOF_ARITHMETIC_UNIT
#define GRADPROOF_ARITHMETIC_UNIT baseline
#endif
