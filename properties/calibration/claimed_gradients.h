// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "core/claim/claim.h"
#include "oracles/differences/audit_target.h"

namespace gradproof {

/// Gradient tensors at 50 digits, row-major, by name (d_x).
using RealGradients = std::map<std::string, Values<Real>, std::less<>>;

/// The gradients of L = sum dy y by the adjoint of the claim's pipeline, for every gradient that
/// the claim has: added in 400 digits, because terms of several units may cancel, and rounded.
RealGradients adjoint_gradients(const Claim& claim, const Tensors& inputs);

/// The value of another target with gradients claimed from outside, by name (d_<name>). Where an
/// entry affects several units, the excess of the given gradient over the target's claim is divided
/// evenly among these units. The target must outlive this object. Throws InstrumentError where a
/// tensor has no given gradient, or one of another size.
class ClaimedGradients final : public AuditTarget {
 public:
  ClaimedGradients(const AuditTarget& target, const RealGradients& claimed);

  const std::vector<AuditedTensor>& tensors() const override { return target_.tensors(); }
  std::int64_t blocks() const override { return target_.blocks(); }
  std::vector<std::int64_t> units_of(std::int64_t block) const override {
    return target_.units_of(block);
  }
  bool in_one_unit(std::size_t tensor) const override { return target_.in_one_unit(tensor); }
  std::int64_t unit_size() const override { return target_.unit_size(); }
  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override;

 private:
  void share_out(std::size_t tensor);

  const AuditTarget& target_;
  /// The claims by tensor and entry: the claim itself where an entry affects one unit, otherwise
  /// the amount that every unit adds to the claim of `target_`.
  std::vector<Values<Digits400>> claimed_;
};

/// Audits the given gradients against differences of the value of the claim's pipeline.
std::vector<AuditRow> audit_gradients(const Claim& claim, const Tensors& inputs,
                                      const RealGradients& claimed,
                                      const AuditOptions& options = {});

}  // namespace gradproof
