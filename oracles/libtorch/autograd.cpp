// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/normalization.h>

#include "core/error.h"
#include "core/graph/stages.h"
#include "oracles/libtorch/answers.h"
#include "oracles/libtorch/graph_operators.h"
#include "oracles/libtorch/tensors.h"
#include "oracles/libtorch/threads.h"

namespace gradproof {
namespace {

using Values = std::map<std::string, at::Tensor, std::less<>>;

/// The names and numbers of a norm's step, and the claim's buffers in training.
struct Normalization {
  std::string weight, beta, running_mean, running_var, num_batches_tracked;
  double eps = 0;
  std::optional<double> momentum;
  bool given = false;  ///< it takes the running statistics

  Normalization(const Claim& claim, const GraphStep& step)
      : weight(operand_of(step, "weight")),
        beta(operand_of(step, "beta")),
        eps(step.number("eps")),
        given(graph_stage(step.stage).statistics == StageStatistics::given) {
    if (given) {
      running_mean = operand_of(step, "mean");
      running_var = operand_of(step, "var");
    }
    for (const GraphStep& other : claim.graph.steps)
      if (other.operands.front() == step.operands.front()) take_moved(claim, other);
    for (const TensorSpec& spec : claim.tensors)
      if (spec.role == Role::buffer && spec.dtype == DType::i64) num_batches_tracked = spec.name;
    if (weight.empty() != beta.empty() || running_mean.empty() != running_var.empty())
      throw InstrumentError(
          "LibTorch's norms have both of weight and beta, running_mean and "
          "running_var");
  }

  bool affine() const { return !weight.empty(); }
  bool tracked() const { return !running_mean.empty(); }

 private:
  void take_moved(const Claim& claim, const GraphStep& other) {
    const GraphStage& row = graph_stage(other.stage);
    if (!row.moves_statistic()) return;
    const bool mean = row.operands[1].part == TensorPart::running_mean;
    (mean ? running_mean : running_var) = other.operands[1].name;
    if (!claim.cumulative) momentum = other.number("momentum");
  }
};

/// One run of a claim's pipeline in the types of its tensors. Inputs and parameters are autograd's
/// leaves; buffers are updated in place, as LibTorch does.
class Run {
 public:
  Run(const Claim& claim, const Tensors& inputs) : claim_(claim) {
    for (const TensorSpec& spec : claim.tensors) {
      if (spec.role == Role::output || spec.role == Role::gradient) continue;
      at::Tensor value = to_torch(get(inputs, spec.name), spec.dtype);
      if (spec.role == Role::input || spec.role == Role::parameter) value.requires_grad_(true);
      values_.emplace(spec.name, std::move(value));
    }
  }

  void forward() {
    Values steps{{"x", at("x")}};
    for (const GraphStep& step : claim_.chain()) {
      const auto from = steps.find(step.operands.front().name);
      if (from == steps.end())
        throw InstrumentError("step '" + step.value + "' takes an unknown value");
      steps.insert_or_assign(step.value, apply(step, from->second));
    }
    values_.insert_or_assign("y", steps.at(claim_.graph.outputs.front()));
  }

  void backward() {
    std::vector<std::string> names;
    std::vector<at::Tensor> leaves;
    for (const TensorSpec& spec : claim_.tensors) {
      if (spec.role != Role::gradient) continue;
      names.push_back(spec.name);
      leaves.push_back(at(spec.name.substr(2)));  // d_<name>
    }
    if (names.empty()) return;
    const auto gradients = torch::autograd::grad({at("y")}, leaves, {at("dy")});
    for (std::size_t i = 0; i < names.size(); ++i) values_.insert_or_assign(names[i], gradients[i]);
  }

  Tensors results() const {
    Tensors results;
    for (const TensorSpec& spec : claim_.tensors) {
      const bool of_forward = spec.role == Role::output || spec.role == Role::buffer;
      if ((of_forward && claim_.forward) || (spec.role == Role::gradient && claim_.backward))
        results.emplace(spec.name, from_torch(at(spec.name), spec.layout.shape));
    }
    return results;
  }

 private:
  const at::Tensor& at(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end())
      throw InstrumentError("LibTorch's witness has no tensor '" + name + "'");
    return found->second;
  }

  std::optional<at::Tensor> optional(const std::string& name) const {
    return name.empty() ? std::optional<at::Tensor>() : at(name);
  }

  at::Tensor apply(const GraphStep& step, const at::Tensor& x) {
    const GraphStage& row = graph_stage(step.stage);
    if (row.is_norm() && row.axes == StageAxes::group)
      return group_norm(Normalization(claim_, step), x);
    if (row.is_norm()) return batch_norm(Normalization(claim_, step), x);
    if (row.operands.size() == 1)
      return unary_operator(step, x, [&](const char* key) { return step.number(key); });
    const GraphOperand& other = step.operands.at(1);
    return binary_operator(step, x,
                           other.is_number() ? number_operand(other.number) : at(other.name));
  }

  at::Tensor batch_norm(const Normalization& norm, const at::Tensor& x) {
    keep_statistics(norm, x);
    torch::nn::BatchNorm1d module(torch::nn::BatchNorm1dOptions(claim_.cols())
                                      .eps(norm.eps)
                                      .momentum(norm.momentum)
                                      .affine(norm.affine())
                                      .track_running_stats(norm.tracked()));
    module->train(!norm.given);
    if (norm.affine()) {
      module->weight = at(norm.weight);
      module->bias = at(norm.beta);
    }
    if (norm.tracked()) {
      module->running_mean = at(norm.running_mean);
      module->running_var = at(norm.running_var);
      module->num_batches_tracked = at(norm.num_batches_tracked);
    }
    return module->forward(x);
  }

  /// The module has no mode: it always takes the unit's own statistics. native_group_norm returns
  /// the numbers that it saves for its backward pass.
  at::Tensor group_norm(const Normalization& norm, const at::Tensor& x) {
    torch::nn::GroupNorm module(torch::nn::GroupNormOptions(claim_.groups(), claim_.cols())
                                    .eps(norm.eps)
                                    .affine(norm.affine()));
    if (norm.affine()) {
      module->weight = at(norm.weight);
      module->bias = at(norm.beta);
    }
    const at::NoGradGuard no_gradients;
    const auto [y, mean, rstd] =
        at::native_group_norm(x, optional(norm.weight), optional(norm.beta), claim_.rows(),
                              claim_.cols(), 1, claim_.groups(), norm.eps);
    values_.insert_or_assign("mean", mean);
    values_.insert_or_assign("rstd", rstd);
    const at::AutoGradMode gradients(true);
    return module->forward(x);
  }

  /// mean and rstd as LibTorch saves them for its backward pass; in eval mode it saves none, and
  /// they are computed as its kernel does: running_mean, 1 / sqrt(running_var + eps).
  void keep_statistics(const Normalization& norm, const at::Tensor& x) {
    const at::NoGradGuard no_gradients;
    at::Tensor mean, rstd;
    if (norm.given) {
      mean = at(norm.running_mean).clone();
      rstd = at::reciprocal(at::sqrt(at(norm.running_var) + norm.eps));
    } else if (claim_.rows() == 0) {
      mean = at::full({claim_.cols()}, std::numeric_limits<double>::quiet_NaN(), x.scalar_type());
      rstd = mean.clone();
    } else {  // all that decides in which type they are saved
      const auto copy = [&](const std::string& name) {
        return name.empty() ? std::optional<at::Tensor>() : at(name).detach().clone();
      };
      std::tie(std::ignore, mean, rstd) =
          at::native_batch_norm(x, optional(norm.weight), optional(norm.beta),
                                copy(norm.running_mean), copy(norm.running_var), true, 0, norm.eps);
    }
    values_.insert_or_assign("mean", mean);
    values_.insert_or_assign("rstd", rstd);
  }

  const Claim& claim_;
  Values values_;
};

}  // namespace

Tensors answer_operators(const Claim& claim, const Tensors& inputs, int threads) {
  const FewThreads few(claim.rows() * claim.cols(), threads);
  try {
    Run run(claim, inputs);
    run.forward();
    if (claim.backward) run.backward();
    return run.results();
  } catch (const c10::Error& error) {
    throw InstrumentError(std::string("LibTorch: ") + error.what_without_backtrace());
  }
}

}  // namespace gradproof
