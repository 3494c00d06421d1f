// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace gradproof {

/// The arithmetic of the values that are differenced: 31, 47 or 400 digits. The first two come in
/// packs and decide most entries; the last decides the others.
enum class AuditArithmetic { double_double, triple_double, digits400 };

/// The properties of an arithmetic on which steps and verdicts depend.
struct Precision {
  long double unit = 0;  ///< relative error of one operation
  int finest = 0;        ///< log2 of the finest step over the scale: in a sweep rounding dominates
  double nothing = 0;    ///< a gradient below nothing * typical_gradient counts as 0
};

/// At the best step of order 4 the error of a difference is about unit^(4/5) times the value's
/// magnitude over the scale, 1e-37 with 47 digits: there a gradient below `nothing` cannot be
/// distinguished from 0. For double-doubles `nothing` is 0, because the 1e-25 that they resolve may
/// well be a gradient. With 400 digits only one step is taken (settle() in unit_audit.cpp), at
/// which a difference is right to 2^-400.
inline Precision precision_of(AuditArithmetic arithmetic) {
  if (arithmetic == AuditArithmetic::double_double) return {0x1p-104, -50, 0};
  if (arithmetic == AuditArithmetic::triple_double) return {0x1p-156, -75, 1e-33};
  return {0x1p-1328L, -200, 1e-100};
}

/// The way of computing the change of L for every entry of a tensor in one unit, moved alone.
enum class Method {
  direct,      ///< the whole unit is evaluated again for each entry
  together,    ///< all entries are moved at once, since each affects its own elements only
  statistics,  ///< through the mean and the variance of the unit (docs/audit.md)
};

/// The unevaluated sum of three doubles, the largest first; NaN where hi is not finite.
struct Wide {
  double hi = 0;
  double mid = 0;
  double lo = 0;
};

/// The central difference of one number in one unit, in doubles, which certify most entries. All
/// members are absolute.
struct Difference {
  Wide claimed;
  double error = 0;       ///< D(h) - claimed, rounded once
  double self_error = 0;  ///< D(h) - D(2h)
  double jump = 0;        ///< Entry::jump
};

}  // namespace gradproof
