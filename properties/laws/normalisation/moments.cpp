// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/normalisation/moments.h"

#include <cmath>

namespace gradproof {

Moments moments_of(const std::vector<long double>& values) {
  const auto rows = static_cast<long double>(values.size());
  Moments m;
  long double size = 0;
  for (const long double v : values) {
    m.mean += v;
    size += std::abs(v);
  }
  m.mean /= rows;
  m.mean_error = std::ldexp((rows + 2) * size / rows, -64);  // each v has been rounded once
  long double squares = 0;
  long double mixed = 0;
  for (const long double v : values) {
    squares += (v - m.mean) * (v - m.mean);
    mixed += std::abs(v - m.mean) * std::abs(v);
  }
  m.biased = squares / rows;
  m.unbiased = squares / (rows - 1);
  // sum (v - m - d)^2 = sum (v - m)^2 + N d^2; additions and products; the rounding of each v.
  m.unbiased_error = (rows * m.mean_error * m.mean_error + std::ldexp((rows + 5) * squares, -64) +
                      std::ldexp(mixed, -63)) /
                     (rows - 1);
  return m;
}

std::vector<long double> column_of(const Tensor& x, const Claim& claim, std::int64_t col) {
  std::vector<long double> values;
  for (std::int64_t row = 0; row < claim.rows(); ++row)
    values.push_back(static_cast<long double>(x.at(row * claim.cols() + col)));
  return values;
}

std::vector<long double> normalised_column(const Claim& claim, const Tensors& inputs,
                                           std::int64_t col) {
  std::vector<long double> values = column_of(get(inputs, "x"), claim, col);
  const std::vector<GraphStep> chain = claim.chain();
  for (std::size_t k = 0; k < first_norm(chain); ++k) {
    const Tensor& factors = get(inputs, chain[k].operands.at(1).name);
    for (long double& v : values)
      v *= static_cast<long double>(factors.at(factors.numel() == 1 ? 0 : col));
  }
  return values;
}

ColumnMoments moments_of_columns(const LawRun& run) {
  const Shape cols{run.claim().cols()};
  ColumnMoments all{{cols, {}, {}}, {cols, {}, {}}};
  for (std::int64_t col = 0; col < run.claim().cols(); ++col) {
    const Moments m = moments_of(normalised_column(run.claim(), run.inputs(), col));
    all.mean.value.push_back(m.mean);
    all.mean.bound.push_back(m.mean_error);
    all.variance.value.push_back(m.unbiased);
    all.variance.bound.push_back(m.unbiased_error);
  }
  return all;
}

}  // namespace gradproof
