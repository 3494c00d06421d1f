// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gradproof {

/// The mode of a thread's arithmetic: how results are rounded, whether subnormals are taken for 0,
/// and whether an overflow traps. The oracle's arithmetic is right in the default mode alone, and
/// other code in the process can leave another mode.
struct FloatMode {
  int rounding = 0;          ///< as fegetround() has it
  unsigned vector_bits = 0;  ///< of x86's MXCSR, without its flags, or of AArch64's FPCR; else 0
  unsigned x87_bits = 0;     ///< the control word

  friend bool operator==(const FloatMode&, const FloatMode&) = default;
};

/// The mode of this thread.
FloatMode float_mode();
void set_float_mode(const FloatMode& mode);

/// Sets the mode in which a program starts: rounding to nearest, no flushing to 0, no traps.
void set_default_float_mode();

/// The difference of `after` from `before`: "rounding mode upward, subnormal numbers flushed to 0".
std::string change_of(const FloatMode& before, const FloatMode& after);

}  // namespace gradproof
