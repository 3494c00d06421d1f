// SPDX-License-Identifier: Apache-2.0
// h = x + residual; y = rms_norm(h, weight): a fused operator of LibTorch with its own autograd.
#include <cmath>
#include <tuple>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace {

using at::Tensor;
using Two = std::tuple<Tensor, Tensor>;

/// 1/sqrt(mean(h^2) + eps) of one row.
float reciprocal_rms(const float* h, int64_t cols, double eps) {
  float sum = 0;
  for (int64_t j = 0; j < cols; ++j) sum += h[j] * h[j];
  return 1 / std::sqrt(sum / static_cast<float>(cols) + static_cast<float>(eps));
}

Two fused(const Tensor& x, const Tensor& residual, const Tensor& weight, double eps) {
  TORCH_CHECK(x.dim() == 2 && x.scalar_type() == at::kFloat, "x is float32 (rows, cols)");
  TORCH_CHECK(residual.sizes() == x.sizes() && weight.numel() == x.size(1), "sizes differ");
  const Tensor a = x.contiguous(), b = residual.contiguous(), w = weight.contiguous();
  Tensor y = at::empty_like(a), h = at::empty_like(a);
  const int64_t cols = a.size(1);
  for (int64_t i = 0; i < a.size(0); ++i) {
    float* const hi = h.data_ptr<float>() + i * cols;
    for (int64_t j = 0; j < cols; ++j)
      hi[j] = a.const_data_ptr<float>()[i * cols + j] + b.const_data_ptr<float>()[i * cols + j];
    const float r = reciprocal_rms(hi, cols, eps);
    for (int64_t j = 0; j < cols; ++j)
      y.data_ptr<float>()[i * cols + j] = hi[j] * r * w.const_data_ptr<float>()[j];
  }
  return {y, h};
}

/// Gradients of h and weight, where dy comes back to y and dh to h.
Two fused_backward(const Tensor& dy, const Tensor& dh, const Tensor& h, const Tensor& weight,
                   double eps) {
  const Tensor g = dy.contiguous(), w = weight.contiguous();
  Tensor d_h = dh.clone(at::MemoryFormat::Contiguous), d_weight = at::zeros_like(w);
  const int64_t cols = h.size(1);
  for (int64_t i = 0; i < h.size(0); ++i) {
    const float* const hi = h.const_data_ptr<float>() + i * cols;
    const float* const gi = g.const_data_ptr<float>() + i * cols;
    const float r = reciprocal_rms(hi, cols, eps);
    float mean = 0;
    for (int64_t j = 0; j < cols; ++j)
      mean += gi[j] * w.const_data_ptr<float>()[j] * (hi[j] * r) / static_cast<float>(cols);
    for (int64_t j = 0; j < cols; ++j) {
      const float normal = hi[j] * r;
      d_h.data_ptr<float>()[i * cols + j] +=
          r * (gi[j] * w.const_data_ptr<float>()[j] - normal * mean);
      d_weight.data_ptr<float>()[j] += gi[j] * normal;
    }
  }
  return {d_h, d_weight};
}

Two call(const Tensor& x, const Tensor& residual, const Tensor& weight, double eps) {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("mine::fused", "").typed<decltype(call)>();
  return op.call(x, residual, weight, eps);
}

struct Fused : torch::autograd::Function<Fused> {
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const Tensor& x, const Tensor& residual,
                                                const Tensor& weight, double eps) {
    at::AutoDispatchBelowADInplaceOrView below;
    const auto [y, h] = call(x, residual, weight, eps);
    context->save_for_backward({h, weight});
    context->saved_data["eps"] = eps;
    return {y, h};
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list given) {
    const auto saved = context->get_saved_variables();
    static const auto op = c10::Dispatcher::singleton()
                               .findSchemaOrThrow("mine::fused_backward", "")
                               .typed<decltype(fused_backward)>();
    const auto [d_h, d_weight] =
        op.call(given[0], given[1], saved[0], saved[1], context->saved_data["eps"].toDouble());
    return {d_h, d_h, d_weight, Tensor()};
  }
};

Two with_autograd(const Tensor& x, const Tensor& residual, const Tensor& weight, double eps) {
  const auto results = Fused::apply(x, residual, weight, eps);
  return {results[0], results[1]};
}

/// Shapes for torch.compile.
Two on_meta(const Tensor& x, const Tensor&, const Tensor&, double) {
  return {at::empty_like(x, at::MemoryFormat::Contiguous),
          at::empty_like(x, at::MemoryFormat::Contiguous)};
}
Two backward_on_meta(const Tensor& dy, const Tensor&, const Tensor&, const Tensor& weight, double) {
  return {at::empty_like(dy, at::MemoryFormat::Contiguous),
          at::empty_like(weight, at::MemoryFormat::Contiguous)};
}

}  // namespace

TORCH_LIBRARY(mine, m) {
  m.def("fused(Tensor x, Tensor residual, Tensor weight, float eps) -> (Tensor y, Tensor h)");
  m.def(
      "fused_backward(Tensor dy, Tensor dh, Tensor h, Tensor weight, float eps) -> (Tensor, "
      "Tensor)");
}
TORCH_LIBRARY_IMPL(mine, CPU, m) {
  m.impl("fused", fused);
  m.impl("fused_backward", fused_backward);
}
TORCH_LIBRARY_IMPL(mine, Autograd, m) { m.impl("fused", with_autograd); }
TORCH_LIBRARY_IMPL(mine, Meta, m) {
  m.impl("fused", on_meta);
  m.impl("fused_backward", backward_on_meta);
}
