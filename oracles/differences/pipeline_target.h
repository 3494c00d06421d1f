// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/claim.h"
#include "oracles/differences/target.h"
#include "oracles/pipeline/compiled_pipeline.h"
#include "oracles/pipeline/geometry.h"

namespace gradproof {

/// The value of a claim's pipeline, L = sum dy y, and its adjoint as the claim, by x and by every
/// parameter that has a gradient. A move of x[i,j] affects its column (BatchNorm with the
/// statistics of the batch), its group (GroupNorm) or its own element alone.
class PipelineTarget final : public AuditTarget {
 public:
  /// Claim and inputs must outlive the target.
  PipelineTarget(const Claim& claim, const Tensors& inputs);

  const std::vector<AuditedTensor>& tensors() const override { return tensors_; }
  std::int64_t blocks() const override { return claim_.blocks(); }
  std::vector<std::int64_t> units_of(std::int64_t block) const override;
  bool in_one_unit(std::size_t tensor) const override;
  std::int64_t unit_size() const override { return geometry_.unit_size(); }
  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override;

  /// The block that an entry affects, and its unit; one of its units, if it affects several.
  std::int64_t block_of(std::size_t tensor, std::int64_t entry) const;
  std::int64_t unit_of(std::size_t tensor, std::int64_t entry) const;

  const Claim& claim() const { return claim_; }
  const Tensors& inputs() const { return inputs_; }
  const CompiledPipeline& compiled() const { return compiled_; }
  const Geometry& geometry() const { return geometry_; }

  /// The slot of the tensor among the numbers of a unit.
  Movable movable(std::size_t tensor) const;
  /// True if a norm that computes its statistics from the unit follows the step of the tensor.
  bool before_norm(std::size_t tensor) const;
  /// True if a step before the norm is not linear in x.
  bool bent_before_norm() const;
  /// True if the tensor is one number that all columns share.
  bool shared(std::size_t tensor) const;

 private:
  Reach reach_of(std::size_t tensor) const;

  const Claim& claim_;
  const Tensors& inputs_;
  CompiledPipeline compiled_;
  Geometry geometry_;
  std::vector<AuditedTensor> tensors_;
};

}  // namespace gradproof
