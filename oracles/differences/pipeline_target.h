// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/claim.h"
#include "oracles/differences/target.h"
#include "oracles/pipeline/compiled_pipeline.h"
#include "oracles/pipeline/geometry.h"

namespace gradproof {

/// The value of a claim's pipeline, L = sum dy y, and its adjoint: x and every parameter that has a
/// gradient. A perturbed x[i,j] is felt in its column (BatchNorm of the batch's statistics), in its
/// group (GroupNorm) or in itself.
class PipelineTarget final : public AuditTarget {
 public:
  /// Both must outlive it.
  PipelineTarget(const Claim& claim, const Tensors& inputs);

  const std::vector<AuditedTensor>& tensors() const override { return tensors_; }
  std::int64_t blocks() const override { return claim_.blocks(); }
  std::vector<std::int64_t> units_of(std::int64_t block) const override;
  bool in_one_unit(std::size_t tensor) const override;
  std::int64_t block_of(std::size_t tensor, std::int64_t entry) const override;
  std::int64_t unit_of(std::size_t tensor, std::int64_t entry) const override;
  std::int64_t unit_size() const override { return geometry_.unit_size(); }
  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override;

  const Claim& claim() const { return claim_; }
  const Tensors& inputs() const { return inputs_; }
  const CompiledPipeline& compiled() const { return compiled_; }
  const Geometry& geometry() const { return geometry_; }

  /// Which numbers of a unit a tensor is.
  Movable movable(std::size_t tensor) const;
  /// Whether a norm with statistics of its own comes behind a parameter's step.
  bool before_norm(std::size_t tensor) const;
  /// Whether x meets a step in front of the norm that is not linear in it.
  bool bent_before_norm() const;
  /// One number that all columns share.
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
