// SPDX-License-Identifier: Apache-2.0
#pragma once
// The column kernels on a number that counts its additions, and their launches one by one.
#include "simt/counted.h"
#define GRADPROOF_UNIT counting
#define GRADPROOF_TYPES simt::Counted, simt::Counted, simt::Counted
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/batchnorm_bias_divide_swish.cu"
#include "kernels/bias_divide_swish.cu"
#include "kernels/scale_batchnorm.cu"
#include "kernels/swish_bias.cu"
#include "kernels/swish_multiply_swish.cu"
#include "tests/kernels/counted_memory.h"

namespace gradproof {
using CountedForward = ColumnForward<Counted, Counted, Counted>;
using CountedBackward = ColumnBackward<Counted, Counted, Counted>;
using Launches = std::vector<std::function<void()>>;

/// The arguments of a kernel, and its launches in order.
struct Passes {
  std::function<CountedForward(const Call&)> forward;
  std::function<CountedBackward(const Call&)> backward;
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
  return {column_forward_arguments<Chain, Counted, Counted, Counted>,
          column_backward_arguments<Chain, Counted, Counted, Counted>,
          [](const CountedForward& a) { return Launches{[=] { launch_values<Chain>(a); }}; },
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
  return {batchnorm_forward_arguments<Pipeline, Counted, Counted, Counted>,
          batchnorm_backward_arguments<Pipeline, Counted, Counted, Counted>,
          norm_statistics<Pipeline>, norm_gradients<Pipeline>,
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

}  // namespace gradproof
