// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <ATen/ATen.h>

#include "core/parallel.h"
#include "oracles/linear/product.h"

namespace gradproof {

LinearTruth truth_of_product(const Product& p) {
  const ProductBound bound = bound_of(p);
  const std::int64_t chunk = chunk_of(p), wide = p.cols();
  const Shape shape{p.rows(), wide};
  LinearTruth all{Tensor(DType::f64, shape), Tensor(DType::f64, shape), Tensor(DType::f64, shape)};
  const at::Tensor b = p.b.to(at::kDouble), b_norms = column_norms(b, chunk);
  const std::int64_t high = tile_of(p.rows(), p.count(), 4096);
  for (std::int64_t row = 0; row < p.rows(); row += high) {
    const at::Tensor a = p.a.narrow(0, row, std::min(high, p.rows() - row)).to(at::kDouble);
    const at::Tensor product = at::mm(a, b), size = row_norms(a, chunk).mm(b_norms);
    for_each_index(a.size(0), [&](std::int64_t i) {
      std::vector<double> value, radius, error;
      for (auto* line : {&value, &radius, &error}) line->reserve(static_cast<std::size_t>(wide));
      for (std::int64_t j = 0; j < wide; ++j) {
        const double added =
            p.bias.defined() ? static_cast<double>(p.bias.const_data_ptr<float>()[j]) : 0;
        const Truth truth = bound.truth(product.const_data_ptr<double>()[i * wide + j] + added,
                                        size.const_data_ptr<double>()[i * wide + j], added);
        value.push_back(truth.hi);
        radius.push_back(truth.radius);
        error.push_back(truth.bound);
      }
      const std::int64_t first = (row + i) * wide;
      all.value.write(first, wide, value.data());
      all.radius.write(first, wide, radius.data());
      all.error.write(first, wide, error.data());
    });
  }
  return all;
}

}  // namespace gradproof
