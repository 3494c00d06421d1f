// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/derivatives/jacobian_unit.h"
#include "oracles/differences/pipeline_target.h"

namespace gradproof {

/// The number by which a column of the Jacobian is computed: its tensor, its entry there, and the
/// units that it affects.
class JacobianNumber {
 public:
  /// Throws UsageError for a tensor or an element that is not there. The target must outlive it.
  JacobianNumber(const PipelineTarget& target, const std::string& tensor,
                 const std::vector<std::int64_t>& index);

  const PipelineTarget& target() const { return target_; }
  const AuditedTensor& tensor() const { return target_.tensors()[tensor_]; }
  std::int64_t entry() const { return entry_; }  ///< of the tensor, row-major
  bool before_norm() const { return target_.before_norm(tensor_); }

  /// The units that the number affects, in ascending order.
  std::vector<std::int64_t> units() const;
  /// The slot of the number in each of these units.
  UnitNumber number() const;
  /// Whether the number affects the element at this place of these units.
  bool affects(std::int64_t place) const;

 private:
  const PipelineTarget& target_;
  std::size_t tensor_;
  std::int64_t entry_;
};

}  // namespace gradproof
