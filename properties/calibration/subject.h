// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/compare/answer.h"
#include "core/compare/discrepancy.h"
#include "kernels/kernel.h"
#include "oracles/oracle.h"
#include "properties/calibration/calibration.h"

namespace gradproof {

/// One result that is judged: a kernel's, or LibTorch's own, with the truth and the bounds.
struct CalibrationResult {
  const Kernel* kernel;  ///< of the catalog
  Case c;
  std::string who;  ///< "kernel", "LibTorch", "LibTorch BatchNorm"
  Claim claim;
  Tensors inputs;
  Tensors got;
  Answers answers;
  std::vector<simt::Finding> findings = {};
};

/// The statistics that gradients are judged from; nothing where there are none.
std::optional<GivenStatistics> given_of(const Claim& claim, const Tensors& got);

/// Runs the kernel, or the mutant that the Case names, on the executor, one schedule, and asks the
/// oracle.
CalibrationResult kernel_subject(const Catalog& catalog, const Case& c);

/// LibTorch's modules on the Case's inputs in its type: the whole pipeline in f32 and f64; in f16
/// and bf16 one operator of it, which `choice` picks. Nothing where LibTorch's arithmetic is no
/// contract, for no rows, and where inputs are not finite (its folded form has other classes). For
/// the same reason gradients are left out where a saved statistic is not: rstd above 65504 in f16.
std::optional<CalibrationResult> libtorch_subject(const Catalog& catalog, const Case& c,
                                                  std::uint64_t choice);

/// The result with y so many bounds off; 0 leaves it.
CalibrationResult biased(CalibrationResult result, double bounds);

/// compare(), with the plan's faults.
Discrepancy judged(const Tensor& got, const Answer& answer, const CalibrationPlan& plan);

/// The nearest number of the type that is `times` bounds or more above the truth.
double beyond(const Answer& answer, std::int64_t index, double times, DType dtype);

}  // namespace gradproof
