// SPDX-License-Identifier: Apache-2.0
// Operators that are wrong on purpose, beside the example's right one: tests/python/library_test.py
// says what each is convicted of. All but the last few compute y = 3 x.
#include <ATen/ATen.h>

#include "rms_norm_residual.cpp"

namespace {

float* memory(const Tensor& t) { return t.mutable_data_ptr<float>(); }

Tensor triple(const Tensor& x) { return x * 3; }

Tensor writes_its_input(const Tensor& x) {
  Tensor y = x * 3;
  if (x.numel() > 0) memory(x)[0] += 1;
  return y;
}

/// Returns 3 x and writes beside x, as a kernel by vectors does that has no remainder.
Tensor writes_beside(const Tensor& x) {
  Tensor y = x * 3;
  if (x.storage_offset() > 0) memory(x)[-1] = 0;
  return y;
}

Tensor returns_its_input(const Tensor& x) { return x; }

Tensor takes_strides_for_granted(const Tensor& x) {
  Tensor y = at::empty(x.sizes(), x.options());
  for (int64_t i = 0; i < x.numel(); ++i) memory(y)[i] = 3 * memory(x)[i];
  return y;
}

Tensor without_autograd(const Tensor& x) { return takes_strides_for_granted(x.contiguous()); }

Tensor takes_offset_for_granted(const Tensor& x) {
  Tensor y = at::empty(x.sizes(), x.options());
  if (!x.is_contiguous()) return x * 3;
  const float* const from = static_cast<const float*>(x.storage().data());
  for (int64_t i = 0; i < x.numel(); ++i) memory(y)[i] = 3 * from[i];
  return y;
}

Tensor refuses_strides(const Tensor& x) {
  TORCH_CHECK(x.is_contiguous(), "x must be contiguous");
  return x * 3;
}

Tensor divides_by_the_rows(const Tensor& x) {
  const int64_t rows = x.size(0);
  volatile const int64_t share = x.numel() / rows;
  return x * 3 + 0 * share;
}

Tensor one_row_of_none(const Tensor& x) {
  return x.size(0) == 0 ? at::zeros({1, x.size(1)}, x.options()) : x * 3;
}

Tensor other_bits_each_time(const Tensor& x) {
  static int64_t calls = 0;
  Tensor y = x * 3;
  if (y.numel() > 0) memory(y)[y.numel() - 1] *= 1 + 1e-7f * static_cast<float>(++calls % 2);
  return y;
}

Tensor gives_its_workspace_away(const Tensor& x) {
  static Tensor workspace;
  if (!workspace.defined() || workspace.sizes() != x.sizes()) workspace = at::empty_like(x);
  return workspace.copy_(x * 3).alias();
}

Tensor dies_of_large_numbers(const Tensor& x) {
  if (x.numel() > 0 && x.abs().max().item<float>() > 1e5f) *static_cast<volatile int*>(nullptr) = 1;
  return x * 3;
}

Tensor by_keyword(const Tensor& x, double times) { return x * times; }

void into(const Tensor& x, Tensor& result) { result.copy_(x * 3); }

void into_all_but_the_last(const Tensor& x, Tensor& result) {
  for (int64_t i = 0; i + 1 < x.size(0); ++i) result.select(0, i).copy_(x.select(0, i) * 3);
}

/// y = x - mean(x) with the running mean behind it; the faulty one forgets a share of 1e-3.
Tensor centred(const Tensor& x, const Tensor& mean, double momentum) {
  const Tensor now = x.mean(0);
  mean.mul_(1 - momentum).add_(now, momentum);
  return x - now;
}
Tensor centred_wrongly(const Tensor& x, const Tensor& mean, double momentum) {
  Tensor y = centred(x, mean, momentum);
  mean.mul_(1 - 1e-3);
  return y;
}

/// It takes state that it left itself for state that it has seen to.
Tensor centred_once(const Tensor& x, const Tensor& mean, double momentum) {
  static Tensor left;
  if (left.defined() && left.equal(mean)) return x - x.mean(0);
  Tensor y = centred(x, mean, momentum);
  left = mean.clone();
  return y;
}

/// BatchNorm with running statistics and LibTorch's own gradient; the faulty one has N for N - 1.
Tensor normalised(const Tensor& x, const Tensor& mean, const Tensor& var, double momentum,
                  double eps) {
  return at::batch_norm(x, {}, {}, mean, var, true, momentum, eps, false);
}
Tensor normalised_wrongly(const Tensor& x, const Tensor& mean, const Tensor& var, double momentum,
                          double eps) {
  Tensor y = normalised(x, mean, var.clone(), momentum, eps);
  at::NoGradGuard no_gradient;
  var.mul_(1 - momentum).add_(x.var(0, false), momentum);
  return y;
}

Tensor tripled_gradient(const Tensor& grad) { return grad * 3; }
Tensor doubled_gradient(const Tensor& grad) { return grad * 2; }
Tensor gradient_over_its_cotangent(const Tensor& grad) {
  Tensor dx = grad * 3;
  if (grad.numel() > 0) memory(grad)[0] += 1;
  return dx;
}
Tensor total(at::TensorList all) { return at::stack(all).sum(0); }
Tensor blend(const Tensor& a, const Tensor& b) { return a + b * 2; }

Tensor transposed_on_meta(const Tensor& x) {
  return at::empty({x.size(1), x.size(0)}, x.options()).t();
}
Tensor longer_on_meta(const Tensor& x) {
  return at::empty({x.size(0) + 1, x.size(1)}, x.options());
}
Tensor halves_on_meta(const Tensor& x) { return at::empty_like(x, x.options().dtype(at::kHalf)); }

}  // namespace

TORCH_LIBRARY(planted, m) {
  const auto planted = [&m](const char* name, auto* function) {
    m.def((std::string(name) + "(Tensor x) -> Tensor").c_str());
    m.impl(name, torch::dispatch(c10::DispatchKey::CPU, function));
  };
  planted("no_autograd", triple);
  m.def("on_the_device_alone(Tensor x) -> Tensor");
  m.impl("on_the_device_alone", torch::dispatch(c10::DispatchKey::CUDA, triple));
  planted("writes_its_input", writes_its_input);
  planted("writes_beside", writes_beside);
  planted("returns_its_input", returns_its_input);
  planted("takes_strides_for_granted", takes_strides_for_granted);
  planted("without_autograd", without_autograd);
  planted("takes_offset_for_granted", takes_offset_for_granted);
  planted("refuses_strides", refuses_strides);
  planted("divides_by_the_rows", divides_by_the_rows);
  planted("one_row_of_none", one_row_of_none);
  planted("other_bits_each_time", other_bits_each_time);
  planted("gives_its_workspace_away", gives_its_workspace_away);
  planted("dies_of_large_numbers", dies_of_large_numbers);
  planted("transposed_on_meta", triple);
  planted("longer_on_meta", triple);
  planted("halves_on_meta", triple);
  m.def("into(Tensor x, Tensor(a!) result) -> ()");
  m.def("into_all_but_the_last(Tensor x, Tensor(a!) result) -> ()");
  m.def("centred(Tensor x, Tensor(a!) mean, float momentum) -> Tensor");
  m.def("centred_wrongly(Tensor x, Tensor(a!) mean, float momentum) -> Tensor");
  m.def("centred_once(Tensor x, Tensor(a!) mean, float momentum) -> Tensor");
  m.def("centred_undeclared(Tensor x, Tensor mean, float momentum) -> Tensor");
  m.def(
      "normalised(Tensor x, Tensor(a!) mean, Tensor(b!) var, float momentum, float eps) -> Tensor",
      normalised);
  m.def(
      "normalised_wrongly(Tensor x, Tensor(a!) mean, Tensor(b!) var, float momentum, float eps) -> "
      "Tensor",
      normalised_wrongly);
  m.def("by_keyword(Tensor x, *, float times=3) -> Tensor");
  m.def("tripled_gradient(Tensor grad) -> Tensor");
  m.def("tripled_gradient_into(Tensor grad, Tensor(a!) dx) -> ()");
  m.def("doubled_gradient(Tensor grad) -> Tensor");
  m.def("gradient_over_its_cotangent(Tensor grad) -> Tensor");
  m.def("total(Tensor[] all) -> Tensor");
  m.def("blend(Tensor a, Tensor b) -> Tensor");
}
TORCH_LIBRARY_IMPL(planted, CPU, m) {
  m.impl("into", into);
  m.impl("into_all_but_the_last", into_all_but_the_last);
  m.impl("centred", centred);
  m.impl("centred_wrongly", centred_wrongly);
  m.impl("centred_once", centred_once);
  m.impl("centred_undeclared", centred);
  m.impl("by_keyword", by_keyword);
  m.impl("tripled_gradient", tripled_gradient);
  m.impl("tripled_gradient_into", into);
  m.impl("doubled_gradient", doubled_gradient);
  m.impl("gradient_over_its_cotangent", gradient_over_its_cotangent);
  m.impl("total", total);
  m.impl("blend", blend);
}
TORCH_LIBRARY_IMPL(planted, Meta, m) {
  m.impl("by_keyword", by_keyword);
  m.impl("transposed_on_meta", transposed_on_meta);
  m.impl("longer_on_meta", longer_on_meta);
  m.impl("halves_on_meta", halves_on_meta);
}
