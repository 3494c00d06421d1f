// SPDX-License-Identifier: Apache-2.0
#include "oracles/libtorch/graph.h"

#include <algorithm>
#include <map>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/error.h"
#include "core/graph/stages.h"
#include "oracles/libtorch/answers.h"
#include "oracles/libtorch/graph_operators.h"
#include "oracles/libtorch/move_operators.h"
#include "oracles/libtorch/scans.h"
#include "oracles/libtorch/tensors.h"
#include "oracles/libtorch/threads.h"

namespace gradproof {
namespace {

class GraphRun {
 public:
  GraphRun(const Graph& graph, const Tensors& inputs, const GraphTypes& types)
      : graph_(graph), inputs_(inputs), types_(types) {
    for (const GraphTensor& t : graph.tensors) {
      at::Tensor value = to_torch(get(inputs, t.name), types.of(t.name));
      if (has_gradient(t.part)) value.requires_grad_(true);
      values_.emplace(t.name, std::move(value));
    }
    extents_ = extents_of_tensors(graph, values_);
  }

  Tensors run() {
    for (const GraphStep& s : graph_.steps) values_.insert_or_assign(s.value, apply(s));
    std::vector<at::Tensor> outputs, cotangents, leaves;
    std::vector<std::string> names;
    Tensors results;
    for (const std::string& output : graph_.outputs) {
      const at::Tensor& value = values_.at(output);
      results.emplace(output, result(output, value.detach()));
      outputs.push_back(value);
      const Tensor& given = get(inputs_, "d" + output);
      cotangents.push_back(to_torch(given, given.dtype()).to(value.scalar_type()).view_as(value));
    }
    for (const GraphTensor& t : graph_.tensors) {
      if (!has_gradient(t.part)) continue;
      names.push_back(t.name);
      leaves.push_back(values_.at(t.name));
    }
    const auto gradients = gradients_of(outputs, leaves, cotangents);
    for (std::size_t i = 0; i < names.size(); ++i)
      results.emplace("d_" + names[i], result("d_" + names[i], gradients[i]));
    return results;
  }

 private:
  struct Statistics {
    at::Tensor mean;
    at::Tensor variance;
  };

  /// Zeros where nothing goes back to a leaf.
  static std::vector<at::Tensor> gradients_of(std::vector<at::Tensor> outputs,
                                              const std::vector<at::Tensor>& leaves,
                                              std::vector<at::Tensor> cotangents) {
    for (std::size_t k = outputs.size(); k-- > 0;) {
      if (outputs[k].requires_grad()) continue;
      outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(k));
      cotangents.erase(cotangents.begin() + static_cast<std::ptrdiff_t>(k));
    }
    std::vector<at::Tensor> gradients(leaves.size());
    if (!outputs.empty())
      gradients = torch::autograd::grad(outputs, leaves, cotangents, std::nullopt, false, true);
    for (std::size_t i = 0; i < leaves.size(); ++i)
      if (!gradients[i].defined()) gradients[i] = at::zeros_like(leaves[i]);
    return gradients;
  }

  /// The result in the wanted type: if operands differ, LibTorch's operators choose a type.
  Tensor result(const std::string& name, const at::Tensor& t) const {
    return from_torch(t.to(scalar_type_of(types_.of(name))), {t.sizes().begin(), t.sizes().end()});
  }

  double rounded(double number) const {
    return types_.storage() == DType::f64 ? number
                                          : static_cast<double>(static_cast<float>(number));
  }
  double number(const GraphStep& s, const char* key) const { return rounded(s.number(key)); }

  const at::Tensor& value(const GraphStep& s, std::size_t k) const {
    return values_.at(s.operands.at(k).name);
  }
  const Axes& axes(const GraphStep& s, std::size_t k) const {
    return graph_.axes_of(s.operands.at(k).name);
  }
  std::optional<at::Tensor> optional(const GraphStep& s, std::size_t k) const {
    if (k >= s.operands.size()) return std::nullopt;
    return value(s, k);
  }

  at::Tensor apply(const GraphStep& s) const {
    switch (graph_stage(s.stage).form) {
      case StageForm::elementwise:
        return s.operands.size() == 1
                   ? unary_operator(s, value(s, 0), [&](const char* key) { return number(s, key); })
                   : binary(s);
      case StageForm::normalises:
        return normalised(s);
      case StageForm::reduces:
        return reduced(s);
      case StageForm::slides:
        return pooled(s, value(s, 0), axes(s, 0));
      case StageForm::selects:
        return at::nll_loss(value(s, 0).reshape({-1, value(s, 0).size(-1)}),
                            value(s, 1).reshape({-1}));
      case StageForm::contracts:
        if (graph_stage(s.stage).convolves())
          return convolved(s, value(s, 0), value(s, 1), optional(s, 2));
        if (graph_stage(s.stage).axes == StageAxes::said)
          return contracted(graph_, s, value(s, 0), value(s, 1));
        return at::linear(value(s, 0), value(s, 1), optional(s, 2));
      case StageForm::scans:
      case StageForm::sorts:
        return scanned(graph_, s, values_);
      case StageForm::moves:
        return moved(graph_, s, extents_, values_, scalar_type_of(types_.storage()));
      case StageForm::turns:
        return turned(value(s, 0), aligned(value(s, 1), axes(s, 1), axes(s, 0)),
                      aligned(value(s, 2), axes(s, 2), axes(s, 0)));
    }
    throw InstrumentError("no operator of LibTorch for " + s.stage);
  }

  at::Tensor binary(const GraphStep& s) const {
    const auto operand = [&](std::size_t k) {
      if (s.operands[k].is_number()) return number_operand(rounded(s.operands[k].number));
      return aligned(value(s, k), axes(s, k), s.value_axes);
    };
    if (s.operands.size() == 3) return at::where(operand(0).ne(0), operand(1), operand(2));
    const at::Tensor y = binary_operator(s, operand(0), operand(1));
    return y.scalar_type() == at::kBool ? y.to(scalar_type_of(types_.storage())) : y;
  }

  at::Tensor reduced(const GraphStep& s) const {
    if (s.stage == "running_mean")
      return running_mean(value(s, 0), value(s, 1), number(s, "momentum"));
    if (s.stage == "running_var") return moved_variance(s);
    Dims dims;
    for (const std::string& axis : s.axes)
      if (has_name(axes(s, 0), axis)) dims.push_back(place_of(axes(s, 0), axis));
    at::Tensor x = value(s, 0);
    if (dims.empty()) {  // an axis that is gone has length 1; no axes at all would mean all
      x = x.unsqueeze(0);
      dims = {0};
    }
    if (s.stage == "sum") return at::sum(x, dims);
    if (s.stage == "mean") return at::mean(x, dims);
    if (s.stage == "var") return variance(x, dims, number(s, "correction"));
    if (s.stage == "rstd") return at::rsqrt(at::var(x, dims, 0, false) + number(s, "eps"));
    if (s.stage == "max") return at::amax(x, dims);
    if (s.stage == "min") return at::amin(x, dims);
    return with_empty_rows(s, x, dims, false,
                           [&](const at::Tensor& rows) { return at::logsumexp(rows, dims); });
  }

  /// LibTorch's BatchNorm divides by N - 1. With another number it is written with LibTorch's
  /// operators: the moved average of torch.var.
  at::Tensor moved_variance(const GraphStep& s) const {
    const double correction = number(s, "correction"), part = number(s, "momentum");
    if (correction == 1) return running_var(value(s, 0), value(s, 1), part);
    Dims dims;
    for (const std::string& axis : s.axes) dims.push_back(place_of(axes(s, 0), axis));
    return value(s, 1) * (1 - part) + variance(value(s, 0).detach(), dims, correction) * part;
  }

  at::Tensor normalised(const GraphStep& s) const {
    const at::Tensor x = value(s, 0).contiguous();
    if (graph_stage(s.stage).axes == StageAxes::none)
      return dense(evaluated(s, x, {value(s, 1), value(s, 2)}, optional(s, 3), optional(s, 4)));
    const auto weight = optional(s, 1);
    const auto beta = optional(s, 2);
    if (s.stage == "batch_norm")
      return dense(at::batch_norm(x, weight, beta, {}, {}, true, 0, number(s, "eps"), false));
    if (s.stage == "instance_norm")
      return dense(at::instance_norm(x, weight, beta, {}, {}, true, 0, number(s, "eps"), false));
    if (s.stage == "group_norm")
      return at::group_norm(x, static_cast<std::int64_t>(s.number("groups")), weight, beta,
                            number(s, "eps"));
    // The others work over the last axes.
    const Axes order = with_last(axes(s, 0), s.axes);
    const at::Tensor moved = aligned(x, axes(s, 0), order);
    Dims shape;
    for (std::size_t k = order.size() - s.axes.size(); k < order.size(); ++k)
      shape.push_back(moved.size(static_cast<std::int64_t>(k)));
    return aligned(over_last(s, moved, shape, weight, beta), order, axes(s, 0));
  }

  /// instance_norm writes the mean of its copies over the statistics that it is given, in
  /// evaluation too.
  at::Tensor evaluated(const GraphStep& s, const at::Tensor& x, const Statistics& given,
                       const std::optional<at::Tensor>& weight,
                       const std::optional<at::Tensor>& beta) const {
    const at::Tensor mean = given.mean.detach().clone();
    const at::Tensor variance = given.variance.detach().clone();
    return s.stage == "batch_norm_eval"
               ? at::batch_norm(x, weight, beta, mean, variance, false, 0, number(s, "eps"), false)
               : at::instance_norm(x, weight, beta, mean, variance, false, 0, number(s, "eps"),
                                   false);
  }

  at::Tensor over_last(const GraphStep& s, const at::Tensor& x, const Dims& shape,
                       const std::optional<at::Tensor>& weight,
                       const std::optional<at::Tensor>& beta) const {
    if (s.stage == "layer_norm") return at::layer_norm(x, shape, weight, beta, number(s, "eps"));
    if (s.stage == "rms_norm") return at::rms_norm(x, shape, weight, number(s, "eps"));
    const auto kept = static_cast<std::int64_t>(x.dim()) - static_cast<std::int64_t>(shape.size());
    const at::Tensor flat = x.flatten(kept);
    const at::Tensor y = with_empty_rows(s, flat, {kept}, true, [&](const at::Tensor& rows) {
      return s.stage == "softmax" ? at::softmax(rows, kept) : at::log_softmax(rows, kept);
    });
    return y.view(x.sizes());
  }

  const Graph& graph_;
  const Tensors& inputs_;
  const GraphTypes& types_;
  GraphExtents extents_;
  std::map<std::string, at::Tensor> values_;
};

}  // namespace

Tensors answer_graph(const Graph& graph, const Tensors& inputs, const GraphTypes& types,
                     int threads) {
  std::int64_t elements = 0;
  for (const auto& [name, tensor] : inputs) elements = std::max(elements, tensor.numel());
  const FewThreads few(elements, threads);
  try {
    return GraphRun(graph, inputs, types).run();
  } catch (const c10::Error& error) {
    const std::string text = std::string("LibTorch: ") + error.what_without_backtrace();
    if (text.find("not implemented for") != std::string::npos) throw NoOperator(text);
    throw UsageError(text);
  }
}

}  // namespace gradproof
