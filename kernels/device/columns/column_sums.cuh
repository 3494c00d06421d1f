// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/device/columns/column_place.cuh"
#include "kernels/device/columns/column_tree.cuh"

namespace gradproof {
inline namespace GRADPROOF_UNIT {

/// Some sums over the rows of one column.
template <class A, int kTerms>
struct Sums {
  A at[kTerms];
};

template <class A, int kTerms>
__device__ Sums<A, kTerms> combine(const Sums<A, kTerms>& a, const Sums<A, kTerms>& b) {
  Sums<A, kTerms> both;
  for (int term = 0; term < kTerms; ++term) both.at[term] = a.at[term] + b.at[term];
  return both;
}

/// A thread's own sums; there is room for one even if kTerms is 0.
template <class A, int kTerms>
struct LaneSums {
  Quad<A> of[kTerms > 0 ? kTerms : 1];  // NOLINT(bugprone-branch-clone): where kTerms is 1
  __device__ LaneSums() {
    for (Quad<A>& sum : of) sum = zero_quad<A>();
  }
};

/// Joins the sums of the block's lanes; slots[at.slot + k] then has those of the thread's column k.
template <class A, int kTerms>
__device__ void combine_sums(Sums<A, kTerms>* slots, const Place& at,
                             const LaneSums<A, kTerms>& sums, int lanes) {
  const int columns = static_cast<int>(blockDim.x) * kQuad;
  for (int k = 0; k < kQuad; ++k)
    for (int term = 0; term < kTerms; ++term)
      slots[at.lane * columns + at.slot + k].at[term] = sums.of[term].at[k];
  combine_lanes(slots, columns, lanes);
}

/// The number of sums of a column that are joined at once: all if there is room for them, else one.
template <class A>
SIMT_HOST_DEVICE constexpr int terms_at_once(int terms) {
  return terms * static_cast<int>(sizeof(A)) <= columns::kSlotBytes ? terms : 1;
}

/// Replaces each lane's sums by those of the whole column, kTogether terms at once.
template <class A, int kTogether, int kTerms>
__device__ void total_sums(Sums<A, kTogether>* slots, const Place& at, LaneSums<A, kTerms>& sums,
                           int lanes) {
  static_assert(kTerms % kTogether == 0);
  for (int first = 0; first < kTerms; first += kTogether) {
    if (first > 0) __syncthreads();  // the slots are used again
    LaneSums<A, kTogether> some;
    for (int term = 0; term < kTogether; ++term) some.of[term] = sums.of[first + term];
    combine_sums(slots, at, some, lanes);
    for (int term = 0; term < kTogether; ++term)
      for (int k = 0; k < kQuad; ++k)
        sums.of[first + term].at[k] = slots[at.slot + k].at[term];
  }
}

/// The sums of the thread's column k.
template <class A, int kTerms>
__device__ Sums<A, kTerms> column_of(const LaneSums<A, kTerms>& sums, int k) {
  Sums<A, kTerms> column;
  for (int term = 0; term < kTerms; ++term) column.at[term] = sums.of[term].at[k];
  return column;
}

/// The workspace as a table: `terms` numbers for each column of each chunk, and behind the last
/// chunk the numbers of each whole column.
template <class A>
struct Sheet {
  A* data;
  std::int64_t cols, chunks;
  int terms;

  __device__ A& at(std::int64_t chunk, int term, std::int64_t col) const {
    return data[(chunk * terms + term) * cols + col];
  }
  __device__ A& whole(int term, std::int64_t col) const { return at(chunks, term, col); }
};

template <class A, class Arguments>
__device__ Sheet<A> sheet_of(const Arguments& a, int terms) {
  return {static_cast<A*>(a.workspace), a.cols, columns::chunks_of(a.rows).count, terms};
}

/// Stores a column's sums, the terms from `first` on, in the workspace and in the gradients that
/// they are. Chain is the stages that the sums belong to.
template <class Chain, class A, int kTerms, class Arguments>
__device__ void publish(const Arguments& a, const Sheet<A>& sheet, int first, std::int64_t col,
                        Sums<A, kTerms> sums) {
  Chain::finish(a, col, sums.at);
  for (int term = 0; term < kTerms; ++term) sheet.whole(first + term, col) = sums.at[term];
  Chain::for_each_gradient(a, 0, [&](int term, const auto& gradient) {
    using P = std::remove_reference_t<decltype(*gradient.data)>;
    if (gradient.data != nullptr && gradient.stride != 0)
      gradient.data[col] = convert<P>(sums.at[term]);
  });
}

}  // namespace GRADPROOF_UNIT
}  // namespace gradproof
