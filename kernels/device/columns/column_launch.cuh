// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/columns/column_gradient.cuh"
#include "kernels/device/columns/column_map.cuh"
#include "kernels/device/columns/column_statistics.cuh"

/// Launches the kernels of column_*.cuh. Chain is a Stages<...>, Pipeline a BatchNorm<...>.
namespace gradproof {
inline namespace GRADPROOF_UNIT {

constexpr unsigned kResidentQuads = 4;
constexpr unsigned kStreamQuads = 8;
constexpr unsigned kFinishColumns = 16;
constexpr unsigned kColumnThreads = 256;

inline unsigned blocks_for(std::int64_t columns, unsigned a_block) {
  return static_cast<unsigned>((columns + a_block - 1) / a_block);
}

/// The launch with one thread a column.
template <class Arguments>
simt::Launch column_launch(const Arguments& a) {
  return {.grid = dim3(blocks_for(a.cols, kColumnThreads)),
          .block = dim3(kColumnThreads),
          .stream = a.stream};
}

/// The launch with one block a column tile, with `kept` bytes of each row's quads in shared memory
/// and a slot for each lane and column.
template <class Arguments>
simt::Launch resident_launch(const Arguments& a, std::size_t kept, std::size_t slot_bytes) {
  const auto lanes = static_cast<unsigned>(columns::resident_lanes(a.rows));
  return {.grid = dim3(blocks_for(a.cols, kResidentQuads * kQuad)),
          .block = dim3(kResidentQuads, lanes),
          .smem = static_cast<std::size_t>(a.rows) * kResidentQuads * kept +
                  lanes * kResidentQuads * kQuad * slot_bytes,
          .stream = a.stream};
}

template <class Arguments>
std::int64_t stream_tiles(const Arguments& a) {
  return blocks_for(a.cols, kStreamQuads * kQuad);
}

/// One block for each column tile of each chunk, all along x, which takes 2^31 - 1 blocks.
template <class Arguments>
simt::Launch stream_launch(const Arguments& a, std::size_t slot_bytes) {
  const std::int64_t blocks = stream_tiles(a) * columns::chunks_of(a.rows).count;
  return {.grid = dim3(static_cast<unsigned>(blocks)),
          .block = dim3(kStreamQuads, columns::kStreamLanes),
          .smem = kStreamQuads * kQuad * columns::kStreamLanes * slot_bytes,
          .stream = a.stream};
}

template <class Arguments>
simt::Launch finish_launch(const Arguments& a, std::size_t slot_bytes) {
  return {.grid = dim3(blocks_for(a.cols, kFinishColumns)),
          .block = dim3(kFinishColumns, columns::kFinishLanes),
          .smem = kFinishColumns * columns::kFinishLanes * slot_bytes,
          .stream = a.stream};
}

template <class S, class P, class A>
bool is_vector(const ColumnBackward<S, P, A>& a) {
  return is_vector(a.x) && is_vector(a.dy) && is_vector(a.d_x);
}

template <class Pipeline, class S, class P, class A>
void launch_forward_resident(const ColumnForward<S, P, A>& a) {
  const bool vector = is_vector(a.x) && is_vector(a.y);
  const bool few = columns::resident_lanes(a.rows) == columns::kFewLanes;
  const auto kernel = few ? forward_resident<Pipeline, columns::kFewLanes, S, P, A>
                          : forward_resident<Pipeline, columns::kManyLanes, S, P, A>;
  simt::launch(kernel, resident_launch(a, sizeof(Quad<S>), sizeof(A)), a, vector);
}

template <class Pipeline, class S, class P, class A>
void launch_moments(const ColumnForward<S, P, A>& a) {
  simt::launch(moments_of_chunks<Pipeline, S, P, A>, stream_launch(a, sizeof(Moments<A>)), a,
               stream_tiles(a), is_vector(a.x));
}

template <class S, class P, class A>
void launch_finish_statistics(const ColumnForward<S, P, A>& a) {
  simt::launch(finish_statistics<S, P, A>, finish_launch(a, sizeof(Moments<A>)), a);
}

template <class Chain, class S, class P, class A>
void launch_values(const ColumnForward<S, P, A>& a) {
  simt::launch(value_of_chunks<Chain, S, P, A>, stream_launch(a, 0), a, stream_tiles(a),
               is_vector(a.x) && is_vector(a.y));
}

template <class Pipeline, class S, class P, class A>
void launch_backward_resident(const ColumnBackward<S, P, A>& a) {
  constexpr std::size_t kSlot = sizeof(A) * terms_at_once<A>(Pipeline::SumsPass::kTerms);
  constexpr std::size_t kKept = sizeof(Quad<S>) + sizeof(Quad<A>);
  const bool few = columns::resident_lanes(a.rows) == columns::kFewLanes;
  const auto kernel = few ? backward_resident<Pipeline, columns::kFewLanes, S, P, A>
                          : backward_resident<Pipeline, columns::kManyLanes, S, P, A>;
  simt::launch(kernel, resident_launch(a, kKept, kSlot), a, is_vector(a));
}

template <class Chain, bool kInput, int kAll, class S, class P, class A>
void launch_gradients(const ColumnBackward<S, P, A>& a) {
  simt::launch(gradients_of_chunks<Chain, kInput, kAll, S, P, A>,
               stream_launch(a, sizeof(A) * Chain::kTerms), a, stream_tiles(a), is_vector(a));
}

template <class Chain, int kFirst, int kAll, class S, class P, class A>
void launch_finish_gradients(const ColumnBackward<S, P, A>& a) {
  simt::launch(finish_gradients<Chain, kFirst, kAll, S, P, A>,
               finish_launch(a, sizeof(A) * Chain::kTerms), a);
}

template <class Chain, class S, class P, class A>
void launch_shared_gradients(const ColumnBackward<S, P, A>& a) {
  const auto is_shared = [](const Vector<P>& v) { return v.data != nullptr && v.stride == 0; };
  bool any = false;
  for (int k = 0; k < Chain::kVectors; ++k) any |= is_shared(a.d_stages.vectors[k]);
  if (!any) return;
  simt::launch(sum_shared_gradients<Chain, S, P, A>,
               {.block = columns::kSharedLanes, .stream = a.stream}, a);
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
