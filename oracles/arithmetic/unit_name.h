// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __FAST_MATH__
#error "the arithmetics need IEEE arithmetic as written: build without -ffast-math"
#endif

/// The namespace of this compilation. A program holds the same source once for each instruction set
/// (baseline, fma, avx512), in a namespace of its own, so that the linker never mixes them up.
#ifndef GRADPROOF_ARITHMETIC_UNIT
#define GRADPROOF_ARITHMETIC_UNIT baseline
#endif
