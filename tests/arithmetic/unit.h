// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "core/claim/claim.h"
#include "core/instruction_set.h"

namespace gradproof::oracle_tests {

/// A certified number as plain data.
struct Triple {
  double hi = 0;
  double lo = 0;
  double radius = 0;
};

enum class Operation {
  plus,
  plus_double,
  minus,
  times,
  times_double,
  over,
  over_double,
  root,
  exponential,
  sigmoid,
  complement,
  swish,
  slope,
  count
};

/// The functions of certified_functions.h.
enum class Function { expm1, tanh, erf, log, log1p, sin, cos };

/// An ErrorScalar as plain data.
struct ErrorNumbers {
  double v = 0;
  double e = 0;
  double c[4] = {};
  double vacuous = 0;
  double overflow = 0;
};

/// The results of one unit's reductions.
struct Reductions {
  Triple sum;
  Triple dot;
  Triple mean;
  Triple variance;
  Triple rstd;
};

struct ErrorReductions {
  ErrorNumbers sum;
  ErrorNumbers dot;
  ErrorNumbers mean;
  ErrorNumbers variance;
  ErrorNumbers rstd;
};

/// The arithmetics compiled for one instruction set. `packed` goes through Pack, `single` through
/// double, in the same compilation; the tests' own code is compiled for any CPU.
struct ArithmeticUnit {
  InstructionSet set;
  int lanes;
  /// The number of results of Pack's operations on a and b that are not double's; with `control`
  /// one lane of each result is moved by one unit in the last place before.
  std::int64_t (*strangers)(const double* a, const double* b, bool control);
  void (*certified)(Operation operation, const Triple* a, const Triple* b, std::int64_t count,
                    Triple* packed, Triple* single);
  /// With `wrong` one coefficient of the function is wrong.
  void (*function)(Function function, bool wrong, const Triple* a, std::int64_t count,
                   Triple* packed, Triple* single);
  /// The operations by number: + - * / swish, its adjoint (a the cotangent), shared, folded. With
  /// `flushed` they are those of float32 that flushes to zero.
  void (*bounding)(const Claim& claim, int operation, bool flushed, const ErrorNumbers* a,
                   const ErrorNumbers* b, std::int64_t count, ErrorNumbers* packed,
                   ErrorNumbers* single);
  void (*exp_of_negative)(const double* x, std::int64_t count, double* packed, double* single);
  /// The reductions of x and y; pads of the last pack are what `load` makes of them.
  Reductions (*reduced)(const double* x, const double* y, std::int64_t count, double eps);
  ErrorReductions (*reduced_errors)(const Claim& claim, const ErrorNumbers* x,
                                    const ErrorNumbers* y, std::int64_t count, double eps,
                                    bool packed);
};

/// Number of bounding's operations.
inline constexpr int kBoundingOperations = 8;

/// Each compilation of unit.cpp defines the specialisation of its instruction set.
template <InstructionSet set>
ArithmeticUnit arithmetic_of();

/// The units that this CPU can run.
std::vector<ArithmeticUnit> runnable_arithmetics();

}  // namespace gradproof::oracle_tests
