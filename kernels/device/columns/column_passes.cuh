// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/catalog/families.h"
#include "kernels/device/columns/column_launch.cuh"

/// The forward and backward of column pipelines launch their kernels here in order. The last two
/// functions make the entry points for a kernel's definition.
namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class Chain, class S, class P, class A>
void pointwise_forward(const ColumnForward<S, P, A>& a) {
  if (a.rows > 0 && a.cols > 0) launch_values<Chain>(a);
}

/// Takes one pass over x and dy, because d_x needs none of the sums.
template <class Chain, class S, class P, class A>
void pointwise_backward(const ColumnBackward<S, P, A>& a) {
  if (a.cols > 0 && a.rows == 0) {
    simt::launch(publish_zeros<Chain, S, P, A>, column_launch(a), a);
  } else if (a.cols > 0) {
    launch_gradients<Chain, true, Chain::kTerms>(a);
    launch_finish_gradients<Chain, 0, Chain::kTerms>(a);
  }
  launch_shared_gradients<Chain>(a);
}

template <class Pipeline, class S, class P, class A>
void batchnorm_forward(const ColumnForward<S, P, A>& a) {
  if (a.training && a.num_batches_tracked != nullptr)
    simt::launch(count_batch<S, P, A>, {.stream = a.stream}, a);
  if (a.cols == 0) return;
  if (!a.batch_statistics) {
    simt::launch(take_running_statistics<S, P, A>, column_launch(a), a);
    if (a.rows > 0) launch_values<typename Pipeline::Whole>(a);
  } else if (a.rows > columns::resident_rows<A>()) {
    launch_moments<Pipeline>(a);
    launch_finish_statistics(a);
    launch_values<typename Pipeline::Whole>(a);
  } else if (a.rows > 0) {
    launch_forward_resident<Pipeline>(a);
  }
}

/// Computes d_x of a batch's own statistics, once the norm's sums are known, and the gradients of
/// the stages before the norm.
template <class Pipeline, class S, class P, class A>
void launch_input_pass(const ColumnBackward<S, P, A>& a) {
  using Pass = typename Pipeline::InputPass;
  if (Pass::kTerms == 0 && a.d_x.data == nullptr) return;
  launch_gradients<Pass, true, Pipeline::kTerms>(a);
  if constexpr (Pass::kTerms > 0) launch_finish_gradients<Pass, 0, Pipeline::kTerms>(a);
}

template <class Pipeline, class S, class P, class A>
void batchnorm_backward(const ColumnBackward<S, P, A>& a) {
  using Sums = typename Pipeline::SumsPass;
  using Whole = typename Pipeline::Whole;
  if (!a.batch_statistics || a.rows == 0) return pointwise_backward<Whole>(a);
  if (a.cols > 0 && a.rows <= columns::resident_rows<A>()) {
    launch_backward_resident<Pipeline>(a);
  } else if (a.cols > 0) {
    launch_gradients<Sums, false, Pipeline::kTerms>(a);
    launch_finish_gradients<Sums, Pipeline::kFirst, Pipeline::kTerms>(a);
    launch_input_pass<Pipeline>(a);
  }
  launch_shared_gradients<Whole>(a);
}

/// The entry points of a kernel without a norm: Chain<A> is its Stages<...>.
template <template <class> class Chain>
UnitEntry pointwise_entry() {
  const auto forward = []<class S, class P, class A>(Types<S, P, A>, const Call& call) {
    pointwise_forward<Chain<A>>(column_forward_arguments<Chain<A>, S, P, A>(call));
  };
  const auto backward = []<class S, class P, class A>(Types<S, P, A>, const Call& call) {
    pointwise_backward<Chain<A>>(column_backward_arguments<Chain<A>, S, P, A>(call));
  };
  return unit_entry(forward, backward);
}

/// The entry points of a kernel with a norm: Pipeline<A> is its BatchNorm<A, Before, After>.
template <template <class> class Pipeline>
UnitEntry batchnorm_entry() {
  const auto forward = []<class S, class P, class A>(Types<S, P, A>, const Call& call) {
    batchnorm_forward<Pipeline<A>>(batchnorm_forward_arguments<Pipeline<A>, S, P, A>(call));
  };
  const auto backward = []<class S, class P, class A>(Types<S, P, A>, const Call& call) {
    batchnorm_backward<Pipeline<A>>(batchnorm_backward_arguments<Pipeline<A>, S, P, A>(call));
  };
  return unit_entry(forward, backward);
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
