// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>

#include "kernels/device/quad.cuh"
#include "kernels/group_tiling.h"
#include "simt/counted.h"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// The quads of a unit that a thread holds. They lie `lanes` apart, so neighbours load neighbours.
template <class T>
struct Held {
  Quad<T> quad[group::kHeldQuads];
};

/// A quad's bytes as they were loaded. Unpacking half types makes a thread wait for the load, so
/// unpacking is put off until the values are needed.
template <class S>
struct [[gnu::may_alias]] alignas(Quad<S>) Packed {
  unsigned words[sizeof(Quad<S>) / sizeof(unsigned)];
};

template <class S>
__device__ Packed<S> packed(const Quad<S>& quad) {
  Packed<S> bytes;
  memcpy(&bytes, &quad, sizeof bytes);
  return bytes;
}

template <class A, class S>
__device__ Quad<A> unpacked(const Packed<S>& bytes) {
  Quad<S> quad;
  memcpy(static_cast<void*>(&quad), &bytes, sizeof bytes);
  return convert_quad<A>(quad);
}

/// The quads of a unit that a thread has loaded.
template <class S>
struct Loaded {
  Packed<S> quad[group::kHeldQuads];
};

/// Calls visit(q) for each quad. The calls are written out, so that compilers use registers.
template <class Visit>
__device__ void for_each_quad(const Visit& visit) {
  static_assert(group::kHeldQuads == 2);
  visit(0);
  visit(1);
}

/// The place at which a thread works: the same channels of one group in all rows of a chunk.
struct GroupPlace {
  int lane;
  std::int64_t group, chunk;
  Columns columns[group::kHeldQuads];
  std::int64_t begin;  ///< the chunk's first row
  int size;            ///< and how many it has; 0 where there is no such group or chunk
};

/// Four channels of a group in the matrix; no channel is inside if there is no such group.
__device__ inline Columns columns_of(const group::Tiling& tiling, std::int64_t group,
                                     std::int64_t channel) {
  const Columns in_group = columns_from(channel, tiling.width);
  return {group * tiling.width + channel, group < tiling.groups ? in_group.inside : 0};
}

/// Sets the quads of a wide group's part, or of a whole group.
__device__ inline void take_part(GroupPlace& at, const group::Tiling& tiling, std::int64_t part) {
  for_each_quad([&](int q) {
    const std::int64_t quad = part * group::kHeldQuads * tiling.lanes + q * tiling.lanes + at.lane;
    at.columns[q] = columns_of(tiling, at.group, quad * kQuad);
  });
}

__device__ inline GroupPlace place_in(const group::Tiling& tiling) {
  const std::int64_t tile = blockIdx.x % tiling.tiles;
  const std::int64_t neighbour = threadIdx.y % static_cast<unsigned>(tiling.together);
  const std::int64_t chunk = threadIdx.y / static_cast<unsigned>(tiling.together);
  GroupPlace at{};
  at.lane = static_cast<int>(threadIdx.x);
  at.group = tile / tiling.parts * tiling.together + neighbour;
  at.chunk = blockIdx.x / tiling.tiles * tiling.chunks_together + chunk;
  take_part(at, tiling, tile % tiling.parts);
  if (at.group >= tiling.groups || at.chunk >= tiling.chunks.count) return at;
  at.begin = tiling.chunks.begin(at.chunk);
  at.size = static_cast<int>(tiling.chunks.size(at.chunk));
  return at;
}

/// The walk down the rows of the quads that a thread holds, from its first row.
template <class T>
struct HeldWalk {
  Walk<T> quad[group::kHeldQuads];
  bool whole[group::kHeldQuads];
};

/// `vector` is true if the matrix may be read and written by whole quads.
template <class T>
__device__ HeldWalk<T> walk_held(const Matrix<T>& m, std::int64_t begin, const GroupPlace& at,
                                 bool vector) {
  HeldWalk<T> way;
  for_each_quad([&](int q) {
    way.quad[q] = walk(m, begin, at.columns[q]);
    way.whole[q] = vector && at.columns[q].inside == kQuad;
  });
  return way;
}

template <class S>
__device__ Loaded<S> load_held(const HeldWalk<const S>& from, int row) {
  Loaded<S> loaded;
  for_each_quad([&](int q) {
    const Walk<const S>& quad = from.quad[q];
    if (from.whole[q]) {
      loaded.quad[q] = *reinterpret_cast<const Packed<S>*>(quad.to + row * quad.row_stride);
    } else {
      loaded.quad[q] = packed(load<false>(quad, row));
    }
  });
  return loaded;
}

template <class S, class A>
__device__ void store_held(const HeldWalk<S>& to, int row, const Held<A>& held) {
  for_each_quad([&](int q) {
    if (to.whole[q]) return store<true>(to.quad[q], row, held.quad[q]);
    store<false>(to.quad[q], row, held.quad[q]);
  });
}

/// Calls visit(q, k, inside) for every number that a thread holds: the k-th of quad q.
template <class Visit>
__device__ void for_each_held(const GroupPlace& at, const Visit& visit) {
  for_each_quad([&](int q) {
    for (int k = 0; k < kQuad; ++k) visit(q, k, k < at.columns[q].inside);
  });
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
