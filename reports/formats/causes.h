// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "reports/formats/failures.h"

namespace gradproof {

/// What failed of one kernel together: a wrong output makes the gradients behind it wrong too, and
/// a fault of a kernel is seen in every type.
struct FailureCause {
  /// By tensor and type. The leading tensor stands in front, which the others may follow from; then
  /// outputs and statistics, then gradients.
  std::vector<FailureGroup> groups;

  const WrongTensor& worst() const { return groups.front().worst(); }
  std::int64_t failures() const;  ///< of all its tensors
  /// "y, d_x, d_bias" and "f32, f16".
  std::string tensors() const;
  std::string types() const;
  /// "Failed K: y, d_x, d_bias".
  std::string title() const;
  /// "6 of 12 tensors are wrong in f32 and f16, worst error/bound 61.6".
  std::string summary() const;
};

/// The failures of a report by cause, each once, the most severe in front. The failing tensors of a
/// Case have one cause. It is told by the tensor that leads them: an output or a saved statistic
/// before a gradient, else the first in the order in which they are judged. Causes of the same
/// kernel, kind of outcome and leading tensor are one. Points into the report.
std::vector<FailureCause> causes_of(const Report& report);

}  // namespace gradproof
