// SPDX-License-Identifier: Apache-2.0
#include "oracles/linear.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/comparison.h"
#include "core/error.h"
#include "core/parallel.h"
#include "oracles/linear_bound.h"

namespace gradproof {
namespace {

using Named = std::map<std::string, Judged, std::less<>>;

/// A view of the tensor's own memory, (rows, cols) or (cols).
at::Tensor view(const Tensor* tensor, const Shape& shape, const char* name) {
  if (tensor->shape() != shape || tensor->dtype() != DType::f32 || !tensor->is_dense())
    throw InstrumentError(std::string("a Linear's ") + name + " is of another shape or type");
  void* data = const_cast<std::byte*>(tensor->first());  // read alone: LibTorch has no const views
  return at::from_blob(data, shape, at::kFloat);
}

/// a b + bias, every element of `got`.
struct Product {
  at::Tensor a;     ///< (rows, count)
  at::Tensor b;     ///< (count, cols)
  at::Tensor bias;  ///< (cols), or undefined
  const Tensor* got;
};

/// Rows of a and columns of b whose float64 copies are 128 MiB at most.
std::int64_t tile(std::int64_t extent, std::int64_t count, std::int64_t most) {
  constexpr std::int64_t kElements = std::int64_t{1} << 24;
  return std::clamp(kElements / std::max<std::int64_t>(count, 1), std::int64_t{1},
                    std::min(std::max<std::int64_t>(extent, 1), most));
}

/// One tile of the truth: the product in float64 and |a||b|, in f32 from below.
struct Tile {
  at::Tensor product, magnitude;
  std::int64_t row, col;  ///< of its first element
};

class Comparing {
 public:
  explicit Comparing(const Product& p)
      : p_(p),
        got_(reinterpret_cast<const float*>(p.got->first())),
        rule_(rule_for(p)),
        total_(DType::f32) {}

  Judged result() {
    const std::int64_t count = p_.a.size(1);
    const std::int64_t high = tile(p_.a.size(0), count, 4096);
    const std::int64_t wide = tile(p_.b.size(1), count, 512);
    for (std::int64_t row = 0; row < p_.a.size(0); row += high) {
      const at::Tensor a = p_.a.narrow(0, row, std::min(high, p_.a.size(0) - row));
      const at::Tensor a64 = a.to(at::kDouble);
      const at::Tensor size = a.abs();
      for (std::int64_t col = 0; col < p_.b.size(1); col += wide) {
        const at::Tensor b = p_.b.narrow(1, col, std::min(wide, p_.b.size(1) - col));
        compare({at::mm(a64, b.to(at::kDouble)), at::mm(size, b.abs()), row, col});
      }
    }
    return {total_.finish(p_.got->shape()), rule_.why(), 0};
  }

 private:
  static ProductBound rule_for(const Product& p) {
    Grid grid = grid_of(p.a) * grid_of(p.b);
    if (p.bias.defined()) return ProductBound(p.a.size(1), grid, grid_of(p.bias));
    return ProductBound(p.a.size(1), grid);
  }

  /// Rows are spread over the cores; the merged result does not depend on how.
  void compare(const Tile& t) {
    constexpr std::int64_t kRows = 64;
    const std::int64_t rows = t.product.size(0);
    for_each_index((rows + kRows - 1) / kRows, [&](std::int64_t part) {
      Comparison own(DType::f32);
      for (std::int64_t i = part * kRows; i < std::min(rows, (part + 1) * kRows); ++i)
        compare_row(t, i, own);
      const std::lock_guard<std::mutex> lock(mutex_);
      total_.merge(own);
    });
  }

  void compare_row(const Tile& t, std::int64_t i, Comparison& own) const {
    const std::int64_t wide = t.product.size(1);
    const double* product = t.product.const_data_ptr<double>() + i * wide;
    const float* magnitude = t.magnitude.const_data_ptr<float>() + i * wide;
    const float* bias = p_.bias.defined() ? p_.bias.const_data_ptr<float>() + t.col : nullptr;
    for (std::int64_t j = 0; j < wide; ++j) {
      const std::int64_t index = (t.row + i) * p_.b.size(1) + t.col + j;
      const double added = bias ? static_cast<double>(bias[j]) : 0;
      own.add(index, static_cast<double>(got_[index]),
              rule_.truth(product[j] + added, static_cast<double>(magnitude[j]), added));
    }
  }

  const Product& p_;
  const float* got_;
  ProductBound rule_;
  std::mutex mutex_;
  Comparison total_;
};

/// Column sums of d_z, rows in blocks.
Judged compare_sums(const at::Tensor& d_z, const Tensor& got) {
  at::Tensor sums = at::zeros({got.numel()}, at::kDouble);
  at::Tensor sizes = at::zeros_like(sums);
  const std::int64_t high = tile(d_z.size(0), d_z.size(1), 4096);
  for (std::int64_t row = 0; row < d_z.size(0); row += high) {
    const at::Tensor block = d_z.narrow(0, row, std::min(high, d_z.size(0) - row)).to(at::kDouble);
    sums += block.sum(0);
    sizes += block.abs().sum(0);
  }
  const SumBound rule(d_z.size(0), grid_of(d_z));
  Comparison comparison(DType::f32);
  for (std::int64_t j = 0; j < got.numel(); ++j)
    comparison.add(j, got.at(j),
                   rule.truth(sums.const_data_ptr<double>()[j], sizes.const_data_ptr<double>()[j]));
  return {comparison.finish(got.shape()), rule.why(), 0};
}

void compare_backward(const LinearTensors& t, const at::Tensor& input, const at::Tensor& weight,
                      Named& all) {
  const Shape z_shape{input.size(0), weight.size(0)};
  const at::Tensor d_z = view(t.d_z, z_shape, "d_z");
  if (t.d_input) {
    view(t.d_input, t.input->shape(), "d_input");
    all["d_input"] = Comparing({d_z, weight, {}, t.d_input}).result();
  }
  if (t.d_weight) {
    view(t.d_weight, t.weight->shape(), "d_weight");
    all["d_weight"] = Comparing({d_z.t(), input, {}, t.d_weight}).result();
  }
  if (t.d_bias) {
    view(t.d_bias, {weight.size(0)}, "d_bias");
    all["d_bias"] = compare_sums(d_z, *t.d_bias);
  }
}

}  // namespace

std::map<std::string, Judged, std::less<>> compare_linear(const LinearTensors& t) {
  if (!t.input || !t.weight || t.input->shape().size() != 2 || t.weight->shape().size() != 2)
    throw InstrumentError("a Linear has an input and a weight of two dimensions");
  const at::NoGradGuard no_gradients;
  const at::Tensor weight = view(t.weight, t.weight->shape(), "weight");
  const at::Tensor input = view(t.input, {t.input->shape()[0], weight.size(1)}, "input");
  Named all;
  if (t.z) {
    view(t.z, {input.size(0), weight.size(0)}, "z");
    const at::Tensor bias = t.bias ? view(t.bias, {weight.size(0)}, "bias") : at::Tensor();
    all["z"] = Comparing({input, weight.t(), bias, t.z}).result();
  }
  if (t.d_z) compare_backward(t, input, weight, all);
  return all;
}

}  // namespace gradproof
