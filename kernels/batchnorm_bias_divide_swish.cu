// SPDX-License-Identifier: Apache-2.0
// y = swish((batchnorm(x) * weight + beta + bias) / divide), forward and backward: how the kernels
// of kernels/device/batchnorm_*.cuh are launched. Generic over the element, so that simt::Counted
// runs the same text.
#include "kernels/batchnorm_bias_divide_swish.h"
#include "kernels/device/batchnorm_backward.cuh"
#include "kernels/device/batchnorm_forward.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

constexpr unsigned kResidentQuads = 4;
constexpr unsigned kStreamQuads = 8;
constexpr unsigned kFinishColumns = 16;
constexpr unsigned kColumnThreads = 256;

inline unsigned blocks_for(std::int64_t columns, unsigned a_block) {
  return static_cast<unsigned>((columns + a_block - 1) / a_block);
}

/// One thread a column.
template <class A>
simt::Launch column_launch(const A& a) {
  return {.grid = dim3(blocks_for(a.cols, kColumnThreads)),
          .block = dim3(kColumnThreads),
          .stream = a.stream};
}

/// One block a column tile with `tiles_of_quads` kept in shared memory, and a slot of V for each
/// lane and column.
template <class V, class T, class A>
simt::Launch resident_launch(const A& a, std::size_t tiles_of_quads) {
  const auto lanes = static_cast<unsigned>(batchnorm::resident_lanes(a.rows));
  const std::size_t tile = static_cast<std::size_t>(a.rows) * kResidentQuads * sizeof(Quad<T>);
  return {.grid = dim3(blocks_for(a.cols, kResidentQuads * kQuad)),
          .block = dim3(kResidentQuads, lanes),
          .smem = tiles_of_quads * tile + lanes * kResidentQuads * kQuad * sizeof(V),
          .stream = a.stream};
}

template <class A>
std::int64_t stream_tiles(const A& a) {
  return blocks_for(a.cols, kStreamQuads * kQuad);
}

/// One block for each column tile of each chunk, in one dimension: it takes 2^31 - 1 of them.
template <class A>
simt::Launch stream_launch(const A& a, std::size_t slot_bytes) {
  const std::int64_t blocks = stream_tiles(a) * batchnorm::chunks_of(a.rows).count;
  return {.grid = dim3(static_cast<unsigned>(blocks)),
          .block = dim3(kStreamQuads, batchnorm::kStreamLanes),
          .smem = kStreamQuads * kQuad * batchnorm::kStreamLanes * slot_bytes,
          .stream = a.stream};
}

template <class A>
simt::Launch finish_launch(const A& a, std::size_t slot_bytes) {
  return {.grid = dim3(blocks_for(a.cols, kFinishColumns)),
          .block = dim3(kFinishColumns, batchnorm::kFinishLanes),
          .smem = kFinishColumns * batchnorm::kFinishLanes * slot_bytes,
          .stream = a.stream};
}

template <class T>
void launch_forward_resident(const BatchNormForward<T>& a) {
  const bool vector = is_vector(a.x) && is_vector(a.y);
  const bool few = batchnorm::resident_lanes(a.rows) == batchnorm::kFewLanes;
  const auto kernel =
      few ? forward_resident<batchnorm::kFewLanes, T> : forward_resident<batchnorm::kManyLanes, T>;
  simt::launch(kernel, resident_launch<T, T>(a, 1), a, vector);
}

template <class T>
void launch_moments(const BatchNormForward<T>& a) {
  simt::launch(moments_of_chunks<T>, stream_launch(a, sizeof(Moments<T>)), a, stream_tiles(a),
               is_vector(a.x));
}

template <class T>
void launch_finish_statistics(const BatchNormForward<T>& a) {
  simt::launch(finish_statistics<T>, finish_launch(a, sizeof(Moments<T>)), a);
}

template <class T>
void launch_normalize(const BatchNormForward<T>& a) {
  simt::launch(normalize<T>, stream_launch(a, 0), a, stream_tiles(a),
               is_vector(a.x) && is_vector(a.y));
}

template <class T>
void batchnorm_bias_divide_swish_forward(const BatchNormForward<T>& a) {
  const bool batch_statistics = a.training || a.running_mean == nullptr;
  if (a.training && a.num_batches_tracked != nullptr)
    simt::launch(count_batch<T>, {.stream = a.stream}, a);
  if (a.cols == 0) return;
  if (!batch_statistics) {
    simt::launch(take_running_statistics<T>, column_launch(a), a);
    if (a.rows > 0) launch_normalize(a);
  } else if (a.rows > batchnorm::kResidentRows) {
    launch_moments(a);
    launch_finish_statistics(a);
    launch_normalize(a);
  } else if (a.rows > 0) {
    launch_forward_resident(a);
  }
}

template <class T>
bool is_vector(const BatchNormBackward<T>& a) {
  return is_vector(a.x) && is_vector(a.dy) && is_vector(a.d_x);
}

template <class T>
void launch_backward_resident(const BatchNormBackward<T>& a) {
  const bool few = batchnorm::resident_lanes(a.rows) == batchnorm::kFewLanes;
  const auto kernel = few ? backward_resident<batchnorm::kFewLanes, T>
                          : backward_resident<batchnorm::kManyLanes, T>;
  simt::launch(kernel, resident_launch<GradientSums<T>, T>(a, 2), a, is_vector(a));
}

template <bool kConstantStatistics, class T>
void launch_sums(const BatchNormBackward<T>& a) {
  simt::launch(sums_of_chunks<kConstantStatistics, T>, stream_launch(a, sizeof(GradientSums<T>)), a,
               stream_tiles(a), is_vector(a));
}

template <class T>
void launch_finish_gradients(const BatchNormBackward<T>& a) {
  simt::launch(finish_gradients<T>, finish_launch(a, sizeof(GradientSums<T>)), a);
}

template <class T>
void launch_bias_gradient(const BatchNormBackward<T>& a) {
  simt::launch(sum_bias_gradient<T>, {.block = batchnorm::kBiasLanes, .stream = a.stream}, a);
}

template <class T>
void launch_d_x(const BatchNormBackward<T>& a) {
  simt::launch(d_x_of_chunks<T>, stream_launch(a, 0), a, stream_tiles(a), is_vector(a));
}

template <class T>
void batchnorm_bias_divide_swish_backward(const BatchNormBackward<T>& a) {
  if (a.cols == 0) return;
  if (a.rows == 0) {
    simt::launch(publish_zeros<T>, column_launch(a), a);
  } else if (!a.batch_statistics) {
    launch_sums<true>(a);
    launch_finish_gradients(a);
  } else if (a.rows <= batchnorm::kResidentRows) {
    launch_backward_resident(a);
  } else {
    launch_sums<false>(a);
    launch_finish_gradients(a);
    launch_d_x(a);
  }
  if (a.bias_stride == 0) launch_bias_gradient(a);
}

template void batchnorm_bias_divide_swish_forward(const BatchNormForward<float>&);
template void batchnorm_bias_divide_swish_backward(const BatchNormBackward<float>&);

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
