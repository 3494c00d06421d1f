// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/derivatives/adjoint_gradients.h"
#include "oracles/differences/audit_target.h"

namespace gradproof {

/// The value of a subject, and the gradients that somebody else claims for it, by d_<name>; where
/// an entry is felt in several units, what the claim adds to the subject's own is shared out
/// evenly. The subject must outlive it. Throws InstrumentError for a tensor without a claim or of
/// another size.
class ClaimedGradients final : public AuditTarget {
 public:
  ClaimedGradients(const AuditTarget& target, const RealGradients& claimed);

  const std::vector<AuditedTensor>& tensors() const override { return target_.tensors(); }
  std::int64_t blocks() const override { return target_.blocks(); }
  std::vector<std::int64_t> units_of(std::int64_t block) const override {
    return target_.units_of(block);
  }
  bool in_one_unit(std::size_t tensor) const override { return target_.in_one_unit(tensor); }
  std::int64_t block_of(std::size_t tensor, std::int64_t entry) const override {
    return target_.block_of(tensor, entry);
  }
  std::int64_t unit_of(std::size_t tensor, std::int64_t entry) const override {
    return target_.unit_of(tensor, entry);
  }
  std::int64_t unit_size() const override { return target_.unit_size(); }
  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override;

 private:
  void share_out(std::size_t tensor);

  const AuditTarget& target_;
  std::vector<Values<Real>> claimed_;  ///< what a unit claims, or adds to its own claim
};

/// The claim's value against somebody's gradients.
std::vector<AuditRow> audit_gradients(const Claim& claim, const Tensors& inputs,
                                      const RealGradients& claimed,
                                      const AuditOptions& options = {});

}  // namespace gradproof
