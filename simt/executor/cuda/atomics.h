// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

#include "simt/executor/runtime.h"

namespace simt::executor {

/// A type that no instruction changes at once, as simt::Counted, is changed under this mutex.
inline std::mutex& mutex_of_large_words() {
  static std::mutex mutex;
  return mutex;
}

/// Replaces the value at `address` by `next` of that value; returns the values before and after.
template <class T, class Next>
std::pair<T, T> exchange_at(T* address, Next next) {
  if constexpr (sizeof(T) > sizeof(std::uint64_t)) {
    const std::lock_guard lock(mutex_of_large_words());
    const T before = *address;
    return {before, *address = next(before)};
  } else {
    T before;
    T after;
    __atomic_load(address, &before, __ATOMIC_RELAXED);
    do {
      after = next(before);
    } while (!__atomic_compare_exchange(address, &before, &after, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
    return {before, after};
  }
}

/// Makes a real atomic change of the bits, so that blocks on several workers may share one word.
/// After an atomic that changed nothing the thread gives way, because it may be spinning.
template <class T, class Next>
T update(T* address, Next next, Where where) {
  const auto [before, after] = exchange_at(address, next);
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): an atomic changes bits, -0 to 0 too
  const bool changed = std::memcmp(&before, &after, sizeof(T)) != 0;
  if (!changed || running.adversarial) give_way(Op::atomic, changed, where);
  return before;
}

}  // namespace simt::executor

template <class T>
T atomicAdd(T* address, std::type_identity_t<T> value, SIMT_WHERE) {
  const auto next = [=](T before) { return static_cast<T>(before + value); };
  return simt::executor::update(address, next, where);
}
template <class T>
T atomicSub(T* address, std::type_identity_t<T> value, SIMT_WHERE) {
  const auto next = [=](T before) { return static_cast<T>(before - value); };
  return simt::executor::update(address, next, where);
}
template <class T>
T atomicMax(T* address, std::type_identity_t<T> value, SIMT_WHERE) {
  const auto next = [=](T before) { return before < value ? value : before; };
  return simt::executor::update(address, next, where);
}
template <class T>
T atomicMin(T* address, std::type_identity_t<T> value, SIMT_WHERE) {
  const auto next = [=](T before) { return value < before ? value : before; };
  return simt::executor::update(address, next, where);
}
template <class T>
T atomicAnd(T* address, std::type_identity_t<T> value, SIMT_WHERE) {
  const auto next = [=](T before) { return static_cast<T>(before & value); };
  return simt::executor::update(address, next, where);
}
template <class T>
T atomicOr(T* address, std::type_identity_t<T> value, SIMT_WHERE) {
  const auto next = [=](T before) { return static_cast<T>(before | value); };
  return simt::executor::update(address, next, where);
}
template <class T>
T atomicXor(T* address, std::type_identity_t<T> value, SIMT_WHERE) {
  const auto next = [=](T before) { return static_cast<T>(before ^ value); };
  return simt::executor::update(address, next, where);
}
template <class T>
T atomicExch(T* address, std::type_identity_t<T> value, SIMT_WHERE) {
  return simt::executor::update(
      address, [=](T) { return value; }, where);
}
template <class T>
T atomicCAS(T* address, std::type_identity_t<T> compare, std::type_identity_t<T> value,
            SIMT_WHERE) {
  const auto next = [=](T before) { return before == compare ? value : before; };
  return simt::executor::update(address, next, where);
}
inline unsigned atomicInc(unsigned* address, unsigned limit, SIMT_WHERE) {
  const auto next = [=](unsigned before) { return before >= limit ? 0u : before + 1u; };
  return simt::executor::update(address, next, where);
}
inline unsigned atomicDec(unsigned* address, unsigned limit, SIMT_WHERE) {
  const auto next = [=](unsigned before) {
    return before == 0u || before > limit ? limit : before - 1u;
  };
  return simt::executor::update(address, next, where);
}
