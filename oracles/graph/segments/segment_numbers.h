// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/tensor/tensor.h"
#include "oracles/graph/tier.h"
#include "oracles/oracle.h"

namespace gradproof {

/// The numbers that cross from one segment to another, by the name of the value or tensor: all in
/// row-major order, each with the radius of its truth and the error that is permitted. Gradients
/// are those that the segments, from the last one on, have given so far.
using SegmentNumbers = std::map<std::string, BlockAnswers, std::less<>>;

/// The numbers of a value or tensor; null where there are none.
inline const BlockAnswers* numbers_of(const SegmentNumbers& all, std::string_view name) {
  const auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

inline void copy_number(BlockAnswers& into, std::size_t to, const BlockAnswers& from,
                        std::size_t at) {
  into.hi[to] = from.hi[at];
  into.lo[to] = from.lo[at];
  into.radius[to] = from.radius[at];
  into.estimate[to] = from.estimate[at];
  into.error[to] = from.error[at];
  into.vacuous[to] = from.vacuous[at];
  into.overflow[to] = from.overflow[at];
  if (!into.sizes.empty()) into.sizes[to] = from.sizes[at];
}

inline void put_ball(BlockAnswers& into, std::size_t at, const Ball& ball) {
  into.hi[at] = ball.hi;
  into.lo[at] = ball.lo;
  into.radius[at] = ball.radius;
}

inline void put_permitted(BlockAnswers& into, std::size_t at, double estimate,
                          const Permitted& permitted) {
  into.estimate[at] = estimate;
  into.error[at] = permitted.error;
  into.vacuous[at] = permitted.vacuous ? 1 : 0;
  into.overflow[at] = permitted.overflow ? 1 : 0;
}

/// The inputs that a graph, or a segment of one, is evaluated from. It refers to all of them.
struct GraphInputs {
  // NOLINTNEXTLINE(google-explicit-constructor): of a whole graph the tensors are all
  GraphInputs(const Tensors& of_whole) : tensors(of_whole) {}
  /// The inputs of a segment; without `later` it goes forward alone.
  GraphInputs(const Tensors& of_whole, const SegmentNumbers* earlier, const SegmentNumbers* later)
      : tensors(of_whole),
        values(earlier),
        gradients(later),
        alone(false),
        backward(later != nullptr) {}

  const Tensors& tensors;                  ///< all of the whole graph, and a cotangent each output
  const SegmentNumbers* values = nullptr;  ///< of earlier segments
  const SegmentNumbers* gradients = nullptr;  ///< of this segment's outputs and tensors
  bool alone = true;                          ///< it is a whole graph
  bool backward = true;
  const Tensors* statistics = nullptr;  ///< that adjoints take in place of their norms' own
  /// The tensors and cotangents of a whole graph that are not known exactly; null if there are
  /// none. With them 50 digits do not make a radius smaller.
  const InexactInputs* inexact = nullptr;
  bool forward = true;  ///< as BlockNumbers has it
};

}  // namespace gradproof
