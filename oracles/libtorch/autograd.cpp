// SPDX-License-Identifier: Apache-2.0
#include "oracles/libtorch/autograd.h"

#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/normalization.h>
#include <torch/version.h>

#include "core/error.h"
#include "oracles/libtorch/tensors.h"
#include "oracles/libtorch/threads.h"

namespace gradproof {
namespace {

using Values = std::map<std::string, at::Tensor, std::less<>>;

/// The names and numbers of a norm's step, in the order that core/claim/pipeline.h gives.
struct Normalization {
  std::string weight, beta, running_mean, running_var, num_batches_tracked;
  double eps = 0;
  std::optional<double> momentum;

  explicit Normalization(const Step& step) {
    const bool batch = step.kind == StageKind::batch_norm;
    if (step.parameters.size() != (batch ? 5 : 2) || step.scalars.size() != (batch ? 2 : 1))
      throw InstrumentError("step '" + step.name + "' has not a norm's names and numbers");
    weight = step.parameters[0];
    beta = step.parameters[1];
    eps = step.scalars[0];
    if (batch) {
      running_mean = step.parameters[2];
      running_var = step.parameters[3];
      num_batches_tracked = step.parameters[4];
      if (!std::isnan(step.scalars[1])) momentum = step.scalars[1];
    }
    if (weight.empty() != beta.empty() || running_mean.empty() != running_var.empty())
      throw InstrumentError(
          "LibTorch's norms have both of weight and beta, running_mean and "
          "running_var");
  }

  bool affine() const { return !weight.empty(); }
  bool tracked() const { return !running_mean.empty(); }
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
    std::string previous = "x";
    for (const Step& step : claim_.pipeline.steps) {
      const auto from = steps.find(step.from.empty() ? previous : step.from);
      if (from == steps.end())
        throw InstrumentError("step '" + step.name + "' takes an unknown value");
      steps.insert_or_assign(step.name, apply(step, from->second));
      previous = step.name;
    }
    values_.insert_or_assign("y", steps.at(previous));
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

  at::Tensor apply(const Step& step, const at::Tensor& x) {
    switch (step.kind) {
      case StageKind::bias:
        return x + at(step.parameters.at(0));
      case StageKind::divide:
        return x / step.scalars.at(0);
      case StageKind::swish:
        return at::silu(x);
      case StageKind::scale:
        return x * at(step.parameters.at(0));
      case StageKind::batch_norm:
        return batch_norm(Normalization(step), x);
      case StageKind::group_norm:
        return group_norm(Normalization(step), x);
    }
    throw InstrumentError("LibTorch's witness knows no stage like '" + step.name + "'");
  }

  at::Tensor batch_norm(const Normalization& norm, const at::Tensor& x) {
    keep_statistics(norm, x);
    torch::nn::BatchNorm1d module(torch::nn::BatchNorm1dOptions(claim_.cols)
                                      .eps(norm.eps)
                                      .momentum(norm.momentum)
                                      .affine(norm.affine())
                                      .track_running_stats(norm.tracked()));
    module->train(training(norm));
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

  /// The module has no mode: the unit's own statistics always. What it saves for its backward pass
  /// is what native_group_norm returns.
  at::Tensor group_norm(const Normalization& norm, const at::Tensor& x) {
    torch::nn::GroupNorm module(torch::nn::GroupNormOptions(claim_.groups, claim_.cols)
                                    .eps(norm.eps)
                                    .affine(norm.affine()));
    if (norm.affine()) {
      module->weight = at(norm.weight);
      module->bias = at(norm.beta);
    }
    const at::NoGradGuard no_gradients;
    const auto [y, mean, rstd] =
        at::native_group_norm(x, optional(norm.weight), optional(norm.beta), claim_.rows,
                              claim_.cols, 1, claim_.groups, norm.eps);
    values_.insert_or_assign("mean", mean);
    values_.insert_or_assign("rstd", rstd);
    const at::AutoGradMode gradients(true);
    return module->forward(x);
  }

  /// The BatchNorm's mode. It has no mode that normalises with the batch's own statistics and keeps
  /// its running ones, nor the reverse.
  bool training(const Normalization& norm) const {
    const Pipeline& p = claim_.pipeline;
    if (!norm.tracked() && p.batch_statistics) return p.update_running;
    if (!norm.tracked() || p.batch_statistics != p.update_running)
      throw InstrumentError("BatchNorm1d has no mode with these statistics");
    return p.batch_statistics;
  }

  /// mean and rstd as LibTorch saves them for its backward pass; in eval mode it saves none, and
  /// they are what its kernel computes there: running_mean, 1 / sqrt(running_var + eps).
  void keep_statistics(const Normalization& norm, const at::Tensor& x) {
    const at::NoGradGuard no_gradients;
    at::Tensor mean, rstd;
    if (!claim_.pipeline.batch_statistics) {
      mean = at(norm.running_mean).clone();
      rstd = at::reciprocal(at::sqrt(at(norm.running_var) + norm.eps));
    } else if (claim_.rows == 0) {
      mean = at::full({claim_.cols}, std::numeric_limits<double>::quiet_NaN(), x.scalar_type());
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

Tensors libtorch_operators(const Claim& claim, const Tensors& inputs) {
  const FewThreads few(claim.rows * claim.cols);
  try {
    Run run(claim, inputs);
    run.forward();
    if (claim.backward) run.backward();
    return run.results();
  } catch (const c10::Error& error) {
    throw InstrumentError(std::string("LibTorch: ") + error.what_without_backtrace());
  }
}

Tensors autograd_witness(const Claim& claim, const Tensors& inputs) {
  return libtorch_operators(as_libtorch_float64(claim), inputs);
}

std::string libtorch_version() { return TORCH_VERSION; }

}  // namespace gradproof
