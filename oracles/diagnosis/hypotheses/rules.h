// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace gradproof::diagnosis {

struct ReplayedPipeline;

inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// Numbers from first to before last, `kept` of each `step`; or all but these.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  std::int64_t step = 1;
  bool without = false;
  std::int64_t kept = 1;

  bool has(std::int64_t i) const {
    return (i >= first && i < last && (i - first) % step < kept) != without;
  }
};

/// What is left of the derivative s (1 + z (1-s)) of Swish, s = sigmoid(z).
enum class Slope { right, sigmoid, product, minus };

/// How the adjoint of one step is wrong.
struct StepRule {
  std::size_t step = kNone;
  bool alike = false;    ///< and so are all steps of its kind
  int times = 1;         ///< how often the adjoint is applied
  bool squared = false;  ///< the cotangent is multiplied in once more

  Slope slope = Slope::right;
  std::size_t slope_node = kNone;  ///< where the derivative is taken, if not at the step's input

  // Of a norm: dx = rstd (h - sum h/N - xhat sum h xhat/N), h = weight g.
  bool mean = true;
  bool projection = true;
  bool turned = false;  ///< evaluation's formula in training, or the reverse
  int weights = 1;      ///< how often weight is multiplied in
  bool weight_outside = false;
  int rstds = 1;
  bool one_less = false;  ///< the means are over N - 1
  bool raw = false;       ///< x in place of xhat, where it is multiplied with the mean
  bool raw_sum = false;   ///< the same in the mean
};

/// What a parameter's gradient multiplies the cotangent with.
enum class Second { usual, one, node, xhat, centered };

/// How the gradient of a parameter is wrong.
struct TermRule {
  bool changed = false;
  std::size_t cotangent = kNone;  ///< of the value at this node; kNone: 1 in its place
  Second second = Second::usual;
  std::size_t node = kNone;
};

/// A changed text of a pipeline's backward pass; as it stands, the right one. Nodes are values: 0
/// is x, k + 1 what step k computes.
struct Rules {
  StepRule step;
  TermRule term;
  Range rows;                                      ///< that a parameter's gradient is summed over
  Range cols;                                      ///< the same of a parameter of one number
  std::function<void(ReplayedPipeline&)> prepare;  ///< changes what the pass starts from
};

/// An explanation: what a kernel with these rules computes is known exactly.
struct Change {
  std::string words;
  Rules rules;
};

}  // namespace gradproof::diagnosis
