// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "properties/laws/trial.h"

namespace gradproof {

/// The moments in long double, each with the error that its own roundings of 2^-64 may cause.
struct Moments {
  long double mean = 0;
  long double mean_error = 0;
  long double biased = 0;    ///< variance: the sum of squares over rows
  long double unbiased = 0;  ///< over rows - 1
  long double unbiased_error = 0;
};
Moments moments_of(const std::vector<long double>& values);

std::vector<long double> column_of(const Tensor& x, const Claim& claim, std::int64_t col);

/// The column that a BatchNorm takes: x, or x times the scales in front of it.
std::vector<long double> normalised_column(const Claim& claim, const Tensors& inputs,
                                           std::int64_t col);

/// The moments of a BatchNorm's argument, column by column.
struct ColumnMoments {
  Estimate mean;
  Estimate variance;  ///< unbiased
};
ColumnMoments moments_of_columns(const LawRun& run);

}  // namespace gradproof
