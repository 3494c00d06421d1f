// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracles/oracle.h"

namespace gradproof {

/// The description of the fault in one gradient tensor, as text.
struct Diagnosis {
  std::int64_t wrong = 0;             ///< entries over their bound or of the wrong class
  std::vector<std::int64_t> entries;  ///< row-major indices of up to 8 of them, the worst first
  std::string pattern;                ///< where they are: "column 3", "rows from 32 on"; or empty
  /// The explanation: "1/d missing: off by d (d = -2.5); explains all 64 wrong entries to 0.4 of
  /// their bound". It is empty if no hypothesis explains the entries, or only by chance.
  std::string words;
};

/// Searches for a changed formula that gives the numbers of a kernel's gradient (`gradient` is
/// "d_x", "d_weight", ...): within the bound, for all but one in 256 of the wrong entries.
/// docs/diagnosis.md lists the hypotheses. `truth` is the answer of evaluate() for the gradient
/// from these inputs and `given`. Throws InstrumentError for a tensor that is no gradient of the
/// claim, or of another size.
Diagnosis diagnose(const Claim& claim, const Tensors& inputs,
                   const std::optional<GivenStatistics>& given, const std::string& gradient,
                   const Tensor& got, const Answer& truth);

}  // namespace gradproof
