// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gradproof {

/// How a thread computes: how it rounds, whether it takes subnormal numbers for 0, whether an
/// overflow traps. The oracle's arithmetic is right in the default mode alone, and code that is
/// loaded beside it can leave another.
struct FloatMode {
  int rounding = 0;          ///< as fegetround() has it
  unsigned vector_bits = 0;  ///< of x86's MXCSR, without its flags, or of AArch64's FPCR; else 0
  unsigned x87_bits = 0;     ///< the control word

  friend bool operator==(const FloatMode&, const FloatMode&) = default;
};

/// This thread's.
FloatMode float_mode();
void set_float_mode(const FloatMode& mode);

/// To nearest, nothing flushed, nothing traps: as a program starts.
void set_default_float_mode();

/// What is other than in `before`: "rounding mode upward, subnormal numbers flushed to 0".
std::string change_of(const FloatMode& before, const FloatMode& after);

}  // namespace gradproof
