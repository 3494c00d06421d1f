// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/catalog/families.h"
#include "kernels/device/groups/group_backward.cuh"
#include "kernels/device/groups/group_finish.cuh"
#include "kernels/device/groups/group_forward.cuh"

/// Launches the kernels of group_*.cuh. `System` is a GroupNorm<Before, After>.
namespace gradproof {
inline namespace GRADPROOF_UNIT {

template <class Arguments>
group::Tiling forward_tiling(const Arguments& a) {
  return group::tiling_of(group::forward_chunks(a.rows), a.cols, a.groups);
}

template <class Arguments>
group::Tiling backward_tiling(const Arguments& a) {
  return group::tiling_of(group::backward_chunks(a.rows), a.cols, a.groups);
}

/// The launch has all blocks in one dimension, which takes 2^31 - 1 of them.
inline simt::Launch tile_launch(const group::Tiling& tiling, cudaStream_t stream) {
  const auto units = static_cast<unsigned>(tiling.together * tiling.chunks_together);
  return {.grid = dim3(static_cast<unsigned>(tiling.blocks())),
          .block = dim3(static_cast<unsigned>(tiling.lanes), units),
          .stream = stream};
}

/// The launch with one block for each unit of a wide group.
template <class Arguments>
simt::Launch unit_launch(const Arguments& a) {
  return {.grid = dim3(static_cast<unsigned>(a.rows * a.groups)),
          .block = dim3(group::kThreads),
          .stream = a.stream};
}

/// True if a matrix's quads may be read whole: none lies in two groups, and all are aligned.
template <class Arguments, class T>
bool has_whole_quads(const Arguments& a, const Matrix<T>& m) {
  return a.cols / a.groups % kQuad == 0 && is_vector(m);
}

template <class System, class S, class P, class A>
void launch_wide_statistics(const GroupForward<S, P, A>& a) {
  simt::launch(wide_statistics<System, S, P, A>, unit_launch(a), a, forward_tiling(a),
               has_whole_quads(a, a.x));
}

template <class System, bool kResident, class S, class P, class A>
void launch_forward(const GroupForward<S, P, A>& a) {
  const group::Tiling tiling = forward_tiling(a);
  simt::launch(group_forward<System, kResident, S, P, A>, tile_launch(tiling, a.stream), a, tiling,
               has_whole_quads(a, a.x) && has_whole_quads(a, a.y));
}

template <class System, class S, class P, class A>
void run_forward(const GroupForward<S, P, A>& a) {
  if (a.rows == 0) return;
  if (forward_tiling(a).resident()) return launch_forward<System, true>(a);
  launch_wide_statistics<System>(a);
  launch_forward<System, false>(a);
}

template <class System, class S, class P, class A>
group::Scratch scratch_of(const GroupBackward<S, P, A>& a) {
  group::Scratch scratch = group::scratch_of(a.rows, a.cols, a.groups, kSumsOf<System, A>);
  scratch.vector = has_whole_quads(a, Matrix<A>{static_cast<A*>(a.workspace), a.cols, 1});
  return scratch;
}

template <class S, class P, class A>
bool has_whole_quads(const GroupBackward<S, P, A>& a) {
  return has_whole_quads(a, a.x) && has_whole_quads(a, a.dy) && has_whole_quads(a, a.d_x);
}

template <class System, class S, class P, class A>
void launch_wide_sums(const GroupBackward<S, P, A>& a) {
  simt::launch(wide_sums<System, S, P, A>, unit_launch(a), a, backward_tiling(a),
               scratch_of<System>(a), has_whole_quads(a));
}

template <class System, bool kResident, class S, class P, class A>
void launch_backward(const GroupBackward<S, P, A>& a) {
  const group::Tiling tiling = backward_tiling(a);
  simt::launch(group_backward<System, kResident, S, P, A>, tile_launch(tiling, a.stream), a, tiling,
               scratch_of<System>(a), has_whole_quads(a));
}

template <class System, class S, class P, class A>
void launch_finish(const GroupBackward<S, P, A>& a) {
  constexpr int kSums = kSumsOf<System, A>;
  const group::Scratch scratch = scratch_of<System>(a);
  const auto lanes = static_cast<unsigned>(group::finish_lanes(scratch.chunks));
  const std::int64_t blocks = kSums * group::blocks_of(a.cols, group::kFinishChannels);
  simt::launch(finish_sums<System, S, P, A>,
               {.grid = dim3(static_cast<unsigned>(blocks)),
                .block = dim3(group::kFinishChannels, lanes),
                .stream = a.stream},
               a, scratch);
}

template <class System, class S, class P, class A>
void launch_shared(const GroupBackward<S, P, A>& a) {
  constexpr int kSums = kSumsOf<System, A>;
  simt::launch(sum_shared<System, S, P, A>,
               {.grid = dim3(kSums), .block = dim3(group::kSharedLanes), .stream = a.stream}, a,
               scratch_of<System>(a));
}

/// True if a gradient of any parameter is wanted; with `shared`, if one of a single number is.
template <class System, class S, class P, class A>
bool wants_sums(const GroupBackward<S, P, A>& a, bool shared) {
  const auto wants = [&](const Vector<P>& gradient) {
    return gradient.data != nullptr && (!shared || gradient.stride == 0);
  };
  bool any = wants(a.d_weight) || wants(a.d_beta);
  for (int k = 0; k < System::kVectors; ++k) any |= wants(a.d_stages.vectors[k]);
  return any;
}

/// Without rows there are no chunks, and the gradients of parameters are empty sums, so 0.
template <class System, class S, class P, class A>
void run_backward(const GroupBackward<S, P, A>& a) {
  if (a.rows > 0 && backward_tiling(a).resident()) launch_backward<System, true>(a);
  if (a.rows > 0 && !backward_tiling(a).resident()) {
    launch_wide_sums<System>(a);
    launch_backward<System, false>(a);
  }
  if (wants_sums<System>(a, false)) launch_finish<System>(a);
  if (wants_sums<System>(a, true)) launch_shared<System>(a);
}

/// The entry points of a kernel: System<A> is its GroupNorm<Before, After>.
template <template <class> class System>
UnitEntry groupnorm_entry() {
  const auto forward = []<class S, class P, class A>(Types<S, P, A>, const Call& call) {
    run_forward<System<A>>(group_forward_arguments<System<A>, S, P, A>(call));
  };
  const auto backward = []<class S, class P, class A>(Types<S, P, A>, const Call& call) {
    run_backward<System<A>>(group_backward_arguments<System<A>, S, P, A>(call));
  };
  return unit_entry(forward, backward);
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
