// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/target.h"

namespace gradproof {

/// Another target for one tensor whose entries affect several units: each of its blocks (all of
/// them, where the tensor reaches all) is one unit, whose loss is the sum over the units of the
/// block. A move is relative to the scale of each unit, 2^log2_scale: the loss of a unit changes by
///
///   (L(number + move 2^log2_scale) - L(number)) / 2^log2_scale,
///
/// so that one step suits them all, and log2_scale() of the sum is 0. A block's units contain the
/// same numbers, at the same places. The sums are those of fixed parts in a fixed order, computed
/// by several threads.
class SummedTarget final : public AuditTarget {
 public:
  /// The target must outlive this object.
  SummedTarget(const AuditTarget& target, std::size_t tensor)
      : target_(target), tensor_(tensor), all_(target.tensors()[tensor].reach == Reach::all) {}

  const std::vector<AuditedTensor>& tensors() const override { return target_.tensors(); }
  std::int64_t blocks() const override { return all_ ? 1 : target_.blocks(); }
  std::vector<std::int64_t> units_of(std::int64_t block) const override;
  bool in_one_unit(std::size_t) const override { return true; }
  std::int64_t unit_size() const override { return target_.unit_size(); }
  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override;

  /// The units of the other target that are summed.
  std::vector<std::int64_t> summands(std::int64_t block) const {
    return all_ ? all_units(target_) : target_.units_of(block);
  }
  const AuditTarget& of_units() const { return target_; }
  std::size_t tensor() const { return tensor_; }
  /// The number of parts into which the units of a block are divided.
  std::int64_t parts(std::int64_t units) const;
  /// True if a block is summed by several threads, as in a target with few blocks.
  bool has_threads() const { return parts(kParts) > 1; }

 private:
  static constexpr std::int64_t kParts = 64;  ///< of all units

  const AuditTarget& target_;
  std::size_t tensor_;
  bool all_;
};

}  // namespace gradproof
