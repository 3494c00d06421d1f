// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "core/compare/audit_row.h"
#include "judge/cross_check.h"
#include "judge/run_case.h"

namespace gradproof {

/// Compares a kernel's gradients with the oracle's, from the statistics that its forward saved.
class KernelWitness {
 public:
  /// The run must outlive it.
  explicit KernelWitness(const CaseRun& run);

  /// agrees: within the bound. wrong: entries over it (with the diagnosis), findings of the run,
  /// other bits under another schedule, or saved statistics that are themselves over their bound.
  /// mistrusted: within a bound that proves little. silent: no elements.
  AuditWitness on(const std::string& gradient) const;

 private:
  void judge_tensor(const std::string& gradient, AuditWitness& witness) const;

  const CaseRun& run_;
  std::optional<GivenStatistics> given_;
  Answers answers_;
  std::string broken_;      ///< findings of the run, in words
  std::string statistics_;  ///< what is wrong with the saved statistics
};

/// Compares LibTorch's float64 autograd with the oracle, within the bound of LibTorch's contract;
/// the witness is silent, with LibTorch's words, where LibTorch refuses.
class LibTorchWitness {
 public:
  LibTorchWitness(const Claim& claim, const Tensors& inputs, std::uint64_t seed);
  /// Takes the answers of an earlier cross check.
  explicit LibTorchWitness(CrossCheck checked) : checked_(std::move(checked)) {}
  AuditWitness on(const std::string& gradient) const;

 private:
  CrossCheck checked_;
  std::string refusal_;
};

}  // namespace gradproof
