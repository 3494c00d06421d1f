// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/evaluate/arithmetic.h"

namespace gradproof {

/// The properties of an arithmetic on which steps and verdicts depend.
struct Precision {
  double unit = 0;     ///< relative error of one operation
  int finest = 0;      ///< log2 of a sweep's finest step over the scale: rounding dominates there
  double nothing = 0;  ///< a gradient below nothing * typical_gradient counts as 0
};

/// At the best step of order 4 the error of a difference is about unit^(4/5) times the value's
/// magnitude over the scale: 1e-37 with 47 digits, 1e-40 with 50. There a gradient below `nothing`
/// cannot be distinguished from 0. For double-doubles `nothing` is 0, because the 1e-25 that they
/// resolve may well be a gradient.
inline Precision precision_of(AuditArithmetic arithmetic) {
  switch (arithmetic) {
    case AuditArithmetic::double_double:
      return {0x1p-104, -50, 0};
    case AuditArithmetic::triple_double:
      return {0x1p-156, -75, 1e-33};
    case AuditArithmetic::digits50:
      break;
  }
  return {0x1p-166, -80, 1e-38};
}

inline bool is_last(AuditArithmetic arithmetic) { return arithmetic == AuditArithmetic::digits50; }
inline AuditArithmetic next_after(AuditArithmetic arithmetic) {
  return arithmetic == AuditArithmetic::double_double ? AuditArithmetic::triple_double
                                                      : AuditArithmetic::digits50;
}

}  // namespace gradproof
