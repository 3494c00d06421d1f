// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "core/instruction_set.h"
#include "oracles/differences/arithmetic.h"

namespace gradproof::oracle_tests {

enum class WideOperation {
  plus,
  minus,
  times,
  over,
  over_double,
  root,
  exponential,
  sigmoid,
  swish,
  slope,
  less,
  at_least,
  count
};

/// The functions of wide_functions.h.
enum class WideFunction { expm1, log1p, log, tanh, erf, sin, cos, count };

struct WideReductions {
  Wide sum;
  Wide dot;
  Wide mean;
  Wide variance;
  Wide rstd;
};

/// DoubledOf and TripledOf compiled for one instruction set, as plain data: a double-double is a
/// Wide whose lo is 0. A comparison is 1 or 0.
struct WideUnit {
  InstructionSet set;
  /// `packed` goes through Pack, `single` through double; b.hi is the double of over_double.
  void (*doubled)(WideOperation operation, const Wide* a, const Wide* b, std::int64_t count,
                  Wide* packed, Wide* single);
  void (*tripled)(WideOperation operation, const Wide* a, const Wide* b, std::int64_t count,
                  Wide* packed, Wide* single);
  /// One number at a time, or through Pack; `wrong`: off as by a term too few, for the control.
  void (*function)(WideFunction function, bool triple, bool packed, bool wrong, const Wide* a,
                   std::int64_t count, Wide* to);
  /// The reductions of packs of x and y, in triple-doubles or double-doubles.
  WideReductions (*reduced)(const double* x, const double* y, std::int64_t count, double eps,
                            bool triple);
};

/// Each compilation of wide_unit.cpp defines that of its instruction set.
template <InstructionSet set>
WideUnit wide_unit_of();

}  // namespace gradproof::oracle_tests
