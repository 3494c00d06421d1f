// SPDX-License-Identifier: Apache-2.0
#include "oracles/linear/linear.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/error.h"
#include "oracles/linear/freivalds.h"
#include "oracles/linear/product.h"

namespace gradproof {
namespace {

using Named = std::map<std::string, LinearJudged, std::less<>>;

/// A view of the tensor's memory as (rows, cols) or (cols).
at::Tensor view(const Tensor* tensor, const Shape& shape, const char* name) {
  if (tensor->shape() != shape || tensor->dtype() != DType::f32 || !tensor->is_dense())
    throw InstrumentError(std::string("a Linear's ") + name + " is of another shape or type");
  void* data = const_cast<std::byte*>(tensor->first());  // only read: LibTorch has no const views
  return at::from_blob(data, shape, at::kFloat);
}

/// The column sums of d_z, computed by blocks of rows.
LinearJudged compare_sums(const at::Tensor& d_z, const Tensor& got) {
  at::Tensor sums = at::zeros({got.numel()}, at::kDouble);
  at::Tensor sizes = at::zeros_like(sums);
  const std::int64_t high = tile_of(d_z.size(0), d_z.size(1), 4096);
  for (std::int64_t row = 0; row < d_z.size(0); row += high) {
    const at::Tensor block = d_z.narrow(0, row, std::min(high, d_z.size(0) - row)).to(at::kDouble);
    sums += block.sum(0);
    sizes += block.abs().sum(0);
  }
  const SumBound rule(d_z.size(0), lattice_of(d_z));
  Comparison comparison(DType::f32, got.shape());
  for (std::int64_t j = 0; j < got.numel(); ++j)
    comparison.add(j, got.at(j),
                   rule.truth(sums.const_data_ptr<double>()[j], sizes.const_data_ptr<double>()[j]));
  return {{comparison.finish(), rule.why(), 0}, got.shape(), "float64 sums"};
}

class Linear {
 public:
  Linear(const LinearTensors& tensors, const LinearCheck& check) : t_(tensors), check_(check) {
    if (!t_.input || !t_.weight || t_.input->shape().size() != 2 || t_.weight->shape().size() != 2)
      throw InstrumentError("a Linear has an input and a weight of two dimensions");
    weight_ = view(t_.weight, t_.weight->shape(), "weight");
    input_ = view(t_.input, {t_.input->shape()[0], weight_.size(1)}, "input");
  }

  Product product_of_z() const {
    const at::Tensor bias = t_.bias ? view(t_.bias, {weight_.size(0)}, "bias") : at::Tensor();
    return {input_, weight_.t(), bias, t_.z};
  }

  Named judged() const {
    Named all;
    if (t_.z) {
      view(t_.z, z_shape(), "z");
      all["z"] = compare("z", product_of_z());
    }
    if (t_.d_z) compare_backward(all);
    return all;
  }

 private:
  Shape z_shape() const { return {input_.size(0), weight_.size(0)}; }

  LinearJudged compare(const std::string& name, const Product& product) const {
    const bool signs =
        check_.product == ProductCheck::freivalds ||
        (check_.product == ProductCheck::automatic && product.multiplications() > kFullAtMost);
    return signs ? compare_by_signs(product, Stream(check_.seed, "signs of " + name))
                 : compare_in_full(product);
  }

  void compare_backward(Named& all) const {
    const at::Tensor d_z = view(t_.d_z, z_shape(), "d_z");
    if (t_.d_input) {
      view(t_.d_input, t_.input->shape(), "d_input");
      all["d_input"] = compare("d_input", {d_z, weight_, {}, t_.d_input});
    }
    if (t_.d_weight) {
      view(t_.d_weight, t_.weight->shape(), "d_weight");
      all["d_weight"] = compare("d_weight", {d_z.t(), input_, {}, t_.d_weight});
    }
    if (t_.d_bias) {
      view(t_.d_bias, {weight_.size(0)}, "d_bias");
      all["d_bias"] = compare_sums(d_z, *t_.d_bias);
    }
  }

  const LinearTensors& t_;
  const LinearCheck& check_;
  at::Tensor weight_, input_;
};

}  // namespace

std::map<std::string, LinearJudged, std::less<>> compare_linear(const LinearTensors& tensors,
                                                                const LinearCheck& check) {
  const at::NoGradGuard no_gradients;
  return Linear(tensors, check).judged();
}

LinearTruth truth_of_z(const LinearTensors& tensors, const std::vector<std::int64_t>& columns) {
  const at::NoGradGuard no_gradients;
  Product whole = Linear(tensors, {}).product_of_z();
  const at::Tensor chosen = at::tensor(columns, at::kLong);
  const at::Tensor b = whole.b.index_select(1, chosen);
  const at::Tensor bias = whole.bias.defined() ? whole.bias.index_select(0, chosen) : at::Tensor();
  return truth_of_product({whole.a, b, bias, nullptr});
}

}  // namespace gradproof
