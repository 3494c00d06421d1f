// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "oracles/differences/evaluate/arithmetic.h"

namespace gradproof {

/// What the engine knows of an arithmetic.
struct Precision {
  double unit = 0;     ///< relative error of an operation
  int finest = 0;      ///< the sweep's last step, 2^finest of the scale: rounding rules there
  double nothing = 0;  ///< a gradient so far below the value's magnitude over the scale is 0
};

/// At the best step of order 4 a difference is off by about unit^(4/5) of the value's magnitude
/// over the scale: 1e-37 with 47 digits, 1e-40 with 50. What lies below `nothing` cannot be told
/// from 0 there. Double-doubles are not trusted with it: their 1e-25 may well be a gradient.
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

/// What the audit wants, for the verdict on an entry.
struct Aim {
  int digits = 20;
  bool direct = false;
  double tolerance() const { return std::pow(10.0, -digits); }
};

}  // namespace gradproof
