// SPDX-License-Identifier: Apache-2.0
#pragma once
// The column kernels on a number that counts its additions, and their launches one by one.
#include "simt/counted.h"
#define GRADPROOF_UNIT counting
#define GRADPROOF_COMBINATIONS(X) X(simt::Counted, simt::Counted, simt::Counted)
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/case/inputs.h"
#include "kernels/batchnorm_bias_divide_swish.cu"
#include "kernels/bias_divide_swish.cu"
#include "kernels/kernel.h"
#include "kernels/scale_batchnorm.cu"
#include "kernels/swish_bias.cu"
#include "kernels/swish_multiply_swish.cu"
#include "tests/support/catalog.h"

namespace gradproof {
using simt::Counted;
using CountedForward = Forward<Counted, Counted, Counted>;
using CountedBackward = Backward<Counted, Counted, Counted>;
using Launches = std::vector<std::function<void()>>;

/// The launches of a kernel, in order.
struct Passes {
  std::function<Launches(const CountedForward&)> statistics;
  std::function<Launches(const CountedBackward&)> gradients;
  std::function<void(const CountedBackward&)> shared;
};

template <class Chain>
Launches pointwise_gradients(const CountedBackward& a) {
  return {[=] { launch_gradients<Chain, true, Chain::kTerms>(a); },
          [=] { launch_finish_gradients<Chain, 0, Chain::kTerms>(a); }};
}

template <class Chain>
Passes pointwise() {
  return {[](const CountedForward& a) { return Launches{[=] { launch_values<Chain>(a); }}; },
          pointwise_gradients<Chain>, launch_shared_gradients<Chain, Counted, Counted, Counted>};
}

template <class Pipeline>
Launches norm_statistics(const CountedForward& a) {
  if (a.rows <= columns::kResidentRows) return {[=] { launch_forward_resident<Pipeline>(a); }};
  return {[=] { launch_moments<Pipeline>(a); }, [=] { launch_finish_statistics(a); },
          [=] { launch_values<typename Pipeline::Whole>(a); }};
}

template <class Pipeline>
Launches norm_gradients(const CountedBackward& a) {
  using Sums = typename Pipeline::SumsPass;
  if (!a.batch_statistics) return pointwise_gradients<typename Pipeline::Whole>(a);
  if (a.rows <= columns::kResidentRows) return {[=] { launch_backward_resident<Pipeline>(a); }};
  return {[=] { launch_gradients<Sums, false, Pipeline::kTerms>(a); },
          [=] { launch_finish_gradients<Sums, Pipeline::kFirst, Pipeline::kTerms>(a); },
          [=] { launch_input_pass<Pipeline>(a); }};
}

template <class Pipeline>
Passes normed() {
  return {norm_statistics<Pipeline>, norm_gradients<Pipeline>,
          launch_shared_gradients<typename Pipeline::Whole, Counted, Counted, Counted>};
}

inline const std::map<std::string, Passes>& column_kernels() {
  static const std::map<std::string, Passes> all{
      {"batchnorm_bias_divide_swish", normed<BatchNormBiasDivideSwish<Counted>>()},
      {"bias_divide_swish", pointwise<BiasDivideSwish<Counted>>()},
      {"scale_batchnorm", normed<ScaleBatchNorm<Counted>>()},
      {"swish_bias", pointwise<SwishBias<Counted>>()},
      {"swish_multiply_swish", pointwise<SwishMultiplySwish<Counted>>()},
  };
  return all;
}

inline std::vector<Counted> counted(const Tensor& tensor) {
  std::vector<Counted> numbers;
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    numbers.emplace_back(static_cast<float>(tensor.at(i)));
  return numbers;
}

/// The kernel's tensors for a Case, contiguous, in numbers that count.
struct CountedMemory {
  explicit CountedMemory(const Case& c)
      : claim(kernel_of(c).claim(c)),
        call(kernel_of(c).call(c)),
        passes(column_kernels().at(c.word())) {
    for (const auto& [name, tensor] : make_inputs(c, claim)) numbers[name] = counted(tensor);
    for (const TensorSpec& spec : claim.tensors)
      if (spec.role == Role::output || spec.role == Role::gradient)
        numbers[spec.name].resize(static_cast<std::size_t>(numel(spec.layout.shape)));
    numbers["workspace"].resize(kernel_of(c).workspace(call) / sizeof(float));
  }

  Counted* at(const std::string& name) {
    return numbers.count(name) > 0 ? numbers.at(name).data() : nullptr;
  }
  Matrix<Counted> matrix(const std::string& name) { return {at(name), claim.cols(), 1}; }
  Matrix<const Counted> input(const std::string& name) { return {at(name), claim.cols(), 1}; }
  std::int64_t stride(const std::string& name) const { return numbers.at(name).size() > 1 ? 1 : 0; }
  Vector<const Counted> parameter(const std::string& name) {
    return {at(name), at(name) == nullptr ? 0 : stride(name)};
  }
  Vector<Counted> gradient(const std::string& name) {
    return {at(name), at(name) == nullptr ? 0 : stride(name)};
  }

  template <class Arguments>
  void parameters(Arguments& a) {
    a.rows = claim.rows(), a.cols = claim.cols();
    a.x = input("x");
    a.weight = parameter("weight"), a.beta = parameter("beta"), a.bias = parameter("bias");
    a.scale = parameter("scale"), a.multiply = parameter("multiply");
    a.divide = 1.75f;
    a.batch_statistics = claim.batch_statistics();
    a.workspace = at("workspace");
  }

  CountedForward forward() {
    CountedForward a{};
    parameters(a);
    a.y = matrix("y");
    a.running_mean = at("running_mean"), a.running_var = at("running_var");
    a.mean = at("mean"), a.rstd = at("rstd");
    a.eps = 1e-5f, a.momentum = 0.1f;
    a.training = true;
    return a;
  }

  CountedBackward backward() {
    CountedBackward a{};
    parameters(a);
    a.dy = input("dy"), a.d_x = matrix("d_x");
    for (const char* name : {"mean", "rstd"})
      if (at(name) != nullptr) numbers[name].assign(numbers[name].size(), 0.5f);
    a.mean = at("mean"), a.rstd = at("rstd");
    a.eps = 1e-5f;
    a.d_weight = gradient("d_weight"), a.d_beta = gradient("d_beta");
    a.d_bias = gradient("d_bias");
    a.d_scale = gradient("d_scale"), a.d_multiply = gradient("d_multiply");
    return a;
  }

  std::int64_t declared(const std::string& reduction) const {
    return claim.contract.reduction(reduction).chain;
  }

  Claim claim;
  Call call;
  Passes passes;
  std::map<std::string, std::vector<Counted>> numbers;
};

}  // namespace gradproof
