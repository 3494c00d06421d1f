// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"

namespace gradproof::programs {

/// The orders in which kernels add up the terms of a long sum.
enum class AdditionOrder {
  chain,       ///< one after the other
  backward,    ///< the same, from the last one
  strided,     ///< every eighth one, then the next ones of eight, one after the other
  lanes_32,    ///< a warp: each lane adds every 32nd term, then a tree over the lanes
  lanes_128,   ///< four warps
  lanes_1024,  ///< a block of the most threads
  blocks,      ///< chains of 256 terms, and a chain of their sums
  tree,        ///< neighbours in pairs
  kahan,       ///< a chain whose rounding errors are carried along
  split        ///< split-K: eight parts of neighbours by 32 lanes each, joined one after the other
};

inline constexpr std::array<AdditionOrder, 10> kAdditionOrders{
    AdditionOrder::chain,    AdditionOrder::backward,  AdditionOrder::strided,
    AdditionOrder::lanes_32, AdditionOrder::lanes_128, AdditionOrder::lanes_1024,
    AdditionOrder::blocks,   AdditionOrder::tree,      AdditionOrder::kahan,
    AdditionOrder::split};

/// "lanes 32", "split-K"
std::string_view name_of(AdditionOrder order);

/// A sum of the terms term(0), term(1), ...: every addition is `add`, which rounds.
template <class T, class Term, class Add>
class Summation {
 public:
  Summation(const Term& term, const Add& add) : term_(term), add_(add) {}

  T in(AdditionOrder order, std::int64_t count) const {
    switch (order) {
      case AdditionOrder::chain:
        return chain(0, count, 1);
      case AdditionOrder::backward:
        return chain(0, count, 1, [&](std::int64_t i) { return count - 1 - i; });
      case AdditionOrder::strided:
        return strided(count);
      case AdditionOrder::lanes_32:
        return lanes(0, count, 32);
      case AdditionOrder::lanes_128:
        return lanes(0, count, 128);
      case AdditionOrder::lanes_1024:
        return lanes(0, count, 1024);
      case AdditionOrder::blocks:
        return blocks(count);
      case AdditionOrder::tree:
        return lanes(0, count, std::max<std::int64_t>(count, 1));
      case AdditionOrder::kahan:
        return kahan(count);
      case AdditionOrder::split:
        return split(count);
    }
    throw InstrumentError("an order that no sum has");
  }

 private:
  static constexpr std::int64_t kStride = 8;
  static constexpr std::int64_t kBlock = 256;
  static constexpr std::int64_t kParts = 8;

  template <class Place>
  T chain(std::int64_t first, std::int64_t end, std::int64_t step, const Place& place) const {
    T sum = T(0);
    for (std::int64_t i = first; i < end; i += step) sum = add_(sum, term_(place(i)));
    return sum;
  }
  T chain(std::int64_t first, std::int64_t end, std::int64_t step) const {
    return chain(first, end, step, [](std::int64_t i) { return i; });
  }

  T strided(std::int64_t count) const {
    T sum = T(0);
    for (std::int64_t k = 0; k < kStride; ++k)
      for (std::int64_t i = k; i < count; i += kStride) sum = add_(sum, term_(i));
    return sum;
  }

  T tree(std::vector<T> parts) const {
    while (parts.size() > 1) {
      const std::size_t half = (parts.size() + 1) / 2;
      for (std::size_t i = 0; i < half; ++i)
        parts[i] = 2 * i + 1 < parts.size() ? add_(parts[2 * i], parts[2 * i + 1]) : parts[2 * i];
      parts.resize(half);
    }
    return parts.empty() ? T(0) : parts[0];
  }

  T lanes(std::int64_t first, std::int64_t end, std::int64_t lanes) const {
    std::vector<T> sums;
    for (std::int64_t lane = first; lane < std::min(end, first + lanes); ++lane)
      sums.push_back(chain(lane, end, lanes));
    return tree(std::move(sums));
  }

  T blocks(std::int64_t count) const {
    T sum = T(0);
    for (std::int64_t first = 0; first < count; first += kBlock)
      sum = add_(sum, chain(first, std::min(count, first + kBlock), 1));
    return sum;
  }

  /// Kahan, "Further remarks on reducing truncation errors", CACM 8 (1965).
  T kahan(std::int64_t count) const {
    T sum = T(0), lost = T(0);
    for (std::int64_t i = 0; i < count; ++i) {
      const T term = add_(term_(i), -lost);
      const T next = add_(sum, term);
      lost = add_(add_(next, -sum), -term);
      sum = next;
    }
    return sum;
  }

  T split(std::int64_t count) const {
    const std::int64_t part = (count + kParts - 1) / kParts;
    T sum = T(0);
    for (std::int64_t first = 0; first < count; first += part)
      sum = add_(sum, lanes(first, std::min(count, first + part), 32));
    return sum;
  }

  const Term& term_;
  const Add& add_;
};

template <class T, class Term, class Add>
T sum_in(AdditionOrder order, std::int64_t count, const Term& term, const Add& add) {
  return Summation<T, Term, Add>(term, add).in(order, count);
}

}  // namespace gradproof::programs
