// SPDX-License-Identifier: Apache-2.0
#include "oracles/libtorch/graph_operators.h"

#include <algorithm>
#include <limits>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/axes/convolution.h"
#include "core/graph/axes/operand_axes.h"
#include "core/graph/options.h"
#include "core/graph/stages.h"
#include "oracles/libtorch/rounding.h"

namespace gradproof {
namespace {

/// Takes torch.clamp for a number, as torch.minimum takes tensors of one type.
at::Tensor limited(const GraphStep& s, const at::Tensor& a, const at::Tensor& b, bool largest) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (!s.operands[k].is_number()) continue;
    const at::Tensor& x = k == 0 ? b : a;
    const at::Scalar limit = (k == 0 ? a : b).item();
    return largest ? at::clamp_min(x, limit) : at::clamp_max(x, limit);
  }
  return largest ? at::maximum(a, b) : at::minimum(a, b);
}

}  // namespace

std::int64_t place_of(const Axes& axes, const std::string& name) {
  return std::find(axes.begin(), axes.end(), name) - axes.begin();
}

at::Tensor aligned(const at::Tensor& t, const Axes& axes, const Axes& to) {
  Dims order;
  for (const std::string& axis : to)
    if (has_name(axes, axis)) order.push_back(place_of(axes, axis));
  at::Tensor r = t.permute(order);
  for (std::size_t k = 0; k < to.size(); ++k)
    if (!has_name(axes, to[k])) r = r.unsqueeze(static_cast<std::int64_t>(k));
  return r;
}

at::Tensor contracted(const Graph& graph, const GraphStep& s, const at::Tensor& first,
                      const at::Tensor& second) {
  const ProductAxes axes = product_axes(graph, s);
  Axes batch;
  for (const std::string& axis : s.value_axes)
    if (!has_name(axes.of_first, axis) && !has_name(axes.of_second, axis)) batch.push_back(axis);
  const auto matrices = [&](const at::Tensor& t, const Axes& own, const Axes& rows,
                            const Axes& columns) {
    Axes order = batch;
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), columns.begin(), columns.end());
    Dims shape{1, 1, 1};
    for (std::size_t k = 0; k < order.size(); ++k)
      shape[k < batch.size()                 ? 0
            : k < batch.size() + rows.size() ? 1
                                             : 2] *= t.size(place_of(own, order[k]));
    return aligned(t, own, order).reshape(shape);
  };
  const at::Tensor a = matrices(first, graph.axes_of(s.operands[0].name), axes.of_first, s.axes);
  const at::Tensor b = matrices(second, graph.axes_of(s.operands[1].name), s.axes, axes.of_second);
  Axes made = batch;
  Dims shape;
  for (const Axes* more : {&axes.of_first, &axes.of_second})
    made.insert(made.end(), more->begin(), more->end());
  for (const std::string& axis : made) {
    const std::size_t from = has_name(axes.of_second, axis) ? 1 : 0;
    const Axes& own = graph.axes_of(s.operands[from].name);
    shape.push_back((from == 0 ? first : second).size(place_of(own, axis)));
  }
  return aligned(at::bmm(a, b).reshape(shape), made, s.value_axes);
}

at::Tensor dense(at::Tensor value) {
  if (!value.requires_grad()) return value;
  value.register_hook([](const at::Tensor& cotangent) {
    bool repeats = false;  // as a sum's adjoint does, whose elements are one
    for (std::int64_t k = 0; k < cotangent.dim(); ++k)
      repeats = repeats || (cotangent.size(k) > 1 && cotangent.stride(k) == 0);
    return repeats ? cotangent : cotangent.contiguous();
  });
  return value;
}

at::Tensor convolved(const GraphStep& s, const at::Tensor& x, const at::Tensor& weight,
                     const std::optional<at::Tensor>& bias) {
  const bool widens = graph_stage(s.stage).widens;
  const auto along = [&](std::string_view key) {
    Dims all;
    for (std::size_t k = 0; k < s.axes.size(); ++k) all.push_back(s.number_along(key, k));
    return all;
  };
  return at::convolution(x, weight, bias, along(kStride), along(kPadding), along(kDilation), widens,
                         widens ? along(kMorePadding) : Dims(s.axes.size(), 0), channel_groups(s));
}

Axes with_last(const Axes& axes, const Axes& last) {
  Axes order;
  for (const std::string& axis : axes)
    if (!has_name(last, axis)) order.push_back(axis);
  for (const std::string& axis : axes)
    if (has_name(last, axis)) order.push_back(axis);
  return order;
}

at::Tensor with_empty_rows(const GraphStep& s, const at::Tensor& x, const Dims& over, bool keeps,
                           const std::function<at::Tensor(const at::Tensor&)>& of_rows) {
  if (empty_rows(s) != EmptyRows::zero) return of_rows(x);
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const at::Tensor empty = x.detach().amax(over, true).eq(-kNone);
  const at::Tensor y = of_rows(x.masked_fill(empty, 0));
  return y.masked_fill(keeps ? empty : empty.squeeze(over), 0);
}

at::Tensor unary_operator(const GraphStep& s, const at::Tensor& x,
                          const std::function<double(const char*)>& number) {
  const std::string& word = s.stage;
  if (word == "relu") return at::relu(x);
  if (word == "leaky_relu") return at::leaky_relu(x, number("slope"));
  if (word == "gelu") return at::gelu(x, s.word("approximate"));
  if (word == "sigmoid") return at::sigmoid(x);
  if (word == "tanh") return at::tanh(x);
  if (word == "silu") return at::silu(x);
  if (word == "softplus") return at::softplus(x);
  if (word == "mish") return at::mish(x);
  if (word == "hardswish") return at::hardswish(x);
  if (word == "hardtanh") return at::hardtanh(x, number("min"), number("max"));
  if (word == "abs") return at::abs(x);
  if (word == "neg") return at::neg(x);
  if (word == "detach") return x.detach().clone();
  if (word == "square") return at::square(x);
  if (word == "exp") return at::exp(x);
  if (word == "log") return at::log(x);
  if (word == "log1p") return at::log1p(x);
  if (word == "sqrt") return at::sqrt(x);
  if (word == "round_to") return rounded_to_type(s, x);
  if (word == "rsqrt") return at::rsqrt(x);
  if (word == "elu") return at::elu(x, number("alpha"), number("scale"), number("input_scale"));
  if (word == "erf") return at::erf(x);
  if (word == "sin") return at::sin(x);
  if (word == "cos") return at::cos(x);
  if (word == "pow") return at::pow(x, number("exponent"));
  if (word == "softcap") return at::tanh(x / number("cap")) * number("cap");
  throw InstrumentError("no operator of LibTorch for " + word);
}

at::Tensor variance(const at::Tensor& x, at::IntArrayRef dims, double correction) {
  return at::var(x, dims, std::optional<at::Scalar>(correction), false);
}

at::Tensor turned(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
  const auto halves = x.chunk(2, -1);
  return x * cos + at::cat({-halves[1], halves[0]}, -1) * sin;
}

at::Tensor number_operand(double number) {
  at::Tensor operand = at::scalar_tensor(number, at::TensorOptions(at::kDouble));
  operand.unsafeGetTensorImpl()->set_wrapped_number(true);
  return operand;
}

at::Tensor binary_operator(const GraphStep& s, const at::Tensor& a, const at::Tensor& b) {
  const std::string& word = s.stage;
  if (word == "add" || word == "bias") return a + b;
  if (word == "subtract") return a - b;
  if (word == "multiply" || word == "scale") return a * b;
  if (word == "divide") return a / b;
  if (word == "minimum") return limited(s, a, b, false);
  if (word == "maximum") return limited(s, a, b, true);
  if (word == "greater") return a > b;
  if (word == "greater_equal") return a >= b;
  if (word == "equal") return a == b;
  if (word == "swiglu") return at::silu(a) * b;
  if (word == "geglu") return at::gelu(a) * b;
  throw InstrumentError("no operator of LibTorch for " + word);
}

at::Tensor running_mean(const at::Tensor& x, const at::Tensor& mean, double momentum) {
  const at::Tensor kept = mean.detach().clone();
  at::native_batch_norm(x.detach(), {}, {}, kept, at::ones_like(kept), true, momentum, 1e-5);
  return kept;
}

at::Tensor running_var(const at::Tensor& x, const at::Tensor& variance, double momentum) {
  const at::Tensor kept = variance.detach().clone();
  at::native_batch_norm(x.detach(), {}, {}, at::zeros_like(kept), kept, true, momentum, 1e-5);
  return kept;
}

at::Tensor pooled(const GraphStep& s, const at::Tensor& operand, const Axes& axes) {
  const Axes order = with_last(axes, s.axes);
  const at::Tensor moved = aligned(operand, axes, order);
  const std::size_t n = s.axes.size();
  const auto kept = static_cast<std::int64_t>(order.size() - n);
  Dims flat{1, -1};
  for (std::size_t k = order.size() - n; k < order.size(); ++k)
    flat.push_back(moved.size(static_cast<std::int64_t>(k)));
  // The axes of the windows stand in the operand's order there, and in the text's in the step.
  const bool largest = s.stage == "max_pool";
  Dims window, stride, padding, dilation;
  for (std::size_t k = order.size() - n; k < order.size(); ++k) {
    const auto at = static_cast<std::size_t>(place_of(s.axes, order[k]));
    window.push_back(s.number_along("window", at));
    const std::int64_t said = s.number_along(kStride, at);
    stride.push_back(said > 0 ? said : window.back());
    padding.push_back(s.number_along(kPadding, at));
    dilation.push_back(largest ? s.number_along(kDilation, at) : 1);
  }
  const at::Tensor x = moved.reshape(flat);
  at::Tensor y;
  if (n == 1)
    y = largest ? at::max_pool1d(x, window, stride, padding, dilation)
                : at::avg_pool1d(x, window, stride, padding);
  if (n == 2)
    y = largest ? at::max_pool2d(x, window, stride, padding, dilation)
                : at::avg_pool2d(x, window, stride, padding);
  if (n == 3)
    y = largest ? at::max_pool3d(x, window, stride, padding, dilation)
                : at::avg_pool3d(x, window, stride, padding);
  if (!y.defined())
    throw UsageError(fmt::format("LibTorch's {} slides over 1 to 3 axes, not {}", s.stage, n));
  Dims shape;
  for (std::int64_t k = 0; k < kept; ++k) shape.push_back(moved.size(k));
  for (std::size_t k = 0; k < n; ++k) shape.push_back(y.size(static_cast<std::int64_t>(k) + 2));
  // The value's axes stand in the operand's order.
  return aligned(y.reshape(shape), order, axes);
}

}  // namespace gradproof
