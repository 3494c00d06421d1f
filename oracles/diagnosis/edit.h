// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace gradproof::diagnosis {

struct Replay;

inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// The numbers from first to last - 1, of these the first `kept` of every `step`; with `without`,
/// all numbers but these.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  std::int64_t step = 1;
  bool without = false;
  std::int64_t kept = 1;

  bool has(std::int64_t i) const {
    return (i >= first && i < last && (i - first) % step < kept) != without;
  }
  bool is_all() const { return *this == Range{}; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// The derivative of Swish is s (1 + z (1 - s)), s = sigmoid(z). The wrong ones are s (sigmoid),
/// s z (1 - s) (product) and s (1 - z (1 - s)) (minus).
enum class Slope { right, sigmoid, product, minus };

/// How the adjoint of one step is changed.
struct StepEdit {
  std::size_t step = kNone;
  bool alike = false;    ///< all steps of the same kind are changed too
  int times = 1;         ///< how often the adjoint is applied
  bool squared = false;  ///< the cotangent is multiplied in once more

  Slope slope = Slope::right;
  std::size_t slope_node = kNone;  ///< the derivative is taken at this node, not at the input

  // The adjoint of a norm: dx = rstd (h - sum h/N - xhat sum h xhat/N), h = weight g.
  bool mean = true;
  bool projection = true;
  bool one_less = false;  ///< the two means are over N - 1
  int weights = 1;        ///< how often weight is multiplied in
  bool weight_behind = false;
  int rstds = 1;         ///< how often rstd is multiplied in
  bool raw = false;      ///< x takes the place of xhat outside the sum
  bool raw_sum = false;  ///< x takes the place of xhat in sum h xhat
};

/// The factor of the cotangent in the gradient of a parameter: the right one, 1, the value of a
/// node, xhat, or x - mean.
enum class Second { usual, one, node, xhat, centered };

/// How the terms of a parameter's gradient are changed.
struct TermEdit {
  bool changed = false;
  std::size_t cotangent = kNone;  ///< the node whose cotangent is taken; kNone: 1
  Second second = Second::usual;
  std::size_t node = kNone;
};

/// What a wrong kernel does in place of the pipeline's passes; by default nothing else. Nodes are
/// values: node 0 is x, node k + 1 is the value of step k.
struct Edit {
  StepEdit step = {};
  TermEdit term = {};
  Range rows = {};  ///< the rows that a parameter's gradient sums
  Range cols = {};  ///< the columns that the gradient of a parameter of one number sums
  /// Changes the pipeline, or the numbers that the passes start from.
  std::function<void(Replay&)> prepare = {};
};

}  // namespace gradproof::diagnosis
