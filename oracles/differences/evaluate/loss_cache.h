// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>

#include "oracles/differences/target.h"

namespace gradproof {

/// A subject's losses in every arithmetic, each made when it is first asked for. Not for two
/// threads at once.
class LossCache {
 public:
  explicit LossCache(const AuditTarget& target) : target_(target) { unit_.fill(kNone); }

  /// Standing at the unit.
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
