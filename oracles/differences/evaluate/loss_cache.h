// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>

#include "oracles/differences/target.h"

namespace gradproof {

/// The losses of a target, one for each arithmetic, each created at the first use. Not for two
/// threads at once.
class LossCache {
 public:
  explicit LossCache(const AuditTarget& target) : target_(target) { unit_.fill(kNone); }

  /// The loss in this arithmetic, with this unit taken.
  PerturbedLoss& at(AuditArithmetic arithmetic, std::int64_t unit) {
    const auto k = static_cast<std::size_t>(arithmetic);
    if (!losses_[k]) losses_[k] = target_.losses(arithmetic);
    if (unit_[k] != unit) losses_[k]->take_unit(unit);
    unit_[k] = unit;
    return *losses_[k];
  }

  const AuditTarget& target() const { return target_; }

 private:
  static constexpr std::int64_t kNone = -1;

  const AuditTarget& target_;
  std::array<std::unique_ptr<PerturbedLoss>, 3> losses_;
  std::array<std::int64_t, 3> unit_{};
};

}  // namespace gradproof
