// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/arguments.h"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// The forward arguments of the kernels of this folder.
template <class S, class P, class A>
struct GroupForward {
  std::int64_t rows, cols, groups;
  Matrix<const S> x;
  Matrix<S> y;
  StageOperands<P, A> stages;
  Vector<const P> weight, beta;  ///< of the norm; absent: 1 and 0
  A* mean;                       ///< saved statistics, (rows, groups); backward needs them
  A* rstd;
  A eps;
  void* workspace;  ///< of the bytes that the catalog says
  cudaStream_t stream;
};

/// The backward arguments; mean and rstd are those that the forward pass saved.
template <class S, class P, class A>
struct GroupBackward {
  std::int64_t rows, cols, groups;
  Matrix<const S> x, dy;
  Matrix<S> d_x;
  StageOperands<P, A> stages;
  StageGradients<P> d_stages;
  Vector<const P> weight, beta;
  Vector<P> d_weight, d_beta;
  const A* mean;
  const A* rstd;
  void* workspace;
  cudaStream_t stream;
};

/// The arguments that both passes of a GroupNorm<Before, After> take. M is the type of the saved
/// statistics, which only forward writes.
template <class Arguments, class System, class S, class P, class M>
Arguments group_arguments(const Call& call) {
  Arguments a{};
  a.rows = call.extent("rows");
  a.cols = call.extent("cols");
  a.groups = call.extent("groups");
  a.x = matrix_of<const S>(call, "x");
  a.stages = stage_operands<System, P, std::remove_const_t<M>>(call);
  a.weight = vector_of<const P>(call, "weight");
  a.beta = vector_of<const P>(call, "beta");
  a.mean = pointer_of<M>(call, "mean");
  a.rstd = pointer_of<M>(call, "rstd");
  a.workspace = pointer_of<void>(call, "workspace");
  a.stream = call.stream;
  return a;
}

template <class System, class S, class P, class A>
GroupForward<S, P, A> group_forward_arguments(const Call& call) {
  auto a = group_arguments<GroupForward<S, P, A>, System, S, P, A>(call);
  a.y = matrix_of<S>(call, "y");
  a.eps = scalar_of<A>(call, "eps");
  return a;
}

template <class System, class S, class P, class A>
GroupBackward<S, P, A> group_backward_arguments(const Call& call) {
  auto a = group_arguments<GroupBackward<S, P, A>, System, S, P, const A>(call);
  a.dy = matrix_of<const S>(call, "dy");
  a.d_x = matrix_of<S>(call, "d_x");
  a.d_stages = stage_gradients<P>(call);
  a.d_weight = vector_of<P>(call, "d_weight");
  a.d_beta = vector_of<P>(call, "d_beta");
  return a;
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
