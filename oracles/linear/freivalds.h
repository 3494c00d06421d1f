// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "core/tensor/philox.h"
#include "oracles/linear/product.h"

namespace gradproof {

/// Freivalds' test (1977) by tiles: with signs r, independent of all errors, for each row i of C
/// and each tile J of columns
///   rho = sum_j C_ij r_j - (A (B_J r) + bias_J r)_i = sum_j e_ij r_j,   e the errors of C.
/// A correct C has |e_ij| <= tau_ij, so |rho| <= T = lambda ||tau_iJ||_2 but for 2 exp(-lambda^2/2)
/// (Hoeffding 1963). For any errors, if one of them is over T then |rho| > T for at least every
/// second r: if its sign alone is turned, one of the two sums is as large as that error or larger.
inline constexpr std::int64_t kSignTile = 128;  ///< columns
inline constexpr std::int64_t kSignVectors = 16;
/// The probability of a false alarm in a whole tensor.
inline constexpr double kFalseAlarm = 1e-12;

/// The least lambda for which `sums` correct sums are all within T, but for a probability of
/// kFalseAlarm.
double lambda_for(double sums);

/// Compares by signs. The elements of the discrepancy are (rows, tiles, vectors). The cost is
/// kSignVectors / kSignTile of the product. If the product is exact (ProductBound::exact) T is 0,
/// and a number that cannot be an exact result makes the sums of its tile NaN.
LinearJudged compare_by_signs(const Product& product, const Stream& stream);

}  // namespace gradproof
