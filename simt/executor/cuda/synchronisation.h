// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "simt/executor/runtime.h"

namespace simt::executor {

/// The value that lane `source` brought; a NaN pattern and a finding if that lane took no part.
template <class T>
T value_of(const Exchange& exchanged, Op op, unsigned source, Where where) {
  T value;
  if (exchanged.page->present >> source & 1) {
    std::memcpy(&value, exchanged.page->values + source * sizeof(T), sizeof(T));
  } else {
    report_inactive_lane(op, exchanged.lane, source, where);
    std::memset(static_cast<void*>(&value), 0xFF, sizeof(T));
  }
  return value;
}

/// `source_of(lane, first)` gives the lane to read from; if that lane is outside the segment of
/// `width` lanes, the calling lane reads its own value.
template <class T, class SourceOf>
T shuffle(Op op, unsigned mask, const T& value, int width, Where where, SourceOf source_of) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= Page::kMaxBytes);
  const Exchange exchanged = exchange(op, mask, &value, sizeof(T), where);
  const int lane = static_cast<int>(exchanged.lane);
  const int first = lane & ~(width - 1);
  const int source = source_of(lane, first);
  const bool inside = source >= first && source < first + width;
  return value_of<T>(exchanged, op, static_cast<unsigned>(inside ? source : lane), where);
}

/// Folds the values of all lanes that took part, in lane order.
template <class T, class Fold>
T reduce(Op op, unsigned mask, T value, Where where, Fold fold) {
  const Exchange exchanged = exchange(op, mask, &value, sizeof(T), where);
  unsigned rest = exchanged.page->present;
  T result = value_of<T>(exchanged, op, static_cast<unsigned>(std::countr_zero(rest)), where);
  for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    result = fold(result, value_of<T>(exchanged, op, lane, where));
  }
  return result;
}

}  // namespace simt::executor

inline void __syncthreads(SIMT_WHERE) {
  simt::executor::barrier(simt::executor::Op::syncthreads, 0, where);
}
inline int __syncthreads_and(int predicate, SIMT_WHERE) {
  return simt::executor::barrier(simt::executor::Op::syncthreads_and, predicate, where);
}
inline int __syncthreads_or(int predicate, SIMT_WHERE) {
  return simt::executor::barrier(simt::executor::Op::syncthreads_or, predicate, where);
}
inline int __syncthreads_count(int predicate, SIMT_WHERE) {
  return simt::executor::barrier(simt::executor::Op::syncthreads_count, predicate, where);
}

inline void __syncwarp(unsigned mask = 0xffffffffu, SIMT_WHERE) {
  simt::executor::vote(simt::executor::Op::syncwarp, mask, false, where);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, SIMT_WHERE) {
  using namespace simt::executor;
  return vote(Op::ballot, mask, predicate != 0, where).page->votes;
}
inline int __any_sync(unsigned mask, int predicate, SIMT_WHERE) {
  using namespace simt::executor;
  return vote(Op::any, mask, predicate != 0, where).page->votes != 0;
}
inline int __all_sync(unsigned mask, int predicate, SIMT_WHERE) {
  using namespace simt::executor;
  const Exchange votes = vote(Op::all, mask, predicate != 0, where);
  return votes.page->votes == votes.page->present;
}
inline unsigned __activemask() { return simt::executor::active_mask(); }

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, SIMT_WHERE) {
  const auto from = [=](int, int first) { return first + (source & (width - 1)); };
  return simt::executor::shuffle(simt::executor::Op::shfl, mask, value, width, where, from);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_WHERE) {
  const auto from = [=](int lane, int) { return lane - static_cast<int>(delta); };
  return simt::executor::shuffle(simt::executor::Op::shfl_up, mask, value, width, where, from);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_WHERE) {
  const auto from = [=](int lane, int) { return lane + static_cast<int>(delta); };
  return simt::executor::shuffle(simt::executor::Op::shfl_down, mask, value, width, where, from);
}
/// As on the device, a lane may read from an earlier segment but not from a later one.
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, SIMT_WHERE) {
  using namespace simt::executor;
  const Exchange exchanged = exchange(Op::shfl_xor, mask, &value, sizeof(T), where);
  const unsigned source = exchanged.lane ^ static_cast<unsigned>(lanes);
  const unsigned end =
      (exchanged.lane & ~static_cast<unsigned>(width - 1)) + static_cast<unsigned>(width);
  return value_of<T>(exchanged, Op::shfl_xor, source < end ? source : exchanged.lane, where);
}

inline int __reduce_add_sync(unsigned mask, int value, SIMT_WHERE) {
  const auto fold = [](unsigned a, unsigned b) { return a + b; };  // wraps, as on the device
  const auto bits = static_cast<unsigned>(value);
  return static_cast<int>(
      simt::executor::reduce(simt::executor::Op::reduce_add, mask, bits, where, fold));
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned value, SIMT_WHERE) {
  const auto fold = [](unsigned a, unsigned b) { return a + b; };
  return simt::executor::reduce(simt::executor::Op::reduce_add, mask, value, where, fold);
}
template <class T>
T __reduce_min_sync(unsigned mask, T value, SIMT_WHERE) {
  const auto fold = [](T a, T b) { return std::min(a, b); };
  return simt::executor::reduce(simt::executor::Op::reduce_min, mask, value, where, fold);
}
template <class T>
T __reduce_max_sync(unsigned mask, T value, SIMT_WHERE) {
  const auto fold = [](T a, T b) { return std::max(a, b); };
  return simt::executor::reduce(simt::executor::Op::reduce_max, mask, value, where, fold);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value, SIMT_WHERE) {
  const auto fold = [](unsigned a, unsigned b) { return a & b; };
  return simt::executor::reduce(simt::executor::Op::reduce_and, mask, value, where, fold);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value, SIMT_WHERE) {
  const auto fold = [](unsigned a, unsigned b) { return a | b; };
  return simt::executor::reduce(simt::executor::Op::reduce_or, mask, value, where, fold);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value, SIMT_WHERE) {
  const auto fold = [](unsigned a, unsigned b) { return a ^ b; };
  return simt::executor::reduce(simt::executor::Op::reduce_xor, mask, value, where, fold);
}

inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __nanosleep(unsigned, SIMT_WHERE) {
  simt::executor::give_way(simt::executor::Op::nanosleep, false, where);
}
