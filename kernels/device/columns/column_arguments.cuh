// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "kernels/arguments.h"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// The forward arguments of the kernels of this folder. Without a norm, its members are null and 0.
template <class S, class P, class A>
struct ColumnForward {
  std::int64_t rows, cols;
  Matrix<const S> x;
  Matrix<S> y;
  StageOperands<P, A> stages;
  Vector<const P> weight, beta;  ///< of the norm, as all that follows it; absent: 1 and 0
  P* running_mean;               ///< these three null: not tracked
  P* running_var;
  std::int64_t* num_batches_tracked;
  A* mean;  ///< saved statistics, (cols); the backward pass needs them
  A* rstd;
  A eps, momentum;
  bool cumulative;        ///< momentum is 1 / (number of batches), this one included
  bool training;          ///< running statistics move
  bool batch_statistics;  ///< the norm takes the batch's own mean and variance
  void* workspace;        ///< of the bytes that the catalog says
  cudaStream_t stream;
};

/// The backward arguments; mean and rstd are those that the forward pass saved.
template <class S, class P, class A>
struct ColumnBackward {
  std::int64_t rows, cols;
  Matrix<const S> x, dy;
  Matrix<S> d_x;
  StageOperands<P, A> stages;
  StageGradients<P> d_stages;
  Vector<const P> weight, beta;
  Vector<P> d_weight, d_beta;
  const A* mean;
  const A* rstd;
  A eps;
  bool batch_statistics;  ///< mean and rstd depend on x
  void* workspace;
  cudaStream_t stream;
};

/// The arguments that both passes of a Chain of stages take in every kernel.
template <class Arguments, class Chain, class S, class P, class A>
Arguments column_arguments(const Call& call) {
  Arguments a{};
  a.rows = call.extent("rows");
  a.cols = call.extent("cols");
  a.x = matrix_of<const S>(call, "x");
  a.stages = stage_operands<Chain, P, A>(call);
  a.workspace = pointer_of<void>(call, "workspace");
  a.stream = call.stream;
  return a;
}

template <class Chain, class S, class P, class A>
ColumnForward<S, P, A> column_forward_arguments(const Call& call) {
  auto a = column_arguments<ColumnForward<S, P, A>, Chain, S, P, A>(call);
  a.y = matrix_of<S>(call, "y");
  return a;
}

template <class Chain, class S, class P, class A>
ColumnBackward<S, P, A> column_backward_arguments(const Call& call) {
  auto a = column_arguments<ColumnBackward<S, P, A>, Chain, S, P, A>(call);
  a.dy = matrix_of<const S>(call, "dy");
  a.d_x = matrix_of<S>(call, "d_x");
  a.d_stages = stage_gradients<P>(call);
  return a;
}

/// Adds what the norm of a BatchNorm<A, Before, After> takes; momentum NaN averages all batches.
template <class Pipeline, class S, class P, class A>
ColumnForward<S, P, A> batchnorm_forward_arguments(const Call& call) {
  auto a = column_forward_arguments<typename Pipeline::Whole, S, P, A>(call);
  a.weight = vector_of<const P>(call, "weight");
  a.beta = vector_of<const P>(call, "beta");
  a.running_mean = pointer_of<P>(call, "running_mean");
  a.running_var = pointer_of<P>(call, "running_var");
  a.num_batches_tracked = pointer_of<std::int64_t>(call, "num_batches_tracked");
  a.mean = pointer_of<A>(call, "mean");
  a.rstd = pointer_of<A>(call, "rstd");
  a.eps = scalar_of<A>(call, "eps");
  a.momentum = scalar_of<A>(call, "momentum");
  a.cumulative = std::isnan(call.scalar("momentum"));
  a.training = call.flag("training");
  a.batch_statistics = call.flag("batch_statistics");
  return a;
}

template <class Pipeline, class S, class P, class A>
ColumnBackward<S, P, A> batchnorm_backward_arguments(const Call& call) {
  auto a = column_backward_arguments<typename Pipeline::Whole, S, P, A>(call);
  a.weight = vector_of<const P>(call, "weight");
  a.beta = vector_of<const P>(call, "beta");
  a.d_weight = vector_of<P>(call, "d_weight");
  a.d_beta = vector_of<P>(call, "d_beta");
  a.mean = pointer_of<const A>(call, "mean");
  a.rstd = pointer_of<const A>(call, "rstd");
  a.eps = scalar_of<A>(call, "eps");
  a.batch_statistics = call.flag("batch_statistics");
  return a;
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
