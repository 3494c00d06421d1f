// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/answer.h"
#include "core/compare/resolution.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// The class of a double. Classes are compared before anything is subtracted.
enum class NumberClass { finite, nan, plus_infinity, minus_infinity };
inline constexpr std::size_t kClasses = 4;
NumberClass class_of(double value);

/// The class in words: "a finite number", "NaN", "+Inf" or "-Inf".
std::string_view name_of(NumberClass number_class);

/// One element where got and want are compared.
struct Element {
  std::int64_t index = 0;  ///< row-major
  double got = 0;
  double want = 0;
  double ratio = 0;  ///< error/bound; infinite where the class is wrong
  double ulp = 0;    ///< error in units of the truth's last place; shown, never a gate
};

/// The largest error/bound in one column of a matrix.
struct WorstColumn {
  std::int64_t column = 0;
  double max_ratio = 0;
  std::int64_t bad = 0;
  friend bool operator==(const WorstColumn&, const WorstColumn&) = default;
};

/// The distance of one tensor from the truth, against its bound.
struct Discrepancy {
  std::int64_t elements = 0;     ///< all elements of the tensor
  std::int64_t bad = 0;          ///< over the bound or of the wrong class
  std::int64_t undecided = 0;    ///< within the truth's radius of the bound: decided neither way
  std::int64_t vacuous = 0;      ///< elements whose bound is infinite: they prove nothing
  std::int64_t wrong_class = 0;  ///< NaN, Inf or finite where the truth is of another class
  /// The count for each pair of classes: [wanted][got]; NumberClass is the index.
  std::array<std::array<std::int64_t, kClasses>, kClasses> classes{};
  double max_ratio = 0;  ///< largest error/bound
  double p99_ratio = 0;  ///< rounded up to the next of 32 equal parts of its octave
  double rms_ratio = 0;  ///< root mean square; each counts as 256 at most
  double max_ulp = 0;
  Element worst;
  std::vector<Element> first_bad;          ///< up to 5
  std::vector<Element> last_bad;           ///< up to 5, none that first_bad has
  std::vector<std::int64_t> good_before;   ///< up to 3 good indices right before the first bad one
  std::vector<WorstColumn> worst_columns;  ///< of a matrix, up to 5: the largest error/bound first
  std::string pattern;                     ///< of the bad set, in words: "all in column 32"
  /// Counts of error/bound in bins 0, (0,2^-9], ..., (2^-1,1], (1,2], ..., above 2^4.
  std::array<std::int64_t, 16> histogram{};
  Resolution resolution;             ///< what a pass could have seen
  bool constant_would_pass = false;  ///< one number is within the bound of every truth
};

/// Compares every element of `got` with the truth. NaN matches only NaN, an infinity only itself.
/// Throws InstrumentError when the number of elements differs. `group_width` is the number of
/// columns that a norm takes together, 0 for none.
Discrepancy compare(const Tensor& got, const Answer& want, std::int64_t group_width = 0);

/// |got - truth| / ulp(truth), ulp(x) = 2^(max(ilogb|x|, emin) - p + 1), ulp(0) the smallest
/// subnormal; at most 2^p: no digit is right there, and a truth beside 0 would give arbitrary ulps.
double ulp_error(double error, double truth, DType dtype);

/// The wrong classes in words: "got NaN where a finite number is wanted: 3; got a finite number
/// where +Inf is wanted: 1"; empty where all classes are right.
std::string class_text(const Discrepancy& discrepancy);

}  // namespace gradproof
